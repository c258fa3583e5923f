package verify;

import java.util.function.LongBinaryOperator;

/** The class that is compiled repeatedly (Fresh). */
public final class JitUnit implements LongBinaryOperator {
    @Override
    public long applyAsLong(long part, long times) {
        return part == 0 ? first((int) times) : second((int) times);
    }

    static long first(int times) {
        long x = 1;
        for (int i = 0; i < times; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    static long second(int times) {
        long x = 1;
        for (int i = 0; i < times; i++) {
            x = (x ^ x >>> 21) * 6364136223846793005L + 1442695040888963407L;
        }
        return x;
    }
}
