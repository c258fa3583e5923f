import java.util.concurrent.atomic.AtomicLong;

/**
 * Threads with the smallest stack that the JVM allows, each of which recurses until its stack overflows, repeatedly: so signals come at
 * every depth, also at the last bytes of a stack.
 *
 * go threads=N seconds=CPU_SECONDS_PER_THREAD -> done overflows
 */
public final class Overflow {
    static volatile long sink;

    private static final AtomicLong OVERFLOWS = new AtomicLong();

    static long dive(long x) {
        return dive(x * 6364136223846793005L + 1) + 1;
    }

    static void work(long budget) {
        for (long begin = Rounds.cpu(); Rounds.cpu() - begin < budget;) {
            try {
                sink = dive(begin);
            } catch (StackOverflowError e) {
                OVERFLOWS.incrementAndGet();
            }
        }
    }

    static String round(Rounds.Options options) throws Exception {
        Thread[] threads = new Thread[(int) options.number("threads", 2)];
        long budget = (long) (options.number("seconds", 1) * 1e9);
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(null, () -> work(budget), "overflow-" + i, 1);
        }
        Rounds.together(threads);
        return "overflows=" + OVERFLOWS.get();
    }

    public static void main(String[] args) throws Exception {
        Rounds.serve(Overflow::round);
    }
}
