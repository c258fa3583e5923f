import java.util.function.LongUnaryOperator;

/** The template from which Loaders makes its classes: the zeros of both names become the number of the class. */
public final class Unit0000 implements LongUnaryOperator {
    static long spin0000(long seed) {
        long x = seed;
        for (int i = 0; i < 20_000; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
        }
        return x;
    }

    @Override
    public long applyAsLong(long seed) {
        return spin0000(seed);
    }
}
