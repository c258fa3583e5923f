import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Runs one case of a program of the corpus: java PROGRAM NAME planted|fixed. The method of that name gets whether the problem is planted,
 * and works until the process is ended. A line with the comment "here: NAME" is where that problem is in the program's own code.
 */
final class Case {
    /** A case ends by itself after this time, in case that nothing ends it. */
    private static final long AT_MOST_MS = 180_000;

    static volatile long sink;
    static volatile Object kept;

    interface Work {
        void run() throws Exception;
    }

    private Case() {
    }

    static void main(Class<?> program, String[] args) throws Exception {
        Thread last = new Thread(() -> {
            sleep(AT_MOST_MS);
            Runtime.getRuntime().halt(3);
        }, "last");
        last.setDaemon(true);
        last.start();
        try {
            program.getDeclaredMethod(args[0], boolean.class).invoke(null, args[1].equals("planted"));
        } catch (InvocationTargetException e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(4);
        }
        System.out.println("ready");
        sleep(AT_MOST_MS);
    }

    /** Starts a server that waits for some milliseconds before each answer, a byte for a byte. Returns its port. */
    static int server(int ms) throws IOException {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        repeat(1, "accept", () -> {
            Socket client = server.accept();
            repeat(1, "server", () -> {
                int asked = client.getInputStream().read();
                sleep(asked < 0 ? AT_MOST_MS : ms);
                client.getOutputStream().write(asked);
            });
        });
        return server.getLocalPort();
    }

    static void sleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Starts threads that repeat a piece of work until the process is ended. */
    static void repeat(int threads, String name, Work work) {
        for (int i = 0; i < threads; i++) {
            new Thread(() -> {
                try {
                    while (true) {
                        work.run();
                    }
                } catch (Exception | Error e) { // a thread that has ended would look like a program without the problem
                    e.printStackTrace();
                    Runtime.getRuntime().halt(5);
                }
            }, name + "-" + i).start();
        }
    }

    /** Computes for about that time on an idle machine: a fixed amount of work. */
    static long compute(int microseconds) {
        long x = microseconds;
        for (int i = 0; i < microseconds * 300; i++) {
            x = x * 6_364_136_223_846_793_005L + 1_442_695_040_888_963_407L; // here: saturation, preempted, carriers
        }
        sink = x;
        return x;
    }

    /** A pause of random length, as between requests of users. */
    static void think(int ms) {
        sleep(1 + ThreadLocalRandom.current().nextInt(2 * ms));
    }
}
