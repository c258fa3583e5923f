package verify;

/** Work that is only arithmetic, and how much of it takes how long. */
final class Work {
    /** Results are stored here, so that no compiler removes the work. */
    static volatile long sink;

    private static final long FACTOR = 6364136223846793005L;

    private static double nanosPerStep;
    private static long turns = 2, none = 0; // not final: so that no compiler knows the value

    /** A chain in which each step needs the previous one. */
    static long spin(long seed, int steps) {
        long x = seed | 1;
        for (int i = 0; i < steps; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    /** About 10 us without a safepoint poll; inlined. */
    static long hot(long x) {
        return withoutPoll(withoutPoll(x));
    }

    /** Hardly any time, and two safepoint polls after the work for x: the loop is not a counted one. */
    static long trivial(long x) {
        long sum = x;
        for (long left = turns | x & none; left != 0; left >>>= 1) {
            sum += left;
        }
        return sum;
    }

    /**
     * A loop without a safepoint poll in compiled code: it is counted, and so short that C2 omits the poll. It is inlined, because it is
     * below the 325 bytes of bytecode up to which hot methods are inlined.
     */
    private static long withoutPoll(long x) {
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

    /** The steps that take this many nanoseconds: for work that must not depend on the clock while it runs. */
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
