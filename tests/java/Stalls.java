import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * An HTTP server that is slow on request, for two reasons:
 *
 * gc N      N full collections of a heap with many objects: all threads stand still
 * busy MS   the thread that answers computes for so long, with all others running
 */
public final class Stalls {
    private static final int NODES = 4_000_000;

    private static final class Node {
        final Node next;

        Node(Node next) {
            this.next = next;
        }
    }

    private static Node list;
    private static volatile long busyUntil;
    private static volatile long sink = 1;

    private static void busyWork() {
        while (System.nanoTime() < busyUntil) {
            long x = sink;
            for (int i = 0; i < 10_000; i++) {
                x ^= x << 13;
                x ^= x >>> 7;
                x ^= x << 17;
            }
            sink = x;
        }
    }

    private static void collect(int times) {
        for (int i = 0; i < times; i++) {
            System.gc();
        }
    }

    public static void main(String[] args) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            busyWork();
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        for (int i = 0; i < NODES; i++) {
            list = new Node(list);
        }
        server.start();
        System.out.println("port " + server.getAddress().getPort());
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null;) {
            int number = Integer.parseInt(line.substring(line.indexOf(' ') + 1));
            if (line.startsWith("gc")) {
                collect(number);
            } else {
                busyUntil = System.nanoTime() + number * 1_000_000L;
            }
            System.out.println("done");
        }
        server.stop(0);
    }
}
