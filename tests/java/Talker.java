/**
 * Prints the same lines on both streams in every run, and works in between: any other word was printed by other code.
 *
 * go seconds=WALL_SECONDS -> out and err lines, then done lines=N
 */
public final class Talker {
    static volatile double sink;

    static double work(double seed) {
        double sum = seed;
        for (int i = 1; i < 100_000; i++) {
            sum += Math.sin(sum) / i;
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        Rounds.serve(options -> {
            int lines = 50;
            long step = (long) (options.number("seconds", 1) * 1e9) / lines;
            long begin = System.nanoTime();
            for (int i = 0; i < lines; i++) {
                while (System.nanoTime() - begin < i * step) {
                    sink = work(sink);
                }
                System.out.println("out " + i);
                System.err.println("err " + i);
            }
            return "lines=" + lines;
        });
    }
}
