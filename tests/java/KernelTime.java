import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;

/**
 * A thread that spends nearly all its CPU time inside the kernel: large reads of /dev/zero.
 *
 * go seconds=CPU_SECONDS -> done cpu_ns user_ns; thread "kernel"
 */
public final class KernelTime {
    public static void main(String[] args) throws Exception {
        Rounds.serve(options -> {
            long budget = (long) (options.number("seconds", 1) * 1e9);
            long[] times = new long[2];
            Thread worker = new Thread(() -> read(budget, times), "kernel");
            Rounds.together(worker);
            return "cpu_ns=" + times[0] + " user_ns=" + times[1];
        });
    }

    private static void read(long budget, long[] times) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(4 << 20);
        try (RandomAccessFile zero = new RandomAccessFile("/dev/zero", "r")) {
            for (long begin = Rounds.cpu(); Rounds.cpu() - begin < budget;) {
                buffer.clear();
                zero.getChannel().read(buffer);
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        times[0] = Rounds.cpu();
        times[1] = ManagementFactory.getThreadMXBean().getCurrentThreadUserTime();
    }
}
