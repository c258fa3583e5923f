import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads that wait for locks, and measure how long.
 *
 * go convoy threads=N hold=MS seconds=S idle=M virtual=0|1 monitors=0|1: N threads want one monitor, and N others one ReentrantLock; the
 * thread that holds it sleeps. M more threads have nothing to do, and park repeatedly for a moment. virtual: all of them are virtual
 * threads (JDK 21 and later), for which the JVM measures nothing. monitors=0: nobody wants the monitor. done monitor=NS park=NS
 * blocked=NS parked=NS waits=COUNT: the waiting time, all of each sort together; the JVM's times for both sorts, which leave out the
 * time before it blocks or parks a thread; and how often the threads got their lock.
 * go holders locks=N hold=MS seconds=S fresh=0|1: each lock has a thread holder-I that keeps it, and a thread waiter-I that wants it;
 * fresh: a new object each time. done waits=COUNT.
 * go stuck threads=N: N virtual threads want a ReentrantLock that they never get. done as soon as they wait.
 * go deadlock kind=monitor|mixed: three threads dead-0, dead-1, dead-2 that wait for each other and never end; with mixed one of their
 * locks is a ReentrantLock. done as soon as they wait.
 * go chain: the same threads: chain-0 waits for chain-1, which waits for chain-2, which sleeps. done as soon as they do.
 */
public final class Locks {
    /** The classes of the locks, by which a report names them. */
    static final class Shared {
    }

    static final class Kept {
        volatile boolean isKept;
    }

    static final class Circle {
    }

    private static final class Convoy {
        final AtomicLong waited = new AtomicLong();
        final AtomicLong waits = new AtomicLong();
        final AtomicLong slept = new AtomicLong(); // with the ReentrantLock
        final AtomicLong byJvm = new AtomicLong();
        final long end;
        final long hold;

        Convoy(double seconds, long hold) {
            this.end = System.nanoTime() + (long) (seconds * 1e9);
            this.hold = hold;
        }

        boolean goesOn() {
            return System.nanoTime() < end;
        }

        void add(long ns) {
            waited.addAndGet(ns);
            waits.incrementAndGet();
        }
    }

    static void sleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void wantMonitor(Shared lock, Convoy convoy) {
        long before = System.nanoTime();
        synchronized (lock) {
            convoy.add(System.nanoTime() - before);
            sleep(convoy.hold);
        }
    }

    static void wantLock(ReentrantLock lock, Convoy convoy) {
        long before = System.nanoTime();
        lock.lock();
        try {
            long after = System.nanoTime();
            convoy.add(after - before);
            sleep(convoy.hold);
            convoy.slept.addAndGet(System.nanoTime() - after);
        } finally {
            lock.unlock();
        }
    }

    private static void idle(Convoy convoy) {
        while (convoy.goesOn()) {
            LockSupport.parkNanos(convoy, 2_000_000);
        }
    }

    private static Thread thread(boolean isVirtual, String name, Runnable task) throws Exception {
        return isVirtual ? VirtualThreads.virtual(name, task) : new Thread(task, name);
    }

    private static String convoy(Rounds.Options options) throws Exception {
        int count = (int) options.number("threads", 64);
        Convoy monitors = new Convoy(options.number("seconds", 3), (long) options.number("hold", 1));
        Convoy parks = new Convoy(options.number("seconds", 3), (long) options.number("hold", 1));
        Shared monitor = new Shared();
        ThreadMXBean jvm = ManagementFactory.getThreadMXBean();
        jvm.setThreadContentionMonitoringEnabled(true);
        ReentrantLock lock = new ReentrantLock();
        boolean isVirtual = options.number("virtual", 0) > 0;
        Thread[] threads = new Thread[2 * count + (int) options.number("idle", 0)];
        for (int i = 2 * count; i < threads.length; i++) {
            threads[i] = thread(isVirtual, "idle-" + (i - 2 * count), () -> idle(parks));
        }
        boolean hasMonitors = options.number("monitors", 1) > 0;
        for (int i = 0; i < count; i++) {
            threads[i] = thread(isVirtual, "monitor-" + i, () -> {
                while (hasMonitors && monitors.goesOn()) {
                    wantMonitor(monitor, monitors);
                }
                if (!isVirtual) {
                    monitors.byJvm.addAndGet(jvm.getThreadInfo(Thread.currentThread().getId()).getBlockedTime() * 1_000_000);
                }
            });
            threads[count + i] = thread(isVirtual, "park-" + i, () -> {
                while (parks.goesOn()) {
                    wantLock(lock, parks);
                }
                if (!isVirtual) {
                    parks.byJvm.addAndGet(jvm.getThreadInfo(Thread.currentThread().getId()).getWaitedTime() * 1_000_000);
                }
            });
        }
        Rounds.together(threads);
        jvm.setThreadContentionMonitoringEnabled(false);
        return "monitor=" + monitors.waited + " park=" + parks.waited + " blocked=" + monitors.byJvm + " parked="
            + (parks.byJvm.get() - parks.slept.get()) + " waits=" + (monitors.waits.get() + parks.waits.get());
    }

