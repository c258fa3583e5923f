import java.util.function.LongUnaryOperator;

/**
 * Many deoptimizations: a class in a separate loader runs in one way until it is compiled for that, then in another way for which the
 * compiled code has no branch; this is repeated, and then with the next class.
 *
 * go seconds=WALL_SECONDS [millis=10] -> done turns
 */
public final class Deopts {
    static volatile long sink;

    private static final int WAYS = 4;

    /** Loaded repeatedly: each time the JVM forgets what it has learned about its branches. The lowest bits choose the way. */
    public static final class Ways implements LongUnaryOperator {
        @Override
        public long applyAsLong(long seed) {
            long x = seed;
            long way = seed % WAYS;
            for (int i = 0; i < 20_000; i++) {
                if (way > 0) {
                    x ^= x >>> 7;
                    if (way > 1) {
                        x += i;
                        if (way > 2) {
                            x ^= x << 9;
                        }
                    }
                }
                x = x * 6364136223846793005L + 1442695040888963407L;
            }
            return x;
        }
    }

    private static int storm(byte[] bytes, long end, long nanos) throws Exception {
        int turns = 0;
        while (System.nanoTime() < end) {
            Class<?> ways = new Loaders.Loader().define(bytes);
            LongUnaryOperator work = (LongUnaryOperator) ways.getDeclaredConstructor().newInstance();
            for (int way = 0; way < WAYS; way++, turns++) {
                for (long begin = Rounds.cpu(); Rounds.cpu() - begin < nanos;) {
                    sink = work.applyAsLong(way);
                }
            }
        }
        return turns;
    }

    static String round(Rounds.Options options) throws Exception {
        byte[] bytes = Loaders.template("Deopts$Ways");
        long end = System.nanoTime() + (long) (options.number("seconds", 3600) * 1e9);
        long nanos = (long) (options.number("millis", 10) * 1e6);
        int[] turns = {0};
        Thread worker = new Thread(() -> {
            try {
                turns[0] = storm(bytes, end, nanos);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, "deopts");
        Rounds.together(worker);
        return "turns=" + turns[0];
    }

    public static void main(String[] args) throws Exception {
        Rounds.serve(Deopts::round);
    }
}
