import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.YieldingWaitStrategy;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import com.sun.net.httpserver.HttpServer;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import freemarker.template.Configuration;
import freemarker.template.Template;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericObjectPool;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.store.NIOFSDirectory;
import org.mozilla.javascript.Context;
import org.mozilla.javascript.Script;
import org.mozilla.javascript.Scriptable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Problems that programs have with well-known libraries.
 *
 * release: 17
 */
public final class Libraries {
    private static final int CLIENTS = 38;
    private static final int FEW = 2;
    private static final int ROWS = 20_000;

    private Libraries() {
    }

    // -- pools of connections --

    private static void slowQuery(DataSource source) throws SQLException {
        try (Connection connection = source.getConnection()) { // here: hikari tomcatJdbc
            Case.sink += connection.hashCode();
            Case.think(20);
        }
    }

    static void hikari(boolean planted) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:hikari");
        config.setMaximumPoolSize(planted ? FEW : CLIENTS);
        HikariDataSource source = new HikariDataSource(config);
        while (source.getHikariPoolMXBean().getTotalConnections() < config.getMaximumPoolSize()) {
            Case.sleep(10); // it opens its connections one by one
        }
        Case.repeat(CLIENTS, "http-nio-exec", () -> slowQuery(source));
    }

    static void tomcatJdbc(boolean planted) {
        org.apache.tomcat.jdbc.pool.DataSource source = new org.apache.tomcat.jdbc.pool.DataSource();
        source.setDriverClassName("org.h2.Driver");
        source.setUrl("jdbc:h2:mem:tomcat");
        source.setMaxActive(planted ? FEW : CLIENTS);
        Case.repeat(CLIENTS, "exec", () -> slowQuery(source));
    }

    static void commonsPool(boolean planted) {
        GenericObjectPool<Object> pool = new GenericObjectPool<>(new BasePooledObjectFactory<>() {
            @Override
            public Object create() {
                return new Object();
            }

            @Override
            public PooledObject<Object> wrap(Object one) {
                return new DefaultPooledObject<>(one);
            }
        });
        pool.setMaxTotal(planted ? FEW : CLIENTS);
        pool.setMaxIdle(CLIENTS);
        Case.repeat(CLIENTS, "rpc", () -> {
            Object session = pool.borrowObject(); // here: commonsPool
            Case.think(20);
            pool.returnObject(session);
        });
    }

    private static int slowServer(int ms) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        server.setExecutor(Executors.newFixedThreadPool(CLIENTS));
        server.createContext("/", exchange -> {
            Case.think(ms);
            exchange.sendResponseHeaders(200, 2);
            exchange.getResponseBody().write(new byte[2]);
            exchange.close();
        });
        server.start();
        return server.getAddress().getPort();
    }

    /** Two connections to a host, which is this library's usual limit. */
    static void clientPerCall(boolean planted) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + slowServer(1) + "/")).build();
        HttpClient shared = HttpClient.newHttpClient();
        Case.repeat(CLIENTS / 2, "caller", () -> {
            HttpClient client = planted ? HttpClient.newHttpClient() : shared; // here: clientPerCall
            Case.sink += client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
            Case.think(5);
        });
    }

    static void apacheClientPerCall(boolean planted) throws IOException {
        String url = "http://127.0.0.1:" + slowServer(1) + "/";
        CloseableHttpClient shared = HttpClients.createDefault();
        Case.repeat(CLIENTS / 8, "caller", () -> { // a client has five connections to one server
            CloseableHttpClient client = planted ? HttpClients.createDefault() : shared; // here: apacheClientPerCall
            Case.sink += client.execute(new HttpGet(url), response -> response.getCode());
            if (planted) {
                client.close();
            }
            Case.think(5);
        });
    }

    static void httpClient(boolean planted) throws IOException {
        PoolingHttpClientConnectionManager connections = new PoolingHttpClientConnectionManager();
        connections.setDefaultMaxPerRoute(planted ? FEW : CLIENTS);
        connections.setMaxTotal(CLIENTS);
        CloseableHttpClient client = HttpClients.custom().setConnectionManager(connections).build();
        String url = "http://127.0.0.1:" + slowServer(20) + "/";
        Case.repeat(CLIENTS / 2, "caller", () -> {
            Case.sink += client.execute(new HttpGet(url), response -> response.getCode()); // here: httpClient
        });
    }

    // -- databases --

    private static Connection customers(String url, boolean indexed) throws SQLException {
        Connection connection = DriverManager.getConnection(url, "sa", "");
        try (Statement statement = connection.createStatement()) {
            statement.execute("create table customer(id int primary key, name varchar(40), city varchar(40))");
            if (indexed) {
                statement.execute("create index by_name on customer(name)");
            }
        }
        try (PreparedStatement insert = connection.prepareStatement("insert into customer values (?, ?, ?)")) {
            for (int i = 0; i < ROWS; i++) {
                insert.setInt(1, i);
                insert.setString(2, "name-" + i);
                insert.setString(3, "city-" + i % 100);
                insert.execute();
            }
        }
        return connection;
    }

    private static void find(Connection connection, boolean planted) throws SQLException {
        PreparedStatement query = connection.prepareStatement("select city from customer where name = ?");
        Case.repeat(1, "lookup", () -> {
            query.setString(1, "name-" + ThreadLocalRandom.current().nextInt(ROWS));
            try (ResultSet rows = query.executeQuery()) { // here: h2Scan hsqldbScan
                while (rows.next()) {
                    Case.sink += rows.getString(1).length();
                }
            }
            if (!planted) {
                Case.sleep(1);
            }
        });
    }

    static void h2Scan(boolean planted) throws SQLException {
        find(customers("jdbc:h2:mem:scan", !planted), planted);
    }

    static void hsqldbScan(boolean planted) throws SQLException {
        find(customers("jdbc:hsqldb:mem:scan", !planted), planted);
    }

    static void statements(boolean planted) throws SQLException {
        Connection connection = customers("jdbc:h2:mem:statements;QUERY_CACHE_SIZE=0", true);
        PreparedStatement prepared = connection.prepareStatement("select city from customer where id = ? and name like ?");
        Statement plain = connection.createStatement();
        Case.repeat(1, "order", () -> {
            int id = ThreadLocalRandom.current().nextInt(ROWS);
            if (planted) {
                String sql = "select city from customer where id = " + id + " and name like '" + "name-" + id + "'";
                try (ResultSet rows = plain.executeQuery(sql)) { // here: statements
                    Case.sink += rows.next() ? 1 : 0;
                }
            } else {
                prepared.setInt(1, id);
                prepared.setString(2, "name-" + id);
                try (ResultSet rows = prepared.executeQuery()) {
                    Case.sink += rows.next() ? 1 : 0;
                }
                Case.sleep(1);
            }
        });
    }

    static void hsqldbForce(boolean planted) throws Exception {
        Path folder = Files.createTempDirectory("corpus");
        Connection connection = DriverManager.getConnection("jdbc:hsqldb:file:" + folder.resolve("db"), "sa", "");
        try (Statement statement = connection.createStatement()) {
            statement.execute("create table log(id int)");
            statement.execute(planted ? "set files write delay false" : "set files write delay true");
        }
        PreparedStatement insert = connection.prepareStatement("insert into log values (?)");
        Case.repeat(1, "audit", () -> {
            insert.setInt(1, 17);
            insert.execute(); // here: hsqldbForce
            if (!planted) {
                Case.sleep(5);
            }
        });
    }

    static void luceneCommits(boolean planted) throws Exception {
        Path folder = Files.createTempDirectory("corpus");
        IndexWriter writer = new IndexWriter(new NIOFSDirectory(folder), new IndexWriterConfig(new StandardAnalyzer()));
        Case.repeat(1, "indexer", () -> {
            Document document = new Document();
            document.add(new TextField("text", "word-" + ThreadLocalRandom.current().nextInt(1000), Field.Store.NO));
            writer.addDocument(document);
            if (planted) {
                writer.commit(); // here: luceneCommits
            } else {
                Case.sleep(2);
            }
        });
    }

    // -- event loops --

    static void nettyBlocked(boolean planted) {
        EventLoop loop = new DefaultEventLoop();
        schedule(loop, planted);
    }

    private static void schedule(EventLoop loop, boolean planted) {
        loop.schedule(() -> {
            handle(planted);
            schedule(loop, planted);
        }, planted ? 0 : 1, TimeUnit.MILLISECONDS);
    }

    private static void handle(boolean planted) {
        if (planted) {
            Case.sleep(20); // here: nettyBlocked vertxBlocked
        } else {
            Case.compute(50);
        }
    }

    static void vertxBlocked(boolean planted) {
        Vertx vertx = Vertx.vertx();
        vertx.runOnContext(nothing -> vertx.setPeriodic(planted ? 1 : 20, id -> {
            if (planted) {
                handle(true);
            } else {
                Case.compute(50);
            }
        }));
    }

    static void reactorBlocked(boolean planted) {
        Scheduler elastic = Schedulers.boundedElastic();
        Scheduler scheduler = planted ? Schedulers.parallel() : elastic;
        Case.repeat(4, "source", () -> {
            Case.sink += Mono.fromCallable(() -> pause()).subscribeOn(scheduler).block();
        });
    }

    private static int pause() {
        Case.sleep(20); // here: reactorBlocked
        return 1;
    }

    // -- things that are made again and again --

    static void objectMapper(boolean planted) {
        ObjectMapper shared = new ObjectMapper();
        Map<String, Object> order = new LinkedHashMap<>();
        order.put("id", 17);
        order.put("customer", "Meyer");
        Case.repeat(1, "json", () -> {
            ObjectMapper mapper = planted ? new ObjectMapper() : shared; // here: objectMapper
            Case.sink += mapper.writeValueAsString(order).length(); // here: objectMapper
            if (!planted) {
                Case.sleep(1);
            }
        });
    }

    static void templates(boolean planted) throws Exception {
        Configuration configuration = new Configuration(Configuration.VERSION_2_3_34);
        String text = "<html><#list items as item><b>${item}</b> ${item?length} <#if item == 'shoe'>left</#if></#list></html>";
        Template shared = new Template("page", text, configuration);
        Map<String, Object> model = Map.of("items", new String[] {"shoe", "sock"});
        Case.repeat(1, "render", () -> {
            Template template = planted ? new Template("page", text, configuration) : shared; // here: templates
            StringWriter out = new StringWriter();
            template.process(model, out);
            Case.sink += out.getBuffer().length();
            if (!planted) {
                Case.sleep(1);
            }
        });
    }

    static void scripts(boolean planted) {
        Case.repeat(1, "rules", () -> {
            Context context = Context.enter();
            Scriptable scope = context.initStandardObjects();
            Script shared = context.compileString("var x = 0; for (var i = 0; i < 10; i++) x += i; x", "rule", 1, null);
            for (int i = 0; i < 100_000; i++) {
                if (planted) {
                    String text = "var x = " + i + "; for (var i = 0; i < 10; i++) x += i; x";
                    Case.kept = context.evaluateString(scope, text, "rule", 1, null); // here: scripts
                } else {
                    Case.kept = shared.exec(context, scope);
                    Case.sleep(1);
                }
            }
            Context.exit();
        });
    }

    // -- others --

    static final class Event {
        private long value;
    }

    static void disruptor(boolean planted) {
        Disruptor<Event> disruptor = new Disruptor<>(Event::new, 1024, Executors.defaultThreadFactory(), ProducerType.SINGLE,
            planted ? new YieldingWaitStrategy() : new BlockingWaitStrategy());
        disruptor.handleEventsWith((event, sequence, last) -> Case.sink += event.value);
        disruptor.start();
        Case.repeat(1, "producer", () -> {
            disruptor.publishEvent((event, sequence) -> event.value = sequence);
            Case.sleep(5);
        });
    }

    static void cache(boolean planted) {
        Caffeine<Object, Object> builder = Caffeine.newBuilder();
        Cache<Long, byte[]> pages = planted ? builder.build() : builder.maximumSize(1000).build();
        AtomicLong ids = new AtomicLong();
        Case.repeat(2, "page", () -> {
            for (int i = 0; i < 10; i++) {
                byte[] page = new byte[4000]; // here: cache
                pages.put(ids.incrementAndGet(), page);
                Case.kept = new byte[4000];
            }
            Case.sleep(4);
        });
    }

    public static void main(String[] args) throws Exception {
        Case.main(Libraries.class, args);
    }
}
