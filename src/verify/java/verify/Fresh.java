package verify;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.LongBinaryOperator;

/**
 * A class of two methods that is loaded anew, by a loader of its own, fifty times a second of CPU time: the JVM interprets,
 * compiles and forgets it again and again, here with several ways through the code, each of which makes void what was
 * compiled for the one before. Samplers lose stacks in code that is half finished or already gone.
 */
final class Fresh extends Mix {
    private static final double INTERPRETED_STEP = 30;

    private final int ways;
    private final long perWay;
    private final byte[] bytes;

    private LongBinaryOperator unit;
    private int way;
    private long until;

    private static final class Loader extends ClassLoader {
        Class<?> define(byte[] bytes) {
            return defineClass(null, bytes, 0, bytes.length);
        }
    }

    /** Of the class in this package that takes the part plus twice the way, and the steps; so much CPU time for each way. */
    Fresh(String name, int ways, long perWay) {
        super(1, new String[] {name + ".first", name + ".second"}, 3, 2);
        this.ways = ways;
        this.perWay = perWay;
        this.bytes = bytes(name);
    }

    private static byte[] bytes(String name) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (InputStream input = Fresh.class.getResourceAsStream(name + ".class")) {
            for (int b = input.read(); b >= 0; b = input.read()) {
                bytes.write(b);
            }
        } catch (IOException e) {
            throw new IllegalStateException(name, e);
        }
        return bytes.toByteArray();
    }

    @Override
    void turn(Mixer mixer, int part, int times) throws Exception {
        if (unit == null || mixer.spent() > until) {
            turnOver(mixer);
        }
        super.turn(mixer, part, times);
    }

    /** The next way, or the next class, whose speed is not known yet; what that costs belongs to no part. */
    private void turnOver(Mixer mixer) throws Exception {
        way = (way + 1) % ways;
        if (unit == null || way == 0) {
            unit = (LongBinaryOperator) new Loader().define(bytes).getDeclaredConstructor().newInstance();
            for (Pace pace : mixer.paces) {
                pace.assume(INTERPRETED_STEP);
            }
        }
        mixer.pass();
        until = mixer.spent() + perWay;
    }

    @Override
    long piece(int part, int times) {
        return unit.applyAsLong(part + 2 * way, times);
    }
}
