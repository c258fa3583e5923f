package verify;

/**
 * A hot loop without a safepoint poll, then a setter: trivial, or trivial nine levels deep. The nearest place that a compiler
 * has described is in the setter, and so it is blamed; its truth is 0.
 */
final class TrapSetter extends Mix {
    private final Result[] results = new Result[16];

    TrapSetter() {
        super(1, new String[] {"blameSetter", "blameDeepSetter"}, 1, 1);
        for (int i = 0; i < results.length; i++) {
            results[i] = new Result();
        }
    }

    @Override
    String[] innocent() {
        return new String[] {"TrapSetter$Result.set", "TrapSetter$Result.set1"};
    }

    static final class Result {
        private double value;

        void set(double to) {
            value = to;
        }

        void set1(double to) {
            set2(to);
        }

        void set2(double to) {
            set3(to);
        }

        void set3(double to) {
            set4(to);
        }

        void set4(double to) {
            set5(to);
        }

        void set5(double to) {
            set6(to);
        }

        void set6(double to) {
            set7(to);
        }

        void set7(double to) {
            set8(to);
        }

        void set8(double to) {
            set9(to);
        }

        void set9(double to) {
            value = to;
        }
    }

    @Override
    long piece(int part, int times) {
        for (int i = 0; i < times; i++) {
            Result result = results[i % results.length];
            if (part == 0) {
                blameSetter(result, times);
            } else {
                blameDeepSetter(result, times);
            }
        }
        return Double.doubleToRawLongBits(results[0].value);
    }

    static void blameSetter(Result result, double x) {
        result.set(Work.withoutPoll(x));
    }

    static void blameDeepSetter(Result result, double x) {
        result.set1(Work.withoutPoll(x));
    }
}
