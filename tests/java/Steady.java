import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * A steady load of an ordinary kind: several threads that sort, hash and allocate all the time, so that the JVM's own threads (GC, JIT)
 * work, too.
 *
 * go seconds=CPU_SECONDS_PER_THREAD [threads=4] -> done cpu_ns
 */
public final class Steady {
    static volatile long sink;

    static long sort(long seed) {
        int[] values = new int[2000];
        for (int i = 0; i < values.length; i++) {
            seed = seed * 6364136223846793005L + 1442695040888963407L;
            values[i] = (int) (seed >>> 33);
        }
        Arrays.sort(values);
        return values[values.length / 2];
    }

    static long count(long seed) {
        Map<String, Integer> words = new HashMap<>();
        for (int i = 0; i < 500; i++) {
            words.merge("word" + ((seed + i * 31L) % 97), 1, Integer::sum);
        }
        return words.hashCode();
    }

    static long polynomial(long seed) {
        double x = (seed & 1023) / 1024.0;
        double sum = 0;
        for (int i = 0; i < 20_000; i++) {
            sum = sum * x + i;
        }
        return Double.doubleToRawLongBits(sum);
    }

    static String round(Rounds.Options options) throws Exception {
        int threads = (int) options.number("threads", 4);
        long budget = (long) (options.number("seconds", 1) * 1e9);
        long[] cpu = new long[threads];
        Thread[] workers = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            int index = i;
            workers[i] = new Thread(() -> cpu[index] = work(budget), "steady-" + i);
        }
        Rounds.together(workers);
        return "cpu_ns=" + Arrays.stream(cpu).sum();
    }

    public static void main(String[] args) throws Exception {
        Rounds.serve(Steady::round);
    }

    private static long work(long budget) {
        long begin = Rounds.cpu();
        long x = begin;
        while (Rounds.cpu() - begin < budget) {
            for (int i = 0; i < 20; i++) {
                x ^= sort(x) + count(x) + polynomial(x);
            }
        }
        sink = x;
        return Rounds.cpu();
    }
}
