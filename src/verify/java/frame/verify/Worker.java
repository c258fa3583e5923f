package verify;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * A thread that accounts for its CPU time by its own clock: the time between two readings is charged to one part, or to none. Reading
 * the clock takes about a microsecond; pieces take half a millisecond.
 */
abstract class Worker extends Thread {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final long[] parts;
    private long last;
    private long cpu;
    private Exception failure;

    Worker(String name, int parts) {
        this(name, parts, 0);
    }

    /** With a stack of this many bytes; 0: the JVM's default. */
    Worker(String name, int parts, long stack) {
        super(null, null, name, stack);
        this.parts = new long[parts];
    }

    abstract void work() throws Exception;

    @Override
    public final void run() {
        pass(); // up to here the thread was being started
        long begun = last;
        try {
            work();
        } catch (Exception e) {
            failure = e;
        }
        cpu = clock() - begun;
    }

    /** CPU time of the calling thread since its first instruction. */
    static long clock() {
        return THREADS.getCurrentThreadCpuTime();
    }

    /** Charges the CPU time since the last reading to the part; returns it. */
    final long charge(int part) {
        long now = clock();
        long taken = now - last;
        parts[part] += taken;
        last = now;
        return taken;
    }

    /** Charges the CPU time since the last reading to no part. */
    final void pass() {
        last = clock();
    }

    /** The clock at the last reading. */
    final long spent() {
        return last;
    }

    final long charged(int part) {
        return parts[part];
    }

    /** All its CPU time in run(), after it has ended: starting and ending a thread is the JVM's work. */
    final long cpu() throws Exception {
        if (failure != null) {
            throw failure;
        }
        return cpu;
    }
}
