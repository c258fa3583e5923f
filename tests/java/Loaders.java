import java.io.DataInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.function.LongUnaryOperator;

/**
 * Loads, runs and drops classes in separate class loaders, with unloading in between, so that the JVM reuses the memory of unloaded
 * methods. Class UnitNNNN has the one hot method spinNNNN; one thread runs the classes in the order of their numbers. A sample whose
 * numbers differ, or whose number is lower than the previous one, has the name of an unloaded method.
 *
 * With class=same all classes are called Unit0000 and only their methods differ, as when a new version of a program is deployed into a
 * running server. Then not even the class name distinguishes an unloaded method from a loaded one.
 *
 * go (seconds=WALL_SECONDS | classes=N) [micros=2000] [class=same] -> done classes unloaded (N < 10,000)
 */
public final class Loaders {
    static volatile long sink;

    static final class Loader extends ClassLoader {
        Class<?> define(byte[] bytes) {
            return defineClass(null, bytes, 0, bytes.length);
        }
    }

    /** The bytes of a class of this folder. */
    static byte[] template(String name) throws IOException {
        try (DataInputStream input = new DataInputStream(Loaders.class.getResourceAsStream(name + ".class"))) {
            byte[] bytes = new byte[input.available()];
            input.readFully(bytes);
            return bytes;
        }
    }

    /** The template, with its number in place of the zeros after the word. */
    private static byte[] numbered(byte[] template, String word, int number) {
        String text = new String(template, StandardCharsets.ISO_8859_1);
        return text.replace(word + "0000", word + String.format("%04d", number)).getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] unit(byte[] template, int number, boolean same) {
        byte[] bytes = numbered(template, "spin", number);
        return same ? bytes : numbered(bytes, "Unit", number);
    }

    private static void spin(byte[] bytes, int number, long nanos) throws Exception {
        Class<?> unit = new Loader().define(bytes);
        LongUnaryOperator work = (LongUnaryOperator) unit.getDeclaredConstructor().newInstance();
        long x = number;
        for (long begin = Rounds.cpu(); Rounds.cpu() - begin < nanos;) {
            x = work.applyAsLong(x);
        }
        sink = x;
    }

    static String round(Rounds.Options options) throws Exception {
        byte[] template = template("Unit0000");
        long end = System.nanoTime() + (long) (options.number("seconds", 3600) * 1e9);
        int most = (int) options.number("classes", 9999);
        long nanos = (long) (options.number("micros", 2000) * 1000);
        boolean same = options.text("class", "").equals("same");
        int[] classes = {0};
        Thread worker = new Thread(() -> {
            try {
                for (; System.nanoTime() < end && classes[0] < most; classes[0]++) {
                    int number = classes[0] + 1;
                    spin(unit(template, number, same), number, nanos);
                    if (classes[0] % 50 == 49) {
                        System.gc();
                    }
                }
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, "loaders");
        Rounds.together(worker);
        return "classes=" + classes[0] + " unloaded="
            + ManagementFactory.getClassLoadingMXBean().getUnloadedClassCount();
    }

    public static void main(String[] args) throws Exception {
        Rounds.serve(Loaders::round);
    }
}
