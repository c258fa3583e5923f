import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.CRC32;

/**
 * Much compiled code of many kinds, all of it warm: division, a checksum's stub, array fills, a loop from the end to the beginning,
 * floating point, sorting, hashing, texts, type checks, allocation. For tests that compare instructions, and need many different ones.
 *
 * go seconds=WALL_SECONDS -> done rounds=N
 */
public final class HotLoops {
    static volatile double sink;

    private interface Shape {
        double area();
    }

    private static final class Square implements Shape {
        private final double side;

        Square(double side) {
            this.side = side;
        }

        public double area() {
            return side * side;
        }
    }

    private static final class Circle implements Shape {
        private final float radius;

        Circle(float radius) {
            this.radius = radius;
        }

        public double area() {
            return Math.PI * radius * radius;
        }
    }

    static long divide(long x, long by) {
        for (int i = 0; i < 2000; i++) {
            x = (x + ((long) i << 40)) / by + 0x123456789abcdefL;
        }
        return x;
    }

    static int reverse(int[] values) {
        int x = 17;
        for (int i = values.length - 1; i >= 0; i--) {
            x = 31 * x + values[i];
        }
        return x;
    }

    static long checksum(byte[] bytes) {
        CRC32 sum = new CRC32();
        sum.update(bytes, 0, bytes.length);
        return sum.getValue();
    }

    static double floats(double[] values) {
        double x = 0;
        for (double value : values) {
            x += Math.sqrt(value) - (float) value / 3 + (long) value % 7;
        }
        return x;
    }

    static double shapes(int count) {
        double x = 0;
        for (int i = 0; i < count; i++) {
            Shape shape = (i & 1) == 0 ? new Square(i) : new Circle(i);
            x += shape.area();
        }
        return x;
    }

    static int words(int count) {
        Map<String, Integer> counts = new HashMap<>();
        for (int i = 0; i < count; i++) {
            counts.merge("word-" + i % 97, 1, Integer::sum);
        }
        int x = 0;
        for (Map.Entry<String, Integer> entry : counts.entrySet()) {
            x = Integer.rotateLeft(x, 3) ^ entry.getKey().length() * entry.getValue();
        }
        return x;
    }

    static int sort(int[] values, int seed) {
        for (int i = 0; i < values.length; i++) {
            seed = seed * 1103515245 + 12345;
            values[i] = seed >>> 8;
        }
        Arrays.sort(values);
        return values[values.length / 2] + Integer.bitCount(seed) + Integer.numberOfTrailingZeros(seed);
    }

    static int letters(char[] text) {
        int x = 0;
        for (char c : text) {
            switch (c & 7) {
                case 0: x += c; break;
                case 1: x ^= c << 3; break;
                case 2: x -= c; break;
                case 3: x = x >>> 1 | x << 31; break;
                case 4: x *= 5; break;
                default: x = ~x;
            }
        }
        return x;
    }

    public static void main(String[] args) throws Exception {
        byte[] bytes = new byte[16384];
        int[] ints = new int[2000];
        double[] doubles = new double[2000];
        char[] chars = new char[2000];
        for (int i = 0; i < 2000; i++) {
            doubles[i] = i * 1.5;
            chars[i] = (char) (i * 7);
        }
        Rounds.serve(options -> {
            long end = System.nanoTime() + (long) (options.number("seconds", 1) * 1e9);
            long rounds = 0;
            double x = 1;
            while (System.nanoTime() - end < 0) {
                Arrays.fill(bytes, (byte) rounds);
                x += divide((long) x, 7 + (rounds & 1)) & 0xff;
                x += checksum(bytes) & 0xff;
                x += sort(ints, (int) rounds) & 0xff;
                x += reverse(ints) & 0xff;
                x += floats(doubles) + shapes(1000) * 1e-9;
                x += words(500) & 0xff;
                x += letters(chars) & 0xff;
                rounds++;
            }
            sink = x;
            return "rounds=" + rounds;
        });
    }
}
