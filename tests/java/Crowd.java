import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.ServerSocket;

/**
 * Threads with a known elapsed time, for profilers of the wall clock.
 *
 * go busy threads=N seconds=S [cpu=S] -> done outer_ns inner: N threads busy-0000, busy-0001, ... that can use a processor all the time,
 *     until each has used so much CPU time, however few processors there are. outer_ns: from before the first was started
 *     until after the last had ended; inner: the elapsed time that each thread measured, separated by commas
 * go mixed seconds=S -> done nap_ns spin_ns: the thread mixed-0000 sleeps in one method and works in another; by the wall clock
 * go accept seconds=S -> done: the thread accept-0000 waits for a connection that nobody makes
 */
public final class Crowd {
    private static final ThreadMXBean CLOCKS = ManagementFactory.getThreadMXBean();
    static volatile long sink;

    private interface Work {
        void run(int index) throws Exception;
    }

    private static Thread[] start(String kind, int count, Work work) {
        Thread[] threads = new Thread[count];
        for (int i = 0; i < count; i++) {
            int index = i;
            threads[i] = new Thread(() -> {
                try {
                    work.run(index);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }, kind + "-" + String.format("%04d", i));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        return threads;
    }

    private static void join(Thread[] threads) throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static void spin(long until) {
        long x = System.nanoTime();
        while (System.nanoTime() < until) {
            for (long i = 0; i < 2_000; i++) {
                x ^= x << 13;
                x ^= x >>> 7;
                x ^= x << 17;
            }
        }
        sink = x;
    }

    private static void nap(long millis) throws InterruptedException {
        Thread.sleep(millis);
    }

    private static String busy(Rounds.Options options) throws Exception {
        int count = (int) options.number("threads", 1);
        long[] inner = new long[count];
        long before = System.nanoTime();
        Thread[] threads = start("busy", count, index -> {
            long began = System.nanoTime();
            spin(began + (long) (options.number("seconds", 1) * 1e9));
            while (CLOCKS.getCurrentThreadCpuTime() < options.number("cpu", 0) * 1e9) {
                spin(System.nanoTime() + 1_000_000);
            }
            inner[index] = System.nanoTime() - began;
        });
        join(threads);
        StringBuilder answer = new StringBuilder("outer_ns=" + (System.nanoTime() - before) + " inner=");
        for (int i = 0; i < count; i++) {
            answer.append(i > 0 ? "," : "").append(inner[i]);
        }
        return answer.toString();
    }

    private static String mixed(Rounds.Options options) throws Exception {
        long[] ns = new long[2];
        join(start("mixed", 1, index -> {
            java.util.SplittableRandom random = new java.util.SplittableRandom(1);
            long last = System.nanoTime();
            long stop = last + (long) (options.number("seconds", 1) * 1e9);
            while (last < stop) {
                nap(1 + random.nextInt(13));
                long between = System.nanoTime();
                spin(between + 1_000_000L * (1 + random.nextInt(5)));
                long now = System.nanoTime();
                ns[0] += between - last;
                ns[1] += now - between;
                last = now;
            }
        }));
        return "nap_ns=" + ns[0] + " spin_ns=" + ns[1];
    }

    private static String accept(Rounds.Options options) throws Exception {
        try (ServerSocket server = new ServerSocket(0)) {
            Thread[] threads = start("accept", 1, index -> {
                try {
                    server.accept();
                } catch (java.net.SocketException e) {
                    // closed: the end of the round
                }
            });
            Thread.sleep((long) (options.number("seconds", 1) * 1e3));
            server.close();
            join(threads);
        }
        return "";
    }

    public static void main(String[] args) throws Exception {
        Rounds.serve(options -> {
            switch (options.word()) {
                case "mixed":
                    return mixed(options);
                case "accept":
                    return accept(options);
                default:
                    return busy(options);
            }
        });
    }

    private Crowd() {
    }
}
