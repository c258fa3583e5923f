import java.util.Arrays;
import java.util.zip.CRC32;

/**
 * Four loads with known machine code, each in a separate thread: a counted loop around a division of longs, a checksum for which the JVM
 * has a stub, filling an array, and reading one from its end to its beginning. Each call takes milliseconds, so that the compiler has no
 * reason to inline it into its caller.
 *
 * go seconds=WALL_SECONDS -> done divide=cpu_ns crc32=cpu_ns fill=cpu_ns reverse=cpu_ns
 */
public final class HotCode {
    static volatile long sink;

    private static final byte[] SOURCE = new byte[65536];

    /** Each division needs the result of the previous one, so that nothing runs in parallel. */
    static long divide(long x, long by, int times) {
        for (int i = 0; i < times; i++) {
            x = (x + ((long) i << 40)) / by + 0x123456789abcdefL;
        }
        return x;
    }

    static long crc32(int times) {
        CRC32 sum = new CRC32();
        for (int i = 0; i < times; i++) {
            sum.update(SOURCE, 0, SOURCE.length);
        }
        return sum.getValue();
    }

    static long fill(byte[] target, int times) {
        for (int i = 0; i < times; i++) {
            Arrays.fill(target, (byte) i);
        }
        return target[times & 0xff];
    }

    /** Each element needs the result of the previous one, so that the loop is not vectorized. */
    static int reverse(int[] values, int x, int times) {
        for (int k = 0; k < times; k++) {
            for (int i = values.length - 1; i >= 0; i--) {
                x = 31 * x + values[i];
            }
        }
        return x;
    }

    private interface Load {
        long run(long seed);
    }

    private static Thread thread(String name, long end, long[] cpu, int index, Load load) {
        return new Thread(() -> {
            long x = 1;
            long begin = Rounds.cpu();
            while (System.nanoTime() - end < 0) {
                x += load.run(x);
            }
            sink = x;
            cpu[index] = Rounds.cpu() - begin;
        }, "load-" + name);
    }

    public static void main(String[] args) throws Exception {
        byte[] target = new byte[16384];
        int[] values = new int[4096];
        Rounds.serve(options -> {
            long end = System.nanoTime() + (long) (options.number("seconds", 1) * 1e9);
            long[] cpu = new long[4];
            Rounds.together(thread("divide", end, cpu, 0, x -> divide(x, 7 + (x & 1), 5_000_000)),
                thread("crc32", end, cpu, 1, x -> crc32(2_000)),
                thread("fill", end, cpu, 2, x -> fill(target, 20_000)),
                thread("reverse", end, cpu, 3, x -> reverse(values, (int) x, 1_000)));
            return "divide=" + cpu[0] + " crc32=" + cpu[1] + " fill=" + cpu[2] + " reverse=" + cpu[3];
        });
    }
}
