import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import com.sun.net.httpserver.HttpServer;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import freemarker.template.Configuration;
import freemarker.template.Template;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.undertow.Undertow;
import io.vertx.core.Vertx;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.NIOFSDirectory;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/**
 * Real programs under load that are in order: servers with clients in the same process, databases, pools, computations.
 *
 * release: 17
 */
public final class Healthy {
    private static final int CLIENTS = 6;
    private static final String PAGE = "<html>" + "hello ".repeat(100) + "</html>";
    private static final Logger LOG = LoggerFactory.getLogger(Healthy.class);

    private Healthy() {
    }

    // -- servers --

    /** Clients that keep their connections, and think between their requests. */
    private static void load(int port) {
        Case.repeat(CLIENTS, "client", () -> {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
                byte[] request = "GET /page HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1);
                for (int i = 0; i < 90; i++) { // Tomcat closes after a hundred
                    socket.getOutputStream().write(request);
                    int length = 0;
                    for (String line = in.readLine(); !line.isEmpty(); line = in.readLine()) {
                        length = line.toLowerCase().startsWith("content-length:") ? Integer.parseInt(line.substring(15).trim()) : length;
                    }
                    Case.sink += in.skip(length);
                    Case.think(10);
                }
            }
        });
    }

    static final class Page extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            byte[] page = PAGE.getBytes(StandardCharsets.UTF_8);
            response.setContentLength(page.length);
            response.getOutputStream().write(page);
        }
    }

    static void tomcat(boolean planted) throws Exception {
        Tomcat tomcat = new Tomcat();
        Path base = Files.createTempDirectory("corpus");
        tomcat.setBaseDir(base.toString());
        Connector connector = new Connector();
        connector.setPort(0);
        tomcat.setConnector(connector);
        Context context = tomcat.addContext("", base.toString());
        Tomcat.addServlet(context, "page", new Page());
        context.addServletMappingDecoded("/*", "page");
        tomcat.start();
        load(connector.getLocalPort());
    }

    static void jetty(boolean planted) throws Exception {
        Server server = new Server();
        ServerConnector connector = new ServerConnector(server);
        server.addConnector(connector);
        server.setHandler(new Handler.Abstract() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) {
                response.getHeaders().put("Content-Length", PAGE.length());
                Content.Sink.write(response, true, PAGE, callback);
                return true;
            }
        });
        server.start();
        load(connector.getLocalPort());
    }

    static void undertow(boolean planted) {
        Undertow server = Undertow.builder().addHttpListener(0, "127.0.0.1")
            .setHandler(exchange -> exchange.getResponseSender().send(ByteBuffer.wrap(PAGE.getBytes(StandardCharsets.UTF_8)))).build();
        server.start();
        load(((InetSocketAddress) server.getListenerInfo().get(0).getAddress()).getPort());
    }

    static void netty(boolean planted) throws Exception {
        MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
        Channel server = new ServerBootstrap().group(loops).channel(NioServerSocketChannel.class)
            .childHandler(new ChannelInitializer<SocketChannel>() {
                @Override
                protected void initChannel(SocketChannel channel) {
                    channel.pipeline().addLast(new HttpServerCodec(), new HttpObjectAggregator(1 << 16), new Pages());
                }
            }).bind(InetAddress.getLoopbackAddress(), 0).sync().channel();
        load(((InetSocketAddress) server.localAddress()).getPort());
    }

    static final class Pages extends SimpleChannelInboundHandler<FullHttpRequest> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            DefaultFullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK,
                Unpooled.copiedBuffer(PAGE, StandardCharsets.UTF_8));
            response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, PAGE.length());
            context.writeAndFlush(response);
        }
    }

    static void vertx(boolean planted) {
        Vertx.vertx().createHttpServer().requestHandler(request -> request.response().end(PAGE)).listen(0, "127.0.0.1")
            .onSuccess(server -> load(server.actualPort()));
    }

    static void jdkServer(boolean planted) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        server.setExecutor(Executors.newFixedThreadPool(16));
        server.createContext("/", exchange -> {
            byte[] page = PAGE.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, page.length);
            exchange.getResponseBody().write(page);
            exchange.close();
        });
        server.start();
        load(server.getAddress().getPort());
    }

    // -- databases --

    private static void query(Connection connection) throws Exception {
        try (Statement statement = connection.createStatement()) {
            statement.execute("create table item(id int primary key, name varchar(40))");
        }
        PreparedStatement insert = connection.prepareStatement("insert into item values (?, ?)");
        for (int i = 0; i < 10_000; i++) {
            insert.setInt(1, i);
            insert.setString(2, "name-" + i);
            insert.execute();
        }
        PreparedStatement find = connection.prepareStatement("select name from item where id = ?");
        Case.repeat(1, "shop", () -> {
            for (int i = 0; i < 100; i++) {
                find.setInt(1, ThreadLocalRandom.current().nextInt(10_000));
                try (ResultSet rows = find.executeQuery()) {
                    Case.sink += rows.next() ? rows.getString(1).length() : 0;
                }
            }
            Case.think(10);
        });
    }

    static void h2(boolean planted) throws Exception {
        query(DriverManager.getConnection("jdbc:h2:mem:healthy", "sa", ""));
    }

    static void hsqldb(boolean planted) throws Exception {
        query(DriverManager.getConnection("jdbc:hsqldb:mem:healthy", "sa", ""));
    }

    static void hikari(boolean planted) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:hikari");
        config.setMaximumPoolSize(10);
        HikariDataSource source = new HikariDataSource(config);
        Case.repeat(12, "exec", () -> {
            try (Connection connection = source.getConnection(); Statement statement = connection.createStatement()) {
                Case.sink += statement.executeQuery("select 1").next() ? 1 : 0;
                Case.think(3);
            }
            Case.think(20);
        });
    }

    static void lucene(boolean planted) throws Exception {
        Path folder = Files.createTempDirectory("corpus");
        IndexWriter writer = new IndexWriter(new NIOFSDirectory(folder), new IndexWriterConfig(new StandardAnalyzer()));
        Case.repeat(1, "index", () -> {
            for (int i = 0; i < 1000; i++) {
                Document document = new Document();
                document.add(new TextField("text", "shoe sock hat word-" + ThreadLocalRandom.current().nextInt(5000), Field.Store.YES));
                writer.addDocument(document);
            }
            writer.commit();
            try (DirectoryReader reader = DirectoryReader.open(writer)) {
                IndexSearcher searcher = new IndexSearcher(reader);
                for (int i = 0; i < 100; i++) {
                    Case.sink += searcher.search(new TermQuery(new Term("text", "word-" + i)), 10).totalHits.value;
                }
            }
            Case.think(100);
        });
    }

    static void kafka(boolean planted) {
        MockProducer<String, String> producer = new MockProducer<>(true, null, new StringSerializer(), new StringSerializer());
        Case.repeat(2, "sender", () -> {
            for (int i = 0; i < 100; i++) {
                producer.send(new ProducerRecord<>("orders", "key-" + i, PAGE));
            }
            producer.clear();
            Case.think(10);
        });
    }

    // -- other libraries --

    static void logback(boolean planted) {
        Case.repeat(4, "request", () -> {
            LOG.info("order {} of customer {}", 17, "Meyer");
            Case.think(20);
        });
    }

    static void jackson(boolean planted) {
        ObjectMapper mapper = new ObjectMapper();
        Case.repeat(2, "json", () -> {
            for (int i = 0; i < 200; i++) {
                String text = mapper.writeValueAsString(Map.of("id", i, "items", List.of("shoe", "sock"), "text", PAGE));
                Case.sink += mapper.readTree(text).size();
            }
            Case.think(10);
        });
    }

    static void caffeine(boolean planted) {
        LoadingCache<Integer, String> pages = Caffeine.newBuilder().maximumSize(5000).expireAfterWrite(Duration.ofMinutes(1))
            .build(key -> PAGE + key);
        Case.repeat(4, "lookup", () -> {
            for (int i = 0; i < 500; i++) {
                Case.sink += pages.get((int) (Math.abs(ThreadLocalRandom.current().nextGaussian()) * 2000)).length();
            }
            Case.think(10);
        });
    }

    static void reactor(boolean planted) {
        Case.repeat(1, "flux", () -> {
            Case.sink += Flux.range(0, 20_000).parallel(4).runOn(Schedulers.parallel()).map(i -> i * 17L).sequential()
                .reduce(0L, Long::sum).block();
            Case.think(20);
        });
    }

    static void freemarker(boolean planted) throws Exception {
        Configuration configuration = new Configuration(Configuration.VERSION_2_3_34);
        Template page = new Template("page", "<#list items as item><b>${item}</b></#list>", configuration);
        Case.repeat(2, "render", () -> {
            for (int i = 0; i < 50; i++) {
                StringWriter out = new StringWriter();
                page.process(Map.of("items", new String[] {"shoe", "sock", "hat"}), out);
                Case.sink += out.getBuffer().length();
            }
            Case.think(10);
        });
    }

    // -- the JDK --

    static void javac(boolean planted) {
        StringBuilder source = new StringBuilder("class Big {");
        for (int i = 0; i < 500; i++) {
            source.append("int m" + i + "(int x) { return x * " + i + " + m" + (i + 1) % 500 + "(x - 1); }\n");
        }
        JavaFileObject file = new SimpleJavaFileObject(URI.create("string:///Big.java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignored) {
                return source + "}";
            }
        };
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        Case.repeat(1, "javac", () -> {
            Path target = Files.createTempDirectory("corpus");
            compiler.getTask(null, null, null, List.of("-d", target.toString(), "-proc:none"), null, List.of(file)).call();
            Files.deleteIfExists(target.resolve("Big.class"));
            Files.delete(target);
        });
    }

    static void parallelStreams(boolean planted) {
        Case.repeat(1, "stream", () -> {
            Case.sink += IntStream.range(0, 2_000_000).parallel().filter(i -> i % 17 == 3).mapToLong(i -> (long) i * i).sum();
            Case.think(5);
        });
    }

    static void parallelSort(boolean planted) {
        long[] numbers = new long[500_000];
        Case.repeat(1, "sort", () -> {
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = ThreadLocalRandom.current().nextLong();
            }
            Arrays.parallelSort(numbers);
            Case.think(20);
        });
    }

    /** A pool whose tasks compute, and that has more threads than there are processors. */
    static void computingPool(boolean planted) {
        ExecutorService pool = Executors.newFixedThreadPool(40);
        Semaphore queued = new Semaphore(80);
        Case.repeat(1, "feeder", () -> {
            queued.acquire();
            pool.execute(() -> {
                Case.compute(1000);
                queued.release();
            });
        });
    }

    static void forkJoin(boolean planted) {
        Case.repeat(1, "caller", () -> {
            Case.sink += ForkJoinPool.commonPool().submit(() -> fibonacci(22)).get();
            Case.think(5);
        });
    }

    private static long fibonacci(int n) {
        return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
    }

    static void schedule(boolean planted) {
        ScheduledExecutorService timers = Executors.newScheduledThreadPool(4);
        for (int i = 0; i < 20; i++) {
            timers.scheduleAtFixedRate(() -> Case.compute(100), i, 50, TimeUnit.MILLISECONDS);
        }
    }

    static void consumers(boolean planted) {
        BlockingQueue<byte[]> queue = new ArrayBlockingQueue<>(100);
        Case.repeat(8, "consumer", () -> {
            Case.sink += queue.take().length;
            Case.compute(200);
        });
        Case.repeat(2, "producer", () -> {
            queue.put(new byte[1000]);
            Case.think(3);
        });
    }

    static void idle(boolean planted) {
        Case.repeat(3, "idle", () -> Case.sleep(1000));
    }

    static void batch(boolean planted) {
        Case.repeat(2, "batch", () -> {
            List<String> lines = new ArrayList<>();
            for (int i = 0; i < 2000; i++) {
                lines.add("customer-" + i + "," + i * 17 + ",open");
            }
            Case.sink += lines.stream().map(line -> line.substring(0, line.indexOf(','))).sorted().distinct().count();
            Case.think(10);
        });
    }

    public static void main(String[] args) throws Exception {
        Case.main(Healthy.class, args);
    }
}