    static void keep(Kept lock, long hold) {
        synchronized (lock) {
            lock.isKept = true;
            sleep(hold);
            lock.isKept = false;
        }
    }

    static void want(Kept lock) {
        synchronized (lock) {
            if (lock.isKept) {
                throw new IllegalStateException("two threads have one monitor");
            }
        }
    }

    /** The waiter begins to want the lock when it is held, and the holder releases it only after that. */
    private static final class Pair {
        volatile Kept lock = new Kept();
        final AtomicLong waits = new AtomicLong();

        void hold(Convoy convoy, boolean isFresh) {
            while (convoy.goesOn()) {
                if (isFresh) {
                    lock = new Kept();
                }
                keep(lock, convoy.hold);
                sleep(1);
            }
        }

        void want(Convoy convoy) {
            while (convoy.goesOn()) {
                Kept wanted = lock;
                if (wanted.isKept) {
                    Locks.want(wanted);
                    waits.incrementAndGet();
                } else {
                    Thread.yield();
                }
            }
        }
    }

    private static String holders(Rounds.Options options) throws InterruptedException {
        int count = (int) options.number("locks", 4);
        boolean isFresh = options.number("fresh", 0) > 0;
        Convoy convoy = new Convoy(options.number("seconds", 2), (long) options.number("hold", 5));
        Pair[] pairs = new Pair[count];
        Thread[] threads = new Thread[2 * count];
        for (int i = 0; i < count; i++) {
            Pair pair = pairs[i] = new Pair();
            threads[i] = new Thread(() -> pair.hold(convoy, isFresh), "holder-" + i);
            threads[count + i] = new Thread(() -> pair.want(convoy), "waiter-" + i);
        }
        Rounds.together(threads);
        long waits = 0;
        for (Pair pair : pairs) {
            waits += pair.waits.get();
        }
        return "waits=" + waits;
    }

    private interface Step {
        void run();
    }

    /** A lock of java.util.concurrent, or a monitor. */
    private static void with(Object lock, Step step) {
        if (lock instanceof ReentrantLock) {
            ((ReentrantLock) lock).lock();
            try {
                step.run();
            } finally {
                ((ReentrantLock) lock).unlock();
            }
        } else {
            synchronized (lock) {
                step.run();
            }
        }
    }

    private static String stuck(Rounds.Options options) throws Exception {
        int count = (int) options.number("threads", 1000);
        ReentrantLock lock = new ReentrantLock();
        lock.lock();
        for (int i = 0; i < count; i++) {
            VirtualThreads.virtual("stuck-" + i, () -> with(lock, () -> { })).start();
        }
        while (lock.getQueueLength() < count) {
            sleep(1);
        }
        sleep(50);
        return "threads=" + count;
    }

    private static void awaitAll(Thread[] threads, Thread.State last) {
        for (int i = 0; i < threads.length; i++) {
            Thread.State state = threads[i].getState();
            while (state != Thread.State.BLOCKED && state != Thread.State.WAITING && state != last) {
                sleep(1);
                state = threads[i].getState();
            }
        }
        sleep(50);
    }

    private static String deadlock(Rounds.Options options) {
        boolean isMixed = options.text("kind", "monitor").equals("mixed");
        Object[] locks = {new Circle(), isMixed ? new ReentrantLock() : new Circle(), new Circle()};
        AtomicLong arrived = new AtomicLong();
        Thread[] threads = new Thread[locks.length];
        for (int i = 0; i < locks.length; i++) {
            Object mine = locks[i], next = locks[(i + 1) % locks.length];
            threads[i] = new Thread(() -> with(mine, () -> {
                arrived.incrementAndGet();
                while (arrived.get() < locks.length) {
                    Thread.yield();
                }
                with(next, () -> { });
            }), "dead-" + i);
            threads[i].setDaemon(true);
            threads[i].start();
        }
        awaitAll(threads, Thread.State.BLOCKED);
        return "threads=" + threads.length;
    }

    private static String chain() {
        Object[] locks = {new Circle(), new Circle(), new Circle()};
        AtomicLong arrived = new AtomicLong();
        Thread[] threads = new Thread[locks.length];
        for (int i = 0; i < locks.length; i++) {
            boolean isLast = i == locks.length - 1;
            Object mine = locks[i], next = isLast ? null : locks[i + 1];
            threads[i] = new Thread(() -> with(mine, () -> {
                arrived.incrementAndGet();
                while (arrived.get() < locks.length) {
                    Thread.yield();
                }
                if (isLast) {
                    sleep(1_000_000);
                } else {
                    with(next, () -> { });
                }
            }), "chain-" + i);
            threads[i].setDaemon(true);
            threads[i].start();
        }
        awaitAll(threads, Thread.State.TIMED_WAITING);
        return "threads=" + threads.length;
    }

    public static void main(String[] args) throws Exception {
        Rounds.serve(options -> {
            switch (options.word()) {
                case "convoy":
                    return convoy(options);
                case "holders":
                    return holders(options);
                case "stuck":
                    return stuck(options);
                case "deadlock":
                    return deadlock(options);
                default:
                    return chain();
            }
        });
    }

    private Locks() {
    }
}
