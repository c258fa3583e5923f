import java.util.ArrayList;
import java.util.List;

/**
 * A service with a planted problem, for the server's page: `Planted shop TIMES SECONDS` computes six prices and searches once, which takes
 * TIMES as long as a price; `Planted batch SECONDS` throws memory away, and asks for collections.
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

    public static void main(String[] args) {
        boolean isShop = args[0].equals("shop");
        long end = System.nanoTime() + (long) (Double.parseDouble(args[args.length - 1]) * 1e9);
        long x = 1;
        for (int round = 0; System.nanoTime() < end; round++) {
            if (isShop) {
                x = serve(x, Integer.parseInt(args[1]));
            } else {
                fill();
                if (round % 1_000 == 999) {
                    System.gc();
                }
            }
        }
        sink = x;
    }
}
