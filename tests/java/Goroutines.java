/**
 * Runs goroutines (tests/jvm/goroutines.go): the first argument is the library that was built from them.
 *
 * go load n=N: loads it and starts N goroutines, which never end -> done
 * go seconds=S: Java uses CPU time for S seconds beside them -> done rounds (of the goroutines so far, each with the right sum)
 */
public final class Goroutines {
    private static volatile long sink;

    static native void start(int n);

    static native long rounds();

    /** While on, they compute nothing, and check from time to time whether it has ended. */
    static native void rest(boolean on);

    public static void main(String[] args) throws Exception {
        Rounds.serve(options -> {
            if (options.word().equals("load")) {
                System.load(args[0]);
                start((int) options.number("n", 2));
                return "";
            }
            long end = System.nanoTime() + (long) (options.number("seconds", 0.1) * 1e9);
            while (System.nanoTime() < end) {
                for (int i = 0; i < 10000; i++) {
                    sink += i;
                }
            }
            return "rounds=" + rounds();
        });
    }
}
