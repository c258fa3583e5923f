import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntBinaryOperator;
import java.util.function.IntUnaryOperator;
import java.util.zip.Adler32;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * The places where a stack walk is difficult, a load for each, one at a time.
 *
 * go load=NAME seconds=CPU_SECONDS (WALL_SECONDS if a load has threads of its own) -> done
 */
public final class Places {
    static volatile long sink;
    static volatile Object kept;

    private static final int BATCH = 50;
    private static final byte[] SOURCE = new byte[65536];
    private static final Map<String, Rounds.Round> LOADS = new LinkedHashMap<>();

    static {
        for (int i = 0; i < SOURCE.length; i++) {
            SOURCE[i] = (byte) (i * 31 ^ i >>> 5);
        }
        put("arraycopy", Intrinsics::arraycopy);
        put("smallcopy", times -> Intrinsics.smallcopy(100 * times));
        put("crc32", Intrinsics::crc32);
        put("adler32", Places::adler32);
        put("fill", Intrinsics::fill);
        put("math", Places::math);
        put("string", Intrinsics::string);
        put("concat", times -> Intrinsics.concat(20 * times));
        put("megamorphic", Places::megamorphic);
        put("lambda", times -> Intrinsics.lambda(100 * times));
        put("stream", Intrinsics::stream);
        put("exceptions", Places::exceptions);
        put("recursion", times -> (int) Deep.dive(1900, 10_000_000));
        put("gc", Places::garbage);
        put("zlib", Places::zlib);
        put("kernel", Places::kernel);
        LOADS.put("jit", Deopts::round);
        LOADS.put("classes", Loaders::round);
        LOADS.put("overflow", Overflow::round);
    }

    private static void put(String name, IntUnaryOperator load) {
        LOADS.put(name, options -> {
            long budget = (long) (options.number("seconds", 1) * 1e9);
            Rounds.together(new Thread(null, () -> {
                for (long begin = Rounds.cpu(); Rounds.cpu() - begin < budget;) {
                    sink += load.applyAsInt(BATCH);
                }
            }, "place-" + name, 64 << 20));
            return "load=" + name;
        });
    }

    static int adler32(int times) {
        Adler32 sum = new Adler32();
        for (int i = 0; i < times; i++) {
            sum.update(SOURCE, 0, SOURCE.length);
        }
        return (int) sum.getValue();
    }

    static int math(int times) {
        double sum = 0;
        for (int i = 1; i < 200 * times; i++) {
            sum += Math.sin(i) + Math.cos(i) + Math.tan(i) + Math.exp(i % 5) + Math.log(i) + Math.log10(i) + Math.pow(i, 0.3);
        }
        return (int) sum;
    }

    static int megamorphic(int times) {
        IntBinaryOperator[] operators = {Integer::sum, Integer::max, Integer::min, Math::addExact, (a, b) -> a ^ b, (a, b) -> a - b,
                                         (a, b) -> a & ~b, (a, b) -> b};
        int result = 1;
        for (int i = 0; i < 1000 * times; i++) {
            result = operators[i % operators.length].applyAsInt(result & 0xffff, i & 0xffff);
        }
        return result;
    }

    /** They call each other, so two successive frames with the same name show that a frame between them is missing. */
    private static int even(int depth) {
        if (depth == 0) {
            throw new IllegalArgumentException("at the bottom");
        }
        return odd(depth - 1) + 1;
    }

    private static int odd(int depth) {
        return even(depth - 1) + 1;
    }

    static int exceptions(int times) {
        int caught = 0;
        for (int i = 0; i < 10 * times; i++) {
            try {
                caught += even(i % 10 * 2);
            } catch (IllegalArgumentException e) {
                caught++;
            }
        }
        return caught;
    }

    static int garbage(int times) {
        Object[] living = new Object[1024];
        for (int i = 0; i < 200 * times; i++) {
            living[i % living.length] = new Object[1 + i % 500];
        }
        kept = living;
        return living.length;
    }

    static int zlib(int times) {
        byte[] packed = new byte[2 * SOURCE.length];
        byte[] plain = new byte[SOURCE.length];
        int bytes = 0;
        try {
            for (int i = 0; i < times; i += 10) {
                Deflater deflater = new Deflater();
                deflater.setInput(SOURCE);
                deflater.finish();
                int n = deflater.deflate(packed);
                deflater.end();
                Inflater inflater = new Inflater();
                inflater.setInput(packed, 0, n);
                bytes += inflater.inflate(plain);
                inflater.end();
            }
        } catch (java.util.zip.DataFormatException e) {
            throw new IllegalStateException(e);
        }
        return bytes;
    }

    static int kernel(int times) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20);
        try (RandomAccessFile zero = new RandomAccessFile("/dev/zero", "r")) {
            for (int i = 0; i < times; i++) {
                buffer.clear();
                zero.getChannel().read(buffer);
            }
        } catch (java.io.IOException e) {
            throw new IllegalStateException(e);
        }
        return buffer.position();
    }

    public static void main(String[] args) throws Exception {
        Rounds.serve(options -> options.text("load", "").isEmpty() ? "loads=" + String.join(",", LOADS.keySet())
                                                                   : LOADS.get(options.text("load", "")).run(options));
    }
}
