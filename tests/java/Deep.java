/**
 * Recursion of a known depth, with all the work at the innermost level.
 *
 * go depth=N seconds=CPU_SECONDS -> done cpu_ns; thread "deep-N", N frames of dive, then bottom
 */
public final class Deep {
    static volatile long sink;

    static long bottom(long seed, long budget) {
        long x = seed;
        for (long begin = Rounds.cpu(); Rounds.cpu() - begin < budget;) {
            for (int i = 0; i < 200_000; i++) {
                x = x * 6364136223846793005L + 1442695040888963407L;
            }
        }
        return x;
    }

    static long dive(int depth, long budget) {
        return depth == 1 ? bottom(depth, budget) : dive(depth - 1, budget) + 1;
    }

    public static void main(String[] args) throws Exception {
        Rounds.serve(options -> {
            int depth = (int) options.number("depth", 100);
            long budget = (long) (options.number("seconds", 1) * 1e9);
            long[] cpu = new long[1];
            Thread worker = new Thread(null, () -> {
                sink = dive(depth, budget);
                cpu[0] = Rounds.cpu();
            }, "deep-" + depth, 64 << 20);
            Rounds.together(worker);
            return "cpu_ns=" + cpu[0];
        });
    }
}
