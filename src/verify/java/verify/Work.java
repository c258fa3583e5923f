package verify;

/** Work that is nothing but arithmetic, and how much of it takes how long. */
final class Work {
    /** Where results go, so that no compiler takes the work away. */
    static volatile long sink;

    private static final long FACTOR = 6364136223846793005L;

    private static double nanosPerStep;

    /** A chain in which each step needs the one before. */
    static long spin(long seed, int steps) {
        long x = seed | 1;
        for (int i = 0; i < steps; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    /**
     * A loop of some microseconds in which compiled code has no safepoint poll: counted, and so short that C2 leaves the poll out.
     * It is inlined, being below the 325 bytes of bytecode up to which hot methods are.
     */
    static long withoutPoll(long x) {
        for (int i = 0; i < 90; i++) {
            x = (((x * FACTOR + i) * FACTOR + i) * FACTOR + i) * FACTOR + i;
            x = (((x * FACTOR + i) * FACTOR + i) * FACTOR + i) * FACTOR + i;
            x = (((x * FACTOR + i) * FACTOR + i) * FACTOR + i) * FACTOR + i;
            x = (((x * FACTOR + i) * FACTOR + i) * FACTOR + i) * FACTOR + i;
            x = (((x * FACTOR + i) * FACTOR + i) * FACTOR + i) * FACTOR + i;
            x = (((x * FACTOR + i) * FACTOR + i) * FACTOR + i) * FACTOR + i;
            x = (((x * FACTOR + i) * FACTOR + i) * FACTOR + i) * FACTOR + i;
            x = (((x * FACTOR + i) * FACTOR + i) * FACTOR + i) * FACTOR + i;
            x = (((x * FACTOR + i) * FACTOR + i) * FACTOR + i) * FACTOR + i;
        }
        return x;
    }

    /** The steps that take so many nanoseconds: for work that must not depend on what the clock shows meanwhile. */
    static int steps(long nanos) {
        return Math.max(1, (int) (nanos / nanosPerStep));
    }

    /** Finds out how long a step takes, once it is compiled. */
    static void calibrate(Round round) throws Exception {
        nanosPerStep = Double.MAX_VALUE;
        Pace pace = new Pace();
        round.run(new Worker(round.name("speed"), 1) {
            @Override
            void work() {
                while (spent() < round.budget) {
                    int steps = pace.times(50_000);
                    sink = spin(steps, steps);
                    long taken = charge(0);
                    pace.took(steps, taken);
                    nanosPerStep = Math.min(nanosPerStep, (double) taken / steps);
                }
            }
        });
    }

    private Work() {
    }
}
