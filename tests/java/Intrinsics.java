import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.CRC32;

/**
 * Loads that spend their time where simple stack walkers fail: hand-written stubs, string intrinsics, lambda forms. Each load has a
 * separate thread, "load-NAME", by which its samples are recognized.
 *
 * go seconds=CPU_SECONDS_PER_LOAD [load=NAME] -> done NAME=cpu_ns ... (two loads at a time; all of them without load=)
 */
public final class Intrinsics {
    static volatile long sink;

    private static final byte[] SOURCE = new byte[65536];
    private static final Map<String, IntUnaryOperator> LOADS = new LinkedHashMap<>();

    static {
        for (int i = 0; i < SOURCE.length; i++) {
            SOURCE[i] = (byte) ('a' + i % 23);
        }
        LOADS.put("arraycopy", Intrinsics::arraycopy);
        LOADS.put("smallcopy", Intrinsics::smallcopy);
        LOADS.put("crc32", Intrinsics::crc32);
        LOADS.put("fill", Intrinsics::fill);
        LOADS.put("string", Intrinsics::string);
        LOADS.put("concat", Intrinsics::concat);
        LOADS.put("lambda", Intrinsics::lambda);
        LOADS.put("stream", Intrinsics::stream);
    }

    static int arraycopy(int times) {
        byte[] target = new byte[SOURCE.length];
        for (int i = 0; i < times; i++) {
            System.arraycopy(SOURCE, 0, target, 0, SOURCE.length);
        }
        return target[times & 0xffff];
    }

    static int smallcopy(int times) {
        byte[] target = new byte[256];
        for (int i = 0; i < times; i++) {
            System.arraycopy(SOURCE, i & 1023, target, i & 15, 17 + (i & 63));
        }
        return target[times & 0xff];
    }

    static int crc32(int times) {
        CRC32 sum = new CRC32();
        for (int i = 0; i < times; i++) {
            sum.update(SOURCE, 0, SOURCE.length);
        }
        return (int) sum.getValue();
    }

    static int fill(int times) {
        byte[] target = new byte[16384];
        for (int i = 0; i < times; i++) {
            Arrays.fill(target, (byte) i);
        }
        return target[times & 0x3fff];
    }

    static int string(int times) {
        String text = new String(SOURCE, 0, 4096, java.nio.charset.StandardCharsets.ISO_8859_1) + "needle";
        int result = 0;
        for (int i = 0; i < times; i++) {
            String copy = new String(text);
            String other = new String(SOURCE, 0, 4096, java.nio.charset.StandardCharsets.ISO_8859_1);
            result += copy.indexOf("needle") + other.hashCode() + (other.equals(text.substring(0, 4096)) ? 1 : 0);
        }
        return result;
    }

    static int concat(int times) {
        int result = 0;
        for (int i = 0; i < times; i++) {
            String text = "item " + i + " of " + times + ", half " + (char) ('a' + i % 26) + " " + (i * 31L);
            result += text.length();
        }
        return result;
    }

    static int lambda(int times) {
        IntUnaryOperator[] steps = {x -> x + 3, x -> x * 31, x -> x ^ (x >>> 7), x -> x - 11, x -> x << 1};
        int result = 1;
        for (int i = 0; i < times; i++) {
            result = steps[i % steps.length].andThen(steps[(i + 2) % steps.length]).applyAsInt(result);
        }
        return result;
    }

    static int stream(int times) {
        int result = 0;
        for (int i = 0; i < times; i++) {
            result += IntStream.range(i, i + 200).filter(x -> x % 3 != 0).mapToObj(x -> "k" + x % 17)
                .collect(Collectors.groupingBy(key -> key, Collectors.counting())).size();
        }
        return result;
    }

    public static void main(String[] args) throws Exception {
        Rounds.serve(options -> {
            long budget = (long) (options.number("seconds", 1) * 1e9);
            String only = options.text("load", "");
            String[] names = only.isEmpty() ? LOADS.keySet().toArray(new String[0]) : new String[] {only};
            long[] cpu = new long[names.length];
            for (int i = 0; i < names.length; i += 2) {
                Thread[] pair = new Thread[Math.min(2, names.length - i)];
                for (int j = 0; j < pair.length; j++) {
                    int index = i + j;
                    String name = names[index];
                    pair[j] = new Thread(() -> cpu[index] = run(LOADS.get(name), budget), "load-" + name);
                }
                Rounds.together(pair);
            }
            StringBuilder answer = new StringBuilder();
            for (int i = 0; i < names.length; i++) {
                answer.append(i == 0 ? "" : " ").append(names[i]).append('=').append(cpu[i]);
            }
            return answer.toString();
        });
    }

    /** Increases the batch until one takes about 5 ms, so that reading the clock costs little in comparison. */
    private static long run(IntUnaryOperator load, long budget) {
        long begin = Rounds.cpu();
        int times = 16;
        for (long last = begin, now; last - begin < budget; last = now) {
            sink += load.applyAsInt(times);
            now = Rounds.cpu();
            if (now - last < 5_000_000) {
                times *= 2;
            } else if (now - last > 20_000_000) {
                times /= 2;
            }
        }
        return Rounds.cpu();
    }
}
