package verify;

/**
 * The safepoint trap. The hot methods are loops without a safepoint poll. Their neighbor takes hardly any time, and has polls. A
 * profiler that samples at safepoints, or has debug information only there, assigns the time to the neighbor and the callers, whose true
 * time is 0. There are four sites: called (too large to be inlined) and inlined, each with the neighbor after and before.
 */
final class TrapHot extends Mix {
    private static final long FACTOR = 6364136223846793005L;

    TrapHot() {
        super(1, new int[] {1, 1}, new Called(), new Inlined());
    }

    @Override
    String[] innocent() {
        return new String[] {"verify.TrapHot.neighbour", "verify.TrapHot.callerBefore", "verify.TrapHot.callerAfter",
                             "verify.TrapHot.inlinerBefore", "verify.TrapHot.inlinerAfter"};
    }

    private static final class Called extends Piece {
        Called() {
            super("verify.TrapHot.calledHot");
        }

        @Override
        void work(Worker worker, int times) {
            long x = callerBefore(times, times / 2);
            charge(worker, callerAfter(x, times - times / 2));
        }
    }

    private static final class Inlined extends Piece {
        Inlined() {
            super("verify.TrapHot.inlinedHot");
        }

        @Override
        void work(Worker worker, int times) {
            long x = inlinerBefore(times, times / 2);
            charge(worker, inlinerAfter(x, times - times / 2));
        }
    }

    static long callerBefore(long x, int times) {
        for (int i = 0; i < times; i++) {
            x = neighbour(calledHot(x));
        }
        return x;
    }

    static long callerAfter(long x, int times) {
        for (int i = 0; i < times; i++) {
            x = calledHot(neighbour(x));
        }
        return x;
    }

    static long inlinerBefore(long x, int times) {
        for (int i = 0; i < times; i++) {
            x = neighbour(inlinedHot(x));
        }
        return x;
    }

    static long inlinerAfter(long x, int times) {
        for (int i = 0; i < times; i++) {
            x = inlinedHot(neighbour(x));
        }
        return x;
    }

    static long neighbour(long x) {
        return Work.trivial(x);
    }

    static long inlinedHot(long x) {
        return Work.hot(x);
    }

    /** Like Work.withoutPoll(), but above the size up to which hot methods are inlined. */
    static long calledHot(long x) {
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
}
