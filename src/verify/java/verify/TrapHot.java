package verify;

import static java.lang.Math.sqrt;

/**
 * The safepoint trap. The hot methods are loops without a safepoint poll. Their neighbour takes next to nothing and has polls. Who
 * samples at safepoints, or knows the code there alone, blames neighbour and callers, whose truth is 0. Four sites: called (too
 * large to be inlined) and inlined, each with the neighbour after and before.
 */
final class TrapHot extends Mix {
    private static final double ADD = 1000;

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
            double x = callerBefore(times, times / 2);
            charge(worker, (long) callerAfter(x, times - times / 2));
        }
    }

    private static final class Inlined extends Piece {
        Inlined() {
            super("verify.TrapHot.inlinedHot");
        }

        @Override
        void work(Worker worker, int times) {
            double x = inlinerBefore(times, times / 2);
            charge(worker, (long) inlinerAfter(x, times - times / 2));
        }
    }

    static double callerBefore(double x, int times) {
        for (int i = 0; i < times; i++) {
            x = neighbour(calledHot(x));
        }
        return x;
    }

    static double callerAfter(double x, int times) {
        for (int i = 0; i < times; i++) {
            x = calledHot(neighbour(x));
        }
        return x;
    }

    static double inlinerBefore(double x, int times) {
        for (int i = 0; i < times; i++) {
            x = neighbour(inlinedHot(x));
        }
        return x;
    }

    static double inlinerAfter(double x, int times) {
        for (int i = 0; i < times; i++) {
            x = inlinedHot(neighbour(x));
        }
        return x;
    }

    /** One turn or two; not a counted loop, so each has a poll. */
    static double neighbour(double x) {
        while (x > ADD) {
            x -= ADD;
        }
        return x;
    }

    static double inlinedHot(double x) {
        return Work.withoutPoll(x);
    }

    /** As Work.withoutPoll(), but above the size up to which hot methods are inlined. */
    static double calledHot(double x) {
        for (int i = 0; i < 90; i++) {
            x = sqrt(sqrt(sqrt(sqrt(sqrt(x) + ADD) + ADD) + ADD) + ADD) + ADD;
            x = sqrt(sqrt(sqrt(sqrt(sqrt(x) + ADD) + ADD) + ADD) + ADD) + ADD;
            x = sqrt(sqrt(sqrt(sqrt(sqrt(x) + ADD) + ADD) + ADD) + ADD) + ADD;
            x = sqrt(sqrt(sqrt(sqrt(sqrt(x) + ADD) + ADD) + ADD) + ADD) + ADD;
            x = sqrt(sqrt(sqrt(sqrt(sqrt(x) + ADD) + ADD) + ADD) + ADD) + ADD;
            x = sqrt(sqrt(sqrt(sqrt(sqrt(x) + ADD) + ADD) + ADD) + ADD) + ADD;
            x = sqrt(sqrt(sqrt(sqrt(sqrt(x) + ADD) + ADD) + ADD) + ADD) + ADD;
            x = sqrt(sqrt(sqrt(sqrt(sqrt(x) + ADD) + ADD) + ADD) + ADD) + ADD;
            x = sqrt(sqrt(sqrt(sqrt(sqrt(x) + ADD) + ADD) + ADD) + ADD) + ADD;
            x = sqrt(sqrt(sqrt(sqrt(sqrt(x) + ADD) + ADD) + ADD) + ADD) + ADD;
        }
        return x;
    }
}
