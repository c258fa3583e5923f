import java.util.function.IntUnaryOperator;

/**
 * Two threads: one copies, sums and searches (stubs and intrinsics), the other sorts, hashes and allocates.
 *
 * go seconds=CPU_SECONDS_PER_THREAD -> done cpu_ns; threads "mixed-0" and "mixed-1"
 */
public final class Mixed {
    static volatile long sink;

    static int intrinsics(int seed) {
        return Intrinsics.arraycopy(20) + Intrinsics.crc32(4) + Intrinsics.fill(20) + Intrinsics.string(20)
            + Intrinsics.smallcopy(500) + seed;
    }

    static int ordinary(int seed) {
        return (int) (Steady.sort(seed) + Steady.count(seed)) + Intrinsics.concat(50) + Intrinsics.lambda(200)
            + Intrinsics.stream(5);
    }

    private static long run(IntUnaryOperator work, long budget) {
        long begin = Rounds.cpu();
        for (int i = 0; Rounds.cpu() - begin < budget; i++) {
            sink += work.applyAsInt(i);
        }
        return Rounds.cpu();
    }

    public static void main(String[] args) throws Exception {
        Rounds.serve(options -> {
            long budget = (long) (options.number("seconds", 1) * 1e9);
            long[] cpu = new long[2];
            Thread[] threads = {new Thread(() -> cpu[0] = run(Mixed::intrinsics, budget), "mixed-0"),
                                new Thread(() -> cpu[1] = run(Mixed::ordinary, budget), "mixed-1")};
            Rounds.together(threads);
            return "cpu_ns=" + (cpu[0] + cpu[1]);
        });
    }
}
