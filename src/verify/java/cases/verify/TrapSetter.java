package verify;

/**
 * A hot loop without a safepoint poll, then a setter, or one nine levels deep. The setter has a poll: it is the next place that
 * compilers describe without being asked to, so profilers assign the time to it. Its true time is 0.
 */
final class TrapSetter extends Mix {
    private static long value;

    TrapSetter() {
        super(1, new int[] {1, 1}, new Shallow(), new Deep());
    }

    @Override
    String[] innocent() {
        return new String[] {"verify.TrapSetter.set", "verify.TrapSetter.set1"};
    }

    private static final class Shallow extends Piece {
        Shallow() {
            super("verify.TrapSetter.blameSetter");
        }

        @Override
        void work(Worker worker, int times) {
            for (int i = 0; i < times; i++) {
                blameSetter(i);
            }
            charge(worker, value);
        }
    }

    private static final class Deep extends Piece {
        Deep() {
            super("verify.TrapSetter.blameDeepSetter");
        }

        @Override
        void work(Worker worker, int times) {
            for (int i = 0; i < times; i++) {
                blameDeepSetter(i);
            }
            charge(worker, value);
        }
    }

    static void blameSetter(long x) {
        set(Work.hot(x));
        set(Work.hot(x + 1));
    }

    static void blameDeepSetter(long x) {
        set1(Work.hot(x));
        set1(Work.hot(x + 1));
    }

    static void set(long to) {
        value = Work.trivial(to);
    }

    static void set1(long to) {
        set2(to);
    }

    static void set2(long to) {
        set3(to);
    }

    static void set3(long to) {
        set4(to);
    }

    static void set4(long to) {
        set5(to);
    }

    static void set5(long to) {
        set6(to);
    }

    static void set6(long to) {
        set7(to);
    }

    static void set7(long to) {
        set8(to);
    }

    static void set8(long to) {
        set9(to);
    }

    static void set9(long to) {
        value = Work.trivial(to);
    }
}
