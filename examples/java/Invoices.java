import candor.context.Candor;
import candor.context.Scope;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;

/**
 * A small server that says for each request which endpoint it serves, for the tutorial docs/tutorials/slow-endpoint.md.
 *
 *     java -cp candor-context.jar Invoices.java [PORT]
 */
public class Invoices {
    static String list() {
        StringBuilder lines = new StringBuilder();
        for (int number = 1; number <= 200; number++)
            lines.append("invoice ").append(number).append('\n');
        return lines.toString();
    }

    /** One invoice: most of its time is spent on waiting for another service. */
    static String one() throws InterruptedException {
        return "invoice 1, paid: " + askTheBank() + "\n";
    }

    static boolean askTheBank() throws InterruptedException {
        Thread.sleep(80);
        return true;
    }

    interface Work {
        String run() throws Exception;
    }

    static void serve(HttpServer server, String path, Work work) {
        server.createContext(path, exchange -> {
            try (Scope scope = Candor.scope(exchange.getRequestMethod() + " " + path)) {
                answer(exchange, work.run());
            } catch (Exception e) {
                throw new IOException(e);
            }
        });
    }

    static void answer(HttpExchange exchange, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    public static void main(String[] args) throws Exception {
        int port = args.length > 0 ? Integer.parseInt(args[0]) : 8080;
        HttpServer server = HttpServer.create(new InetSocketAddress("localhost", port), 0);
        server.setExecutor(Executors.newFixedThreadPool(8));
        serve(server, "/list", Invoices::list);
        serve(server, "/invoice", Invoices::one);
        server.start();
        System.out.println("invoices: http://localhost:" + server.getAddress().getPort());
    }
}
