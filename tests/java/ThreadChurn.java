import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Threads that live for a millisecond of CPU time, started as fast as the JVM can, with a limited number alive at once. Each does the
 * same work, whatever other time it uses; its own clock measures the CPU time of burn().
 *
 * go (seconds=WALL_SECONDS | count=THREADS) [alive=200] [micros=1000] -> done started finished burn_ns
 */
public final class ThreadChurn {
    static volatile long sink;

    private static final AtomicLong FINISHED = new AtomicLong();
    private static final AtomicLong BURNT = new AtomicLong();

    static long burn(long steps) {
        long begin = Rounds.cpu();
        long x = begin;
        for (long i = 0; i < steps; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
        }
        sink = x;
        return Rounds.cpu() - begin;
    }

    /** How many steps of burn() take this long, once it is compiled, on an idle machine. */
    private static long stepsIn(long nanos) {
        final long steps = 1_000_000;
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 20; i++) {
            least = Math.min(least, burn(steps));
        }
        return steps * nanos / least;
    }

    static String round(Rounds.Options options) throws Exception {
        long end = System.nanoTime() + (long) (options.number("seconds", 3600) * 1e9);
        long most = (long) options.number("count", Long.MAX_VALUE);
        int alive = (int) options.number("alive", 200);
        long steps = stepsIn((long) (options.number("micros", 1000) * 1000));
        Semaphore places = new Semaphore(alive);
        long started = 0;
        FINISHED.set(0);
        BURNT.set(0);
        while (started < most && System.nanoTime() < end) {
            places.acquire();
            Thread thread = new Thread(() -> {
                try {
                    BURNT.addAndGet(burn(steps));
                    FINISHED.incrementAndGet();
                } finally {
                    places.release();
                }
            }, "churn");
            thread.start();
            started++;
        }
        places.acquire(alive);
        return "started=" + started + " finished=" + FINISHED.get() + " burn_ns=" + BURNT.get();
    }

    public static void main(String[] args) throws Exception {
        Rounds.serve(ThreadChurn::round);
    }
}
