package verify;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.LongBinaryOperator;

/**
 * A class of two methods that is loaded again, by a new loader, after every few milliseconds of CPU time: the JVM interprets, compiles
 * and discards it repeatedly. There are several ways through the code, and each invalidates the code that was compiled for the previous
 * one. Samplers lose stacks in code that is half finished or already gone.
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

    /**
     * A work function of the class in this package that gets the part plus twice the way, and the steps; each way runs for this much CPU
     * time.
     */
    Fresh(String name, int ways, long perWay) throws IOException {
        this(name, ways, perWay, new First(name), new Second(name));
    }

    private Fresh(String name, int ways, long perWay, First first, Second second) throws IOException {
        super(1, new int[] {3, 2}, first, second);
        this.ways = ways;
        this.perWay = perWay;
        this.bytes = bytes(name);
        first.fresh = this;
        second.fresh = this;
    }

    private static byte[] bytes(String name) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (InputStream input = Fresh.class.getResourceAsStream(name + ".class")) {
            for (int b = input.read(); b >= 0; b = input.read()) {
                bytes.write(b);
            }
        }
        return bytes.toByteArray();
    }

    private static final class First extends Piece {
        private Fresh fresh;

        First(String unit) {
            super("verify." + unit + ".first");
        }

        @Override
        void work(Worker worker, int times) {
            charge(worker, fresh.unit.applyAsLong(2 * fresh.way, times));
        }
    }

    private static final class Second extends Piece {
        private Fresh fresh;

        Second(String unit) {
            super("verify." + unit + ".second");
        }

        @Override
        void work(Worker worker, int times) {
            charge(worker, fresh.unit.applyAsLong(2 * fresh.way + 1, times));
        }
    }

    /** The next way, or the next class, whose speed is not known yet; the cost of this belongs to no part. */
    @Override
    void prepare(Mixer mixer) throws Exception {
        if (unit != null && mixer.spent() < until) {
            return;
        }
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
}
