package verify;

/**
 * A hot loop without a safepoint poll, then a setter: trivial, or trivial nine levels deep. The nearest place that a compiler
 * has described is in the setter, and so it is blamed; its truth is 0.
 */
final class TrapSetter extends Mix {
    private static final Result[] RESULTS = new Result[16];

    static {
        for (int i = 0; i < RESULTS.length; i++) {
            RESULTS[i] = new Result();
        }
    }

    TrapSetter() {
        super(1, new int[] {1, 1}, new Shallow(), new Deep());
    }

    @Override
    String[] innocent() {
        return new String[] {"verify.TrapSetter$Result.set", "verify.TrapSetter$Result.set1"};
    }

    private static final class Shallow extends Piece {
        Shallow() {
            super("verify.TrapSetter.blameSetter");
        }

        @Override
        void work(Worker worker, int times) {
            for (int i = 0; i < times; i++) {
                blameSetter(RESULTS[i % RESULTS.length], times);
            }
            charge(worker, times);
        }
    }

    private static final class Deep extends Piece {
        Deep() {
            super("verify.TrapSetter.blameDeepSetter");
        }

        @Override
        void work(Worker worker, int times) {
            for (int i = 0; i < times; i++) {
                blameDeepSetter(RESULTS[i % RESULTS.length], times);
            }
            charge(worker, times);
        }
    }

    static final class Result {
        private long value;

        void set(long to) {
            value = to;
        }

        void set1(long to) {
            set2(to);
        }

        void set2(long to) {
            set3(to);
        }

        void set3(long to) {
            set4(to);
        }

        void set4(long to) {
            set5(to);
        }

        void set5(long to) {
            set6(to);
        }

        void set6(long to) {
            set7(to);
        }

        void set7(long to) {
            set8(to);
        }

        void set8(long to) {
            set9(to);
        }

        void set9(long to) {
            value = to;
        }
    }

    static void blameSetter(Result result, long x) {
        result.set(Work.withoutPoll(Work.withoutPoll(x)));
    }

    static void blameDeepSetter(Result result, long x) {
        result.set1(Work.withoutPoll(Work.withoutPoll(x)));
    }
}
