import candor.context.Candor;
import candor.context.Key;
import candor.context.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Waits for locks, and objects, whose methods show to which context they belong. In each round one thread holds a lock within a scope "POST
 * /hold" until another one waits for it within a scope "GET /wait", in waitForMonitor or waitForLock. The ids of both are made from the
 * round's number, the holder's with one more bit. In every fourth round the waiter has no scope, and waits in nobodyWaits.
 *
 * Commands, one a line: rounds N | virtual N | stuck | keep N | busy | end
 */
public class ContextWaits {
    private static final Key TIER = Candor.key("tier");
    private static final long HOLDER = 1L << 40;
    private static final Object MONITOR = new Object();
    private static final ReentrantLock LOCK = new ReentrantLock();
    private static final List<byte[]> KEPT = new ArrayList<>();
    private static volatile boolean done;
    static volatile Object sink;
    static volatile long number = 1;

    private static void waitForMonitor() {
        synchronized (MONITOR) {
            number++;
        }
    }

    private static void waitForLock() {
        LOCK.lock();
        LOCK.unlock();
    }

    private static void nobodyWaits(boolean monitor) {
        if (monitor) {
            waitForMonitor();
        } else {
            waitForLock();
        }
    }

    private static Scope open(String endpoint, long id) {
        return Candor.scope(endpoint, id, id, id);
    }

    private static void wait(int round, boolean monitor) {
        if (round % 4 == 3) {
            nobodyWaits(monitor);
            return;
        }
        try (Scope scope = open("GET /wait", round + 1)) {
            scope.label(TIER, monitor ? "gold" : "silver");
            if (monitor) {
                waitForMonitor();
            } else {
                waitForLock();
            }
        }
    }

    private static void holdUntilWaiting(Thread waiter) throws InterruptedException {
        Thread.State wanted = Thread.holdsLock(MONITOR) ? Thread.State.BLOCKED : Thread.State.WAITING;
        while (waiter.getState() != wanted) {
            Thread.sleep(1);
        }
        Thread.sleep(60);
    }

    private static void hold(Thread waiter, boolean monitor, Semaphore held) throws InterruptedException {
        if (monitor) {
            synchronized (MONITOR) {
                held.release();
                holdUntilWaiting(waiter);
            }
            return;
        }
        LOCK.lock();
        try {
            held.release();
            holdUntilWaiting(waiter);
        } finally {
            LOCK.unlock();
        }
    }

    /** The scope of the holder is open until the waiter has the lock: however late the waiter comes, it finds the holder in its scope. */
    private static void rounds(int rounds, boolean virtual) throws Exception {
        Semaphore held = new Semaphore(0), over = new Semaphore(0);
        Runnable waits = () -> {
            for (int r = 0; r < rounds; r++) {
                held.acquireUninterruptibly();
                wait(r, r % 2 == 0);
                over.release();
            }
        };
        CountDownLatch begun = new CountDownLatch(1);
        Thread[] itself = new Thread[1];
        Runnable body = () -> {
            itself[0] = Thread.currentThread();
            begun.countDown();
            waits.run();
        };
        if (virtual) {
            Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
        } else {
            new Thread(body, "waiter").start();
        }
        begun.await();
        Thread waiter = itself[0];
        Thread holder = new Thread(() -> {
            try {
                for (int r = 0; r < rounds; r++) {
                    try (Scope scope = open("POST /hold", r + 1 | HOLDER)) {
                        hold(waiter, r % 2 == 0, held);
                        while (!over.tryAcquire()) {
                            Thread.sleep(1);
                        }
                    }
                }
            } catch (InterruptedException never) {
                throw new IllegalStateException(never);
            }
        }, "holder");
        holder.start();
        waiter.join();
        holder.join();
        System.out.println("rounds " + rounds);
    }

    /** A wait that does not end while the recording goes on. */
    private static void stuck() throws Exception {
        Thread stuck = new Thread(() -> {
            try (Scope scope = open("GET /stuck", 77)) {
                waitForMonitor();
            }
        }, "stuck");
        stuck.setDaemon(true);
        try (Scope scope = open("POST /forever", 77 | HOLDER)) {
            synchronized (MONITOR) {
                stuck.start();
                while (stuck.getState() != Thread.State.BLOCKED) {
                    Thread.sleep(1);
                }
                System.out.println("stuck");
                System.in.read();
            }
        }
        stuck.join();
        System.out.println("free");
    }

    private static byte[] keep() {
        return new byte[1000];
    }

    private static byte[] drop() {
        return new byte[1000];
    }

    private static byte[] nobodyKeeps() {
        return new byte[1000];
    }

    /** Objects that stay alive, of a scope and of none, and others that do not. */
    private static void keepObjects(int count) {
        for (int i = 0; i < count; i++) {
            try (Scope scope = open("GET /keep", i + 1)) {
                KEPT.add(keep());
            }
            try (Scope scope = open("GET /drop", i + 1)) {
                sink = drop();
            }
            KEPT.add(nobodyKeeps());
        }
        sink = null;
        System.gc();
        System.gc();
        System.out.println("kept " + KEPT.size());
    }

    private static void spin() {
        long x = number | 1;
        for (long i = 0; i < 30_000_000 && !done; i++) { /* a loop over an int has no place for safepoints */
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        number = x;
    }

    private static void slow() throws InterruptedException {
        Thread.sleep(20);
    }

    private static void start(String name, CountDownLatch ended, boolean spins, String endpoint) {
        Thread thread = new Thread(() -> {
            try {
                for (long id = 1; !done; id++) {
                    if (endpoint == null) {
                        slow();
                        continue;
                    }
                    try (Scope scope = open(endpoint, id)) {
                        if (spins) {
                            spin();
                        } else {
                            slow();
                        }
                    }
                }
            } catch (InterruptedException never) {
                throw new IllegalStateException(never);
            }
            ended.countDown();
        }, name);
        thread.start();
    }

    /** Threads that are busy or sleep until another line comes. */
    private static void busy() throws Exception {
        CountDownLatch ended = new CountDownLatch(3);
        done = false;
        start("spins", ended, true, "POST /spin");
        start("sleeps", ended, false, "GET /slow");
        start("nobody", ended, false, null);
        System.out.println("busy");
        System.in.read();
        done = true;
        ended.await();
        System.out.println("idle");
    }

    /** Reads a line byte by byte, because System.in is also read elsewhere. */
    private static String line() throws Exception {
        StringBuilder line = new StringBuilder();
        for (int c = System.in.read(); c >= 0 && c != '\n'; c = System.in.read()) {
            line.append((char) c);
        }
        return line.toString();
    }

    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        for (String line = line(); !line.equals("end") && !line.isEmpty(); line = line()) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "rounds": rounds(Integer.parseInt(words[1]), false); break;
                case "virtual": rounds(Integer.parseInt(words[1]), true); break;
                case "stuck": stuck(); break;
                case "keep": keepObjects(Integer.parseInt(words[1])); break;
                default: busy();
            }
        }
    }
}
