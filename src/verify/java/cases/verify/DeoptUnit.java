package verify;

import java.util.function.LongBinaryOperator;

/** The class whose code takes another way each time it has been compiled for one way (Fresh). */
public final class DeoptUnit implements LongBinaryOperator {
    @Override
    public long applyAsLong(long what, long times) {
        return (what & 1) == 0 ? first(what >> 1, (int) times) : second(what >> 1, (int) times);
    }

    static long first(long way, int times) {
        long x = 1;
        for (int i = 0; i < times; i++) {
            if (way > 0) {
                x ^= x >>> 7;
                if (way > 1) {
                    x += i;
                    if (way > 2) {
                        x ^= x << 9;
                    }
                }
            }
            x = x * 6364136223846793005L + 1442695040888963407L;
        }
        return x;
    }

    static long second(long way, int times) {
        long x = 1;
        for (int i = 0; i < times; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            if (way > 0) {
                x += 7;
                if (way > 1) {
                    x ^= i;
                    if (way > 2) {
                        x *= 31;
                    }
                }
            }
        }
        return x;
    }
}
