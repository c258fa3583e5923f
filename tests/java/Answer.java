/**
 * Work with one right answer. HotSpot does a part of it with faults of its own: null checks, divisions by zero, stacks that overflow.
 *
 * go seconds=CPU_SECONDS_AT_LEAST [threads=2] -> done wrong
 */
public final class Answer {
    static final int STEPS = 200_000;

    static long mix(long x) {
        x ^= x >>> 33;
        x *= 0xff51afd7ed558ccdL;
        return x ^ x >>> 29;
    }

    static int length(String text) {
        return text.length();
    }

    static int divide(int a, int b) {
        return a / b;
    }

    static int dive(int n) {
        return 1 + dive(n + 1);
    }

    static long compute() {
        long x = 1;
        for (int i = 0; i < STEPS; i++) {
            x = mix(x + i);
            try {
                x += length((i & 63) == 0 ? null : "four");
            } catch (NullPointerException e) {
                x += 1;
            }
            try {
                x += divide(i, i & 31);
            } catch (ArithmeticException e) {
                x += 2;
            }
        }
        try {
            x += dive(0) < 0 ? 3 : 4;
        } catch (StackOverflowError e) {
            x += 5;
        }
        return x;
    }

    public static void main(String[] args) throws Exception {
        long right = compute();
        Rounds.serve(options -> {
            Thread[] workers = new Thread[(int) options.number("threads", 2)];
            long budget = (long) (options.number("seconds", 1) * 1e9);
            long[] wrong = new long[workers.length];
            for (int i = 0; i < workers.length; i++) {
                int index = i;
                workers[i] = new Thread(() -> {
                    for (long begin = Rounds.cpu(); Rounds.cpu() - begin < budget;) {
                        wrong[index] += compute() == right ? 0 : 1;
                    }
                }, "answer-" + i);
            }
            Rounds.together(workers);
            return "wrong=" + java.util.Arrays.stream(wrong).sum();
        });
    }
}
