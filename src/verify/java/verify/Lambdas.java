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
    private final LongUnaryOperator rotating = chain(Lambdas::rotate);
    private final LongUnaryOperator scrambling = chain(Lambdas::scramble);
    private final Map<Long, Long> map = new HashMap<>();

    Lambdas() {
        super(1, new String[] {"rotate", "scramble", "combine", "counting", "streaming"}, 3, 2, 2, 2, 1);
    }

    private static LongUnaryOperator chain(LongUnaryOperator function) {
        return function.andThen(function).andThen(function);
    }

    @Override
    long piece(int part, int times) {
        switch (part) {
        case 0:
            return calls(rotating, times);
        case 1:
            return calls(scrambling, times);
        case 2:
            return combining(map, times);
        case 3:
            return counting(map, times);
        default:
            return streaming(times);
        }
    }

    private static long calls(LongUnaryOperator function, int times) {
        long x = times;
        for (int i = 0; i < times; i++) {
            x = function.applyAsLong(x);
        }
        return x;
    }

    private static long combining(Map<Long, Long> map, int times) {
        for (long i = 0; i < times; i++) {
            map.merge(i & 15, i, Lambdas::combine);
        }
        return map.size();
    }

    static long counting(Map<Long, Long> map, int times) {
        for (long i = 0; i < times; i++) {
            map.merge(i & 15, 1L, Long::sum);
        }
        return map.size();
    }

    static long streaming(int times) {
        return LongStream.range(0, times).filter(x -> x % 3 != 0).map(x -> x * 31).sum();
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
