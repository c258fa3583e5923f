package verify;

import java.util.HashMap;
import java.util.Map;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;

/**
 * Functions that the JDK's code calls: chained, merged into a map, mapped over a stream. The chained functions have no safepoint poll,
 * so code that was compiled before a profiler was attached describes them as their callers. If the functions take the time, they are the
 * parts; otherwise the method around them is.
 */
final class Lambdas extends Mix {
    Lambdas() {
        super(1, new int[] {3, 2, 2, 2, 1}, Chained.rotating(), Chained.scrambling(), new Merged(), new Counting(),
              new Streaming());
    }

    private static final class Chained extends Piece {
        private final LongUnaryOperator chain;

        Chained(String method, LongUnaryOperator function) {
            super("verify.Lambdas$Chained." + method);
            chain = function.andThen(function).andThen(function);
        }

        static Piece rotating() {
            return new Chained("rotate", Chained::rotate);
        }

        static Piece scrambling() {
            return new Chained("scramble", Chained::scramble);
        }

        @Override
        void work(Worker worker, int times) {
            long x = times;
            for (int i = 0; i < times; i++) {
                x = chain.applyAsLong(x);
            }
            charge(worker, x);
        }

        private static long rotate(long x) {
            return Long.rotateLeft(Work.hot(x), 7);
        }

        private static long scramble(long x) {
            return Work.hot(x) * 31;
        }
    }

    /**
     * The function calls code that is too large to be inlined, because C2 forgets for code that it inlines here to which function it
     * belongs.
     */
    private static final class Merged extends Piece {
        private static final String[] KEYS = {"a", "b", "c", "d", "e", "f", "g", "h"};

        private final Map<String, long[]> map = new HashMap<>();

        Merged() {
            super("verify.Lambdas$Merged.combine");
        }

        @Override
        void work(Worker worker, int times) {
            long[] other = {times};
            for (int i = 0; i < times; i++) {
                map.merge(KEYS[i % KEYS.length], other, Merged::combine);
            }
            charge(worker, map.size());
        }

        private static long[] combine(long[] one, long[] other) {
            one[0] = TrapHot.calledHot(one[0] + other[0]);
            return one;
        }
    }

    private static final class Counting extends Piece {
        private final Map<Integer, Long> map = new HashMap<>();

        @Override
        void work(Worker worker, int times) {
            for (int i = 0; i < times; i++) {
                map.compute(i & 15, (key, count) -> count == null ? 1 : count + 1);
            }
            charge(worker, map.size());
        }
    }

    private static final class Streaming extends Piece {
        @Override
        void work(Worker worker, int times) {
            charge(worker, LongStream.range(0, times).filter(x -> x % 3 != 0).map(x -> x * 31).sum());
        }
    }
}
