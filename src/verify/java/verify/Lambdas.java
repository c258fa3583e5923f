package verify;

import java.util.HashMap;
import java.util.Map;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;

/**
 * Functions that the JDK's code calls: chained, merged into a map, mapped over a stream. They have no safepoint poll, so code
 * that was compiled before a profiler was attached describes them as their callers. Parts are the functions where these take
 * the time, else the method around it all.
 */
final class Lambdas extends Mix {
    Lambdas() {
        super(1, new int[] {3, 2, 2, 2, 1}, new Chained("rotate", Lambdas::rotate), new Chained("scramble", Lambdas::scramble),
              new Merged(), new Counting(), new Streaming());
    }

    private static final class Chained extends Piece {
        private final LongUnaryOperator chain;

        Chained(String method, LongUnaryOperator function) {
            super("verify.Lambdas." + method);
            chain = function.andThen(function).andThen(function);
        }

        @Override
        void work(Worker worker, int times) {
            long x = times;
            for (int i = 0; i < times; i++) {
                x = chain.applyAsLong(x);
            }
            charge(worker, x);
        }
    }

    private static final class Merged extends Piece {
        private final Map<Long, Long> map = new HashMap<>();

        Merged() {
            super("verify.Lambdas.combine");
        }

        @Override
        void work(Worker worker, int times) {
            for (long i = 0; i < times; i++) {
                map.merge(i & 15, i, Lambdas::combine);
            }
            charge(worker, map.size());
        }
    }

    private static final class Counting extends Piece {
        private final Map<Long, Long> map = new HashMap<>();

        @Override
        void work(Worker worker, int times) {
            for (long i = 0; i < times; i++) {
                map.merge(i & 15, 1L, Long::sum);
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

    private static long rotate(long x) {
        return Long.rotateLeft((long) Work.withoutPoll(x), 7);
    }

    private static long scramble(long x) {
        return (long) Work.withoutPoll(x) * 31;
    }

    private static long combine(long one, long other) {
        return (long) Work.withoutPoll(one + other);
    }
}
