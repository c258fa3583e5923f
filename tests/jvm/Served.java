import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * An HTTP server that knows nothing of tracing. Its methods show which request they serve: cart only GET /cart, pay only GET /pay, and
 * helper the latter, but in another thread.
 */
public class Served {
    private static final int STEPS = 6_000_000;

    static volatile long sink = 1;

    private static void spin() {
        long x = sink;
        for (int i = 0; i < STEPS; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        sink = x;
    }

    private static void cart() {
        spin();
    }

    private static void pay() {
        spin();
    }

    private static void helper() {
        spin();
    }

    private static void nobody() {
        spin();
    }

    private static void answer(HttpExchange exchange) throws IOException {
        exchange.sendResponseHeaders(200, 2);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(new byte[] {'o', 'k'});
        }
    }

    public static void main(String[] args) throws Exception {
        ExecutorService handlers = Executors.newFixedThreadPool(3), helpers = Executors.newFixedThreadPool(2);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(handlers);
        server.createContext("/cart", exchange -> {
            cart();
            answer(exchange);
        });
        server.createContext("/pay", exchange -> {
            Future<?> helped = helpers.submit(Served::helper);
            pay();
            try {
                helped.get();
            } catch (Exception never) {
                throw new IllegalStateException(never);
            }
            answer(exchange);
        });
        server.start();
        System.out.println("port " + server.getAddress().getPort());
        while (System.in.read() >= 0) {
            nobody();
        }
        server.stop(0);
        handlers.shutdown();
        helpers.shutdown();
        System.out.println("ended");
    }
}
