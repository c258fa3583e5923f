import java.util.ArrayList;
import java.util.List;

/**
 * A service with a planted problem, for the server's page: `Planted shop TIMES ROUNDS` computes six prices and searches once, which takes
 * TIMES as long as a price, in each round; `Planted batch SECONDS` throws memory away, and asks for collections.
 */
public final class Planted {
    private static final int STEPS = 40_000;
    private static volatile Object sink;

    private Planted() {
    }

    private static long price(long seed) {
        long x = seed;
        for (int i = 0; i < STEPS; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
        }
        return x;
    }

    private static long search(long seed, int times) {
        long x = seed;
        for (int i = 0; i < STEPS * times; i++) {
            x ^= x << 11;
            x ^= x >>> 5;
        }
        return x;
    }

    private static long serve(long seed, int times) {
        long x = seed;
        for (int i = 0; i < 6; i++) {
            x = price(x);
        }
        return search(x, times);
    }

    private static void fill() {
        List<byte[]> lines = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            lines.add(new byte[4_000]);
        }
        sink = lines;
    }

    private static void shop(int times, int rounds) {
        long x = 1;
        for (int round = 0; round < rounds; round++) {
            x = serve(x, times);
        }
        sink = x;
    }

    private static void batch(long ns) {
        long end = System.nanoTime() + ns;
        for (int round = 0; System.nanoTime() < end; round++) {
            fill();
            if (round % 1_000 == 999) {
                System.gc();
            }
        }
    }

    public static void main(String[] args) {
        if (args[0].equals("shop")) {
            shop(Integer.parseInt(args[1]), Integer.parseInt(args[2]));
        } else {
            batch((long) (Double.parseDouble(args[1]) * 1e9));
        }
    }
}
