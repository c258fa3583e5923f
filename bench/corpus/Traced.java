import candor.context.Candor;
import candor.context.Scope;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;

/** Requests with a trace, whose threads ask another server. */
public final class Traced {
    private static final int CLIENTS = 4, ITEMS = 60;

    private Traced() {
    }

    private static Socket connected(int port) {
        try {
            return new Socket(InetAddress.getLoopbackAddress(), port);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int ask(Socket socket) throws IOException {
        socket.getOutputStream().write(1);
        return socket.getInputStream().read(); // here: questionPerRow
    }

    private static void inTrace(String endpoint, Case.Work work) throws Exception {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        String trace = String.format("%016x%016x", random.nextLong(), random.nextLong() | 1);
        try (Scope scope = Candor.scope(endpoint, trace, "0000000000000001")) {
            work.run();
        }
    }

    /** Each order has items; for each item one question. */
    static void questionPerItem(boolean planted) throws IOException {
        int port = Case.server(5);
        Case.repeat(CLIENTS, "order", () -> {
            try (Socket socket = connected(port)) {
                while (true) {
                    inTrace("GET /order", () -> {
                        for (int i = 0; i < (planted ? ITEMS : 1); i++) {
                            socket.getOutputStream().write(1);
                            Case.sink += socket.getInputStream().read(); // here: questionPerItem
                        }
                    });
                    Case.think(150);
                }
            }
        });
    }

    /** Workers without a pause between two requests; the twin serves as many rows, but in as many requests. */
    static void questionPerRow(boolean planted) throws IOException {
        int port = Case.server(10);
        Case.repeat(CLIENTS, "rows", () -> {
            try (Socket socket = connected(port)) {
                while (true) {
                    inTrace("GET /rows", () -> {
                        for (int i = 0; i < (planted ? ITEMS : 1); i++) {
                            Case.sink += ask(socket);
                        }
                    });
                }
            }
        });
    }

    /** Threads of a pool that ask once for each task; there are seconds with a queue of tasks, and seconds with hardly any. */
    static void oneQuestionEach(boolean planted) throws IOException {
        int port = Case.server(5);
        ExecutorService pool = Executors.newFixedThreadPool(CLIENTS);
        ThreadLocal<Socket> sockets = ThreadLocal.withInitial(() -> connected(port));
        Case.repeat(1, "clients", () -> {
            boolean many = System.nanoTime() / 1_000_000_000L % 2 == 0;
            pool.execute(() -> {
                try {
                    inTrace("GET /one", () -> Case.sink += ask(sockets.get()) + Case.compute(50));
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            Case.think(many ? 1 : 20);
        });
    }

    public static void main(String[] args) throws Exception {
        Case.main(Traced.class, args);
    }
}
