import java.util.ArrayList;
import java.util.List;

/**
 * Produces samples of every kind: four threads that compute, allocate, keep a part of the objects, and wait for one lock. `Kinds
 * SECONDS`.
 */
public final class Kinds {
    private static final Object TILL = new Object();
    private static final List<byte[]> KEPT = new ArrayList<>();
    private static volatile int sink;

    private Kinds() {
    }

    private static int price(int count) {
        int sum = 0;
        for (int i = 0; i < count; i++) {
            sum = sum * 31 + Integer.toString(i).hashCode();
        }
        return sum;
    }

    private static void pay(int round) throws InterruptedException {
        synchronized (TILL) {
            sink += price(500);
            if (KEPT.size() < 60) {
                KEPT.add(new byte[900_000]); // so large that some are sampled with any interval
            }
            if (round % 50 == 0) {
                Thread.sleep(2);
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        long end = System.nanoTime() + (long) (Double.parseDouble(args[0]) * 1e9);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            threads.add(new Thread(() -> work(end), "till-" + i));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        System.gc();
    }

    private static void work(long end) {
        try {
            for (int round = 0; System.nanoTime() < end; round++) {
                pay(round);
                sink += price(500);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
