import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Threads that live for a millisecond of CPU, started as fast as the JVM can, a bounded number alive at once. burn() is
 * accounted by each thread's own CPU clock.
 *
 * go (seconds=WALL_SECONDS | threads=N) [alive=200] [micros=1000] -> done started finished burn_ns
 */
public final class ThreadChurn {
    static volatile long sink;

    private static final AtomicLong FINISHED = new AtomicLong();
    private static final AtomicLong BURNT = new AtomicLong();

    static long burn(long nanos) {
        long begin = Rounds.cpu();
        long now = begin;
        long x = begin;
        while (now - begin < nanos) {
            for (int i = 0; i < 20_000; i++) {
                x = x * 6364136223846793005L + 1442695040888963407L;
            }
            now = Rounds.cpu();
        }
        sink = x;
        return now - begin;
    }

    public static void main(String[] args) throws Exception {
        Rounds.serve(options -> {
            long end = System.nanoTime() + (long) (options.number("seconds", 3600) * 1e9);
            long most = (long) options.number("threads", Long.MAX_VALUE);
            int alive = (int) options.number("alive", 200);
            long nanos = (long) (options.number("micros", 1000) * 1000);
            Semaphore places = new Semaphore(alive);
            long started = 0;
            FINISHED.set(0);
            BURNT.set(0);
            while (started < most && System.nanoTime() < end) {
                places.acquire();
                Thread thread = new Thread(() -> {
                    BURNT.addAndGet(burn(nanos));
                    FINISHED.incrementAndGet();
                    places.release();
                }, "churn");
                thread.start();
                started++;
            }
            places.acquire(alive);
            return "started=" + started + " finished=" + FINISHED.get() + " burn_ns=" + BURNT.get();
        });
    }
}
