import java.io.File;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that wait, each kind in its own method, and threads that run, for profilers that see both. The threads of a kind wait in the
 * method with its name: parked, slept, waited (Object.wait), blocked (at a monitor). When all of them do, the program prints "waiting",
 * and there they stay until the file exists.
 *
 * go wait until=FILE [parked=N] [slept=N] [waited=N] [blocked=N] -> waiting, done: threads parked-0000, parked-0001, slept-0000, ...
 * go deep until=FILE depth=N -> waiting, done: the thread deep-0000, parked below N calls of itself
 * go run seconds=S -> done heavy_ns light_ns: a thread that works in two methods, both polled often; by the wall clock
 * go trap seconds=S -> done hot_ns cold_ns: a thread that spends nearly all its time in a counted loop; by the wall clock
 */
public final class Waiters {
    private static final Object MONITOR = new Object();
    private static volatile boolean over;
    static volatile long sink;

    static void parked() {
        while (!over) {
            LockSupport.park();
        }
    }

    static void slept() {
        try {
            Thread.sleep(1_000_000);
        } catch (InterruptedException e) {
            // the end of the round
        }
    }

    static void waited(Object own) {
        synchronized (own) {
            try {
                while (!over) {
                    own.wait();
                }
            } catch (InterruptedException e) {
                // the end of the round
            }
        }
    }

    static void blocked() {
        synchronized (MONITOR) {
            sink++;
        }
    }

    static void deep(int depth) {
        if (depth > 0) {
            deep(depth - 1);
        } else {
            parked();
        }
    }

    private interface Work {
        void run() throws Exception;
    }

    private static Thread[] start(String kind, int count, Work work) {
        Thread[] threads = new Thread[count];
        for (int i = 0; i < count; i++) {
            threads[i] = new Thread(null, () -> {
                try {
                    work.run();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }, kind + "-" + String.format("%04d", i), 16 << 20);
            threads[i].start();
        }
        return threads;
    }

    private static void end(Thread[]... groups) throws InterruptedException {
        over = true;
        for (Thread[] group : groups) {
            for (Thread thread : group) {
                thread.interrupt();
                thread.join();
            }
        }
    }

    /** A thread that was just interrupted, or was not started yet, does not wait. */
    private static boolean waits(Thread thread, String method) {
        Thread.State state = thread.getState();
        boolean inside = false;
        for (StackTraceElement frame : thread.getStackTrace()) {
            inside |= frame.getClassName().equals("Waiters") && frame.getMethodName().equals(method);
        }
        return inside && state == (method.equals("blocked") ? Thread.State.BLOCKED
            : method.equals("slept") ? Thread.State.TIMED_WAITING : Thread.State.WAITING);
    }

    private static void hold(Rounds.Options options, Thread[]... groups) throws InterruptedException {
        for (Thread[] group : groups) {
            for (Thread thread : group) {
                String kind = thread.getName().substring(0, thread.getName().indexOf('-'));
                while (!waits(thread, kind.equals("deep") ? "parked" : kind)) {
                    Thread.sleep(1);
                }
            }
        }
        System.out.println("waiting");
        while (!new File(options.text("until", "")).exists()) {
            Thread.sleep(5);
        }
    }

    private static String waiting(Rounds.Options options) throws Exception {
        Thread[] parked = start("parked", (int) options.number("parked", 0), Waiters::parked);
        Thread[] slept = start("slept", (int) options.number("slept", 0), Waiters::slept);
        Thread[] waited = start("waited", (int) options.number("waited", 0), () -> waited(new Object()));
        Thread[] blocked;
        synchronized (MONITOR) {
            blocked = start("blocked", (int) options.number("blocked", 0), Waiters::blocked);
            hold(options, parked, slept, waited, blocked);
        }
        end(parked, slept, waited, blocked);
        return "";
    }

    private static String deep(Rounds.Options options) throws Exception {
        int depth = (int) options.number("depth", 100);
        Thread[] one = start("deep", 1, () -> deep(depth));
        hold(options, one);
        end(one);
        return "";
    }

    private static long heavy(long x) {
        for (long i = 0; i < 20_000; i++) { // a long counter: each iteration of the loop has a poll, or groups of iterations have one
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    private static long light(long x) {
        for (long i = 0; i < 20_000; i++) {
            x ^= x << 11;
            x ^= x >>> 5;
            x ^= x << 19;
        }
        return x;
    }

    /** Wall-clock time is the truth here: time in which the thread waits for a processor counts as running. */
    private static String running(Rounds.Options options) throws Exception {
        long[] ns = new long[2];
        Thread[] one = start("running", 1, () -> {
            java.util.SplittableRandom random = new java.util.SplittableRandom(1);
            long x = 1, last = System.nanoTime(), stop = last + (long) (options.number("seconds", 1) * 1e9);
            while (last < stop) {
                boolean first = random.nextInt(10) < 7;
                x = first ? heavy(x) : light(x);
                long now = System.nanoTime();
                ns[first ? 0 : 1] += now - last;
                last = now;
            }
            sink = x;
        });
        one[0].join();
        return "heavy_ns=" + ns[0] + " light_ns=" + ns[1];
    }

    /** If the compiler leaves counted loops alone, there is no poll inside: an int counts to a limit that does not change. */
    private static long hot(long x) {
        for (int i = 0; i < 2_000_000; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    private static long cold(long x) {
        long y = x;
        for (long i = 0; i < 100; i++) {
            y ^= y << 11;
            y ^= y >>> 5;
        }
        return y;
    }

    private static String trap(Rounds.Options options) throws Exception {
        long[] ns = new long[2];
        Thread[] one = start("trap", 1, () -> {
            long x = 1, last = System.nanoTime(), stop = last + (long) (options.number("seconds", 1) * 1e9);
            while (last < stop) {
                x = hot(x);
                long between = System.nanoTime();
                x = cold(x);
                long now = System.nanoTime();
                ns[0] += between - last;
                ns[1] += now - between;
                last = now;
            }
            sink = x;
        });
        one[0].join();
        return "hot_ns=" + ns[0] + " cold_ns=" + ns[1];
    }

    public static void main(String[] args) throws Exception {
        Rounds.serve(options -> {
            over = false;
            switch (options.word()) {
                case "deep":
                    return deep(options);
                case "run":
                    return running(options);
                case "trap":
                    return trap(options);
                default:
                    return waiting(options);
            }
        });
    }

    private Waiters() {
    }
}
