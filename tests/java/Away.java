import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Virtual threads that wait without a carrier, in known numbers and for a known time.
 *
 * go away parked=N sleeping=N waiting=N short=N seconds=S: N threads of each group, named after it, wait S seconds: they park, sleep, wait
 * in Object.wait (which keeps a carrier up to JDK 23), or sleep again and again for two milliseconds. done parked=NS sleeping=NS
 * waiting=NS short=NS: the time that the threads of each group spent in these calls. JDK 21 and later.
 */
final class Away {
    private static final String[] GROUPS = {"parked", "sleeping", "waiting", "short"};

    private static volatile boolean isOver;
    private static final Object BLOCKER = new Object();

    private interface Wait {
        void run() throws InterruptedException;
    }

    static void parked() {
        while (!isOver) {
            LockSupport.park(BLOCKER);
        }
    }

    static void sleeping(long ms) throws InterruptedException {
        Thread.sleep(ms);
    }

    static void waiting() throws InterruptedException {
        synchronized (BLOCKER) {
            while (!isOver) {
                BLOCKER.wait();
            }
        }
    }

    private static void timed(Wait wait, AtomicLong sum, AtomicInteger begun) {
        long before = System.nanoTime();
        begun.incrementAndGet();
        try {
            wait.run();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        sum.addAndGet(System.nanoTime() - before);
    }

    private static void live(String group, long ms, AtomicLong sum, AtomicInteger begun) {
        switch (group) {
            case "parked":
                timed(Away::parked, sum, begun);
                break;
            case "sleeping":
                timed(() -> sleeping(ms), sum, begun);
                break;
            case "waiting":
                timed(Away::waiting, sum, begun);
                break;
            default:
                while (!isOver) {
                    timed(() -> sleeping(2), sum, begun);
                }
        }
    }

    static String run(Rounds.Options options) throws Exception {
        long ms = (long) (options.number("seconds", 2) * 1000);
        List<Thread> threads = new ArrayList<>();
        StringBuilder answer = new StringBuilder();
        AtomicLong[] sums = new AtomicLong[GROUPS.length];
        AtomicInteger begun = new AtomicInteger();
        isOver = false;
        for (int g = 0; g < GROUPS.length; g++) {
            AtomicLong sum = sums[g] = new AtomicLong();
            String group = GROUPS[g];
            for (int i = 0; i < (int) options.number(group, 0); i++) {
                threads.add(VirtualThreads.virtual(group + "-" + i, () -> live(group, ms, sum, begun)));
            }
        }
        for (Thread thread : threads) {
            thread.start();
        }
        while (begun.get() < threads.size()) {
            Thread.sleep(1);
        }
        Thread.sleep(ms);
        isOver = true;
        synchronized (BLOCKER) {
            BLOCKER.notifyAll();
        }
        for (Thread thread : threads) {
            LockSupport.unpark(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        for (int g = 0; g < GROUPS.length; g++) {
            answer.append(g > 0 ? " " : "").append(GROUPS[g]).append("=").append(sums[g]);
        }
        return answer.toString();
    }

    public static void main(String[] arguments) throws Exception {
        Rounds.serve(Away::run);
    }

    private Away() {
    }
}
