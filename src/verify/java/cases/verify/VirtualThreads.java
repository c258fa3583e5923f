package verify;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Virtual threads that wait for each other and sleep between pieces of work in two methods. Samplers lose them if they walk into frames
 * that are in the heap, or if they look for the thread at its carrier.
 *
 * A virtual thread has no clock. It runs on a platform thread, its carrier, and leaves it only when it waits: the time of a piece of
 * work without a wait is the time by which the carrier's clock advances. Other time of the carriers, for switching between virtual
 * threads, belongs to the round as well.
 */
final class VirtualThreads implements Case {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int COUNT = 16;
    private static final long PIECE = 300_000;
    private static final Map<String, Long> CARRIERS = new ConcurrentHashMap<>();

    /** By name: the parts are the two groups "a" and "b", not the two methods. */
    private final boolean byName;

    VirtualThreads(boolean byName) {
        this.byName = byName;
    }

    @Override
    public String unavailable() {
        String version = System.getProperty("java.specification.version");
        return version.startsWith("1.") || Integer.parseInt(version) < 21 ? "virtual threads need JDK 21" : null;
    }

    static long first(long carrier, int steps) {
        long begin = THREADS.getThreadCpuTime(carrier);
        Work.sink = Work.spin(1, steps);
        return THREADS.getThreadCpuTime(carrier) - begin;
    }

    static long second(long carrier, int steps) {
        long begin = THREADS.getThreadCpuTime(carrier);
        Work.sink = Work.spin(2, steps);
        return THREADS.getThreadCpuTime(carrier) - begin;
    }

    /**
     * The id of the calling virtual thread's carrier. The thread's own text ends with the carrier's name:
     * VirtualThread[#22]/runnable@NAME.
     */
    private static long carrier() {
        String text = Thread.currentThread().toString();
        String name = text.substring(text.lastIndexOf('@') + 1);
        return CARRIERS.computeIfAbsent(name, VirtualThreads::idOf);
    }

    private static Long idOf(String name) {
        for (ThreadInfo thread : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
            if (thread != null && thread.getThreadName().equals(name)) {
                return thread.getThreadId();
            }
        }
        throw new IllegalStateException("no platform thread is called " + name);
    }

    /** The CPU time of all carriers that were ever seen. */
    private static long carriersClock() {
        long sum = 0;
        for (long id : CARRIERS.values()) {
            sum += Math.max(0, THREADS.getThreadCpuTime(id));
        }
        return sum;
    }

    /** Thread.ofVirtual().name(name).unstarted(task), which the compiler does not know. */
    private static Thread virtual(String name, Runnable task) throws ReflectiveOperationException {
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        Class<?> type = Class.forName("java.lang.Thread$Builder");
        builder = type.getMethod("name", String.class).invoke(builder, name);
        return (Thread) type.getMethod("unstarted", Runnable.class).invoke(builder, task);
    }

    /** Pieces in both methods, in random order; between them the thread waits for one of a few tokens, and sleeps sometimes. */
    private static void live(long seed, long budget, BlockingQueue<Integer> tokens, AtomicLongArray charged) {
        Deck deck = new Deck(seed, 7, 3);
        int steps = Work.steps(PIECE);
        try {
            for (long spent = 0; spent < budget;) {
                Integer token = tokens.take();
                int part = deck.next();
                long taken = part == 0 ? first(carrier(), steps) : second(carrier(), steps);
                charged.addAndGet(part, taken);
                spent += taken;
                tokens.put(token);
                if (spent % 4 == 0) {
                    Thread.sleep(1);
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void round(Round round) throws Exception {
        BlockingQueue<Integer> tokens = new ArrayBlockingQueue<>(COUNT);
        for (int i = 0; i < COUNT / 2; i++) {
            tokens.put(i);
        }
        AtomicLongArray[] charged = {new AtomicLongArray(2), new AtomicLongArray(2)};
        Thread[] threads = new Thread[COUNT];
        for (int i = 0; i < COUNT; i++) {
            int group = i % 2;
            long seed = round.seed() + i;
            // Group "b" has three times as much work.
            long budget = round.budget / COUNT / 2 * (group == 0 ? 1 : 3);
            threads[i] = virtual(round.name((group == 0 ? "a-" : "b-") + i), () -> live(seed, budget, tokens, charged[group]));
        }
        long before = carriersClock();
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        round.others(prefix(), carriersClock() - before);
        tell(round, charged[0], charged[1]);
    }

    private void tell(Round round, AtomicLongArray a, AtomicLongArray b) {
        if (byName) {
            round.part("a-first", "a-", "verify.VirtualThreads.first", a.get(0));
            round.part("a-second", "a-", "verify.VirtualThreads.second", a.get(1));
            round.part("b-first", "b-", "verify.VirtualThreads.first", b.get(0));
            round.part("b-second", "b-", "verify.VirtualThreads.second", b.get(1));
        } else {
            round.part("first", "", "verify.VirtualThreads.first", a.get(0) + b.get(0));
            round.part("second", "", "verify.VirtualThreads.second", a.get(1) + b.get(1));
        }
    }

    /** All carriers' names begin with this: ForkJoinPool-1-worker-. */
    private static String prefix() {
        String name = CARRIERS.keySet().iterator().next();
        return name.substring(0, name.lastIndexOf('-') + 1);
    }
}
