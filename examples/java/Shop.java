import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.regex.Pattern;

/**
 * A small shop with some problems, for the tutorials in docs/tutorials.
 *
 *     java Shop.java [PORT [fast]]        fast: without the problem of /search, for the tutorial about comparing two versions
 */
public class Shop {
    static final List<String> PRODUCTS = new ArrayList<>();
    static final Map<String, Integer> STOCK = new HashMap<>();
    static final List<byte[]> VISITS = new ArrayList<>();
    static final Semaphore CONNECTIONS = new Semaphore(2);
    static boolean fast;

    /** High CPU: the pattern is compiled anew for each product. */
    static int search(String words) {
        int found = 0;
        Pattern once = pattern(words);
        for (String product : PRODUCTS) {
            Pattern pattern = fast ? once : pattern(words);
            if (pattern.matcher(product).find())
                found++;
        }
        return found;
    }

    static Pattern pattern(String words) {
        return Pattern.compile("(?i)\\b(" + words.replace(", ", "|") + ")\\b");
    }

    /** A lock: every order waits for the one before it, and each holds the stock while it "calls the warehouse". */
    static int order(String product) throws InterruptedException {
        synchronized (STOCK) {
            Thread.sleep(5);
            return STOCK.merge(product, -1, Integer::sum);
        }
    }

    /** A leak: each visit is remembered for ever. */
    static int visit() {
        synchronized (VISITS) {
            VISITS.add(new byte[10_000]);
            return VISITS.size();
        }
    }

    /** Pauses: each report asks for a collection of the whole heap, so that it "starts clean". */
    static int report() {
        System.gc();
        return STOCK.size();
    }

    /** A pool that is too small: each payment needs one of two connections to the bank, and holds it while the bank thinks. */
    static int pay() throws InterruptedException {
        CONNECTIONS.acquire();
        try {
            Thread.sleep(20);
            return CONNECTIONS.availablePermits();
        } finally {
            CONNECTIONS.release();
        }
    }

    interface Work {
        int run(HttpExchange exchange) throws Exception;
    }

    static void serve(HttpServer server, String path, Work work) {
        server.createContext(path, exchange -> {
            try {
                byte[] answer = (work.run(exchange) + "\n").getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, answer.length);
                exchange.getResponseBody().write(answer);
            } catch (Exception e) {
                throw new IOException(e);
            } finally {
                exchange.close();
            }
        });
    }

    public static void main(String[] args) throws Exception {
        int port = args.length > 0 ? Integer.parseInt(args[0]) : 8080;
        fast = args.length > 1 && args[1].equals("fast");
        for (int i = 0; i < 2000; i++)
            PRODUCTS.add("product number " + i + (i % 7 == 0 ? " in red" : " in blue"));
        HttpServer server = HttpServer.create(new InetSocketAddress("localhost", port), 0);
        server.setExecutor(Executors.newFixedThreadPool(8));
        serve(server, "/search", exchange -> search("red, scarlet, crimson, ruby"));
        serve(server, "/order", exchange -> order("product 1"));
        serve(server, "/visit", exchange -> visit());
        serve(server, "/report", exchange -> report());
        serve(server, "/pay", exchange -> pay());
        server.start();
        System.out.println("shop: http://localhost:" + server.getAddress().getPort());
    }
}
