import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Virtual threads: pinned to their carriers, and problems of all threads in them.
 *
 * release: 21
 */
public final class Virtual {
    private static final int CLIENTS = 30;

    private Virtual() {
    }

    private static void repeat(int threads, Case.Work work) {
        for (int i = 0; i < threads; i++) {
            Thread.ofVirtual().name("virtual-" + i).start(() -> {
                try {
                    while (true) {
                        work.run();
                    }
                } catch (Exception e) {
                    e.printStackTrace();
                    Runtime.getRuntime().halt(5);
                }
            });
        }
    }

    private static void inMonitor(Object own) {
        synchronized (own) {
            Case.sleep(50); // here: pinned
        }
    }

    static void pinned(boolean planted) {
        repeat(CLIENTS, () -> {
            if (planted) {
                inMonitor(new Object());
            } else {
                Case.sleep(50);
            }
        });
    }

    /** Virtual threads that compute keep the others from their carriers. */
    static void carriers(boolean planted) {
        repeat(CLIENTS, () -> {
            Case.compute(planted ? 20_000 : 20); // here: carriers
            Case.sleep(planted ? 1 : 20);
        });
    }

    static void permits(boolean planted) {
        Semaphore permits = new Semaphore(planted ? 2 : CLIENTS);
        repeat(CLIENTS, () -> {
            permits.acquire(); // here: permits
            Case.sleep(10 + ThreadLocalRandom.current().nextInt(20));
            permits.release();
        });
    }

    static void asleepInLock(boolean planted) {
        ReentrantLock lock = new ReentrantLock();
        repeat(CLIENTS, () -> {
            lock.lock();
            try {
                if (planted) {
                    Case.sleep(10); // here: asleepInLock
                }
            } finally {
                lock.unlock();
            }
            Case.sleep(20);
        });
    }

    private static void sleepInMonitor(Object shared, boolean planted) {
        synchronized (shared) {
            if (planted) {
                Case.sleep(10); // here: asleepInMonitor
            }
        }
        Case.sleep(20);
    }

    /** A virtual thread that has a monitor keeps its carrier while it sleeps, until JDK 23. Later ones do not. */
    static void asleepInMonitor(boolean planted) {
        Object shared = new Object();
        repeat(CLIENTS, () -> sleepInMonitor(shared, planted));
    }

    static void server(boolean planted) {
        ExecutorService each = Executors.newVirtualThreadPerTaskExecutor();
        Case.repeat(2, "accept", () -> {
            each.submit(() -> {
                Case.compute(50);
                Case.sleep(20);
                Case.compute(50);
            });
            Case.think(2);
        });
    }

    public static void main(String[] args) throws Exception {
        Case.main(Virtual.class, args);
    }
}
