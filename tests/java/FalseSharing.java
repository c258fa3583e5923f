import java.lang.reflect.Field;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

/**
 * A producer and a consumer with a queue between them. The indexes of the queue lie in the same cache line, or unused fields keep them
 * apart. The producer works for each element, so the consumer waits for most of them, in a loop around the load of the index that the
 * producer writes. Each call takes milliseconds, so that the compiler has no reason to inline it into its caller.
 *
 * go seconds=WALL_SECONDS queue=shared|padded -> done elements=N tail=OFFSET (of that index in its object; -1 = this JVM does not tell)
 */
public final class FalseSharing {
    static final int SLOTS = 1024;
    static final int WORK = 24;
    static final int BATCH = 100_000;
    static volatile long sink;

    static final class SharedQueue {
        final long[] slots = new long[SLOTS];
        volatile long head;
        volatile long tail;
    }

    static class Front {
        long a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15;
    }

    static class Head extends Front {
        volatile long head;
    }

    static class Middle extends Head {
        long b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15;
    }

    static class Tail extends Middle {
        volatile long tail;
    }

    static class Back extends Tail {
        long c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15;
    }

    static final class PaddedQueue extends Back {
        final long[] slots = new long[SLOTS];
    }

    static final AtomicLongFieldUpdater<SharedQueue> SHARED_HEAD = AtomicLongFieldUpdater.newUpdater(SharedQueue.class, "head");
    static final AtomicLongFieldUpdater<SharedQueue> SHARED_TAIL = AtomicLongFieldUpdater.newUpdater(SharedQueue.class, "tail");
    static final AtomicLongFieldUpdater<Head> PADDED_HEAD = AtomicLongFieldUpdater.newUpdater(Head.class, "head");
    static final AtomicLongFieldUpdater<Tail> PADDED_TAIL = AtomicLongFieldUpdater.newUpdater(Tail.class, "tail");

    static long produceShared(SharedQueue queue, long x, int times) {
        for (int i = 0; i < times; i++) {
            for (int k = 0; k < WORK; k++) {
                x = (x ^ x >>> 29) * 0xff51afd7ed558ccdL;
            }
            long tail = queue.tail;
            while (tail - queue.head == SLOTS) {
            }
            queue.slots[(int) tail & SLOTS - 1] = x;
            SHARED_TAIL.lazySet(queue, tail + 1);
        }
        return x;
    }

    static long consumeShared(SharedQueue queue, long x, int times) {
        for (int i = 0; i < times; i++) {
            long head = queue.head;
            while (queue.tail == head) {
            }
            x += queue.slots[(int) head & SLOTS - 1];
            SHARED_HEAD.lazySet(queue, head + 1);
        }
        return x;
    }

    static long producePadded(PaddedQueue queue, long x, int times) {
        for (int i = 0; i < times; i++) {
            for (int k = 0; k < WORK; k++) {
                x = (x ^ x >>> 29) * 0xff51afd7ed558ccdL;
            }
            long tail = queue.tail;
            while (tail - queue.head == SLOTS) {
            }
            queue.slots[(int) tail & SLOTS - 1] = x;
            PADDED_TAIL.lazySet(queue, tail + 1);
        }
        return x;
    }

    static long consumePadded(PaddedQueue queue, long x, int times) {
        for (int i = 0; i < times; i++) {
            long head = queue.head;
            while (queue.tail == head) {
            }
            x += queue.slots[(int) head & SLOTS - 1];
            PADDED_HEAD.lazySet(queue, head + 1);
        }
        return x;
    }

    private interface Batch {
        long run(long x);
    }

    /** How many elements were passed on. The consumer learns which batch is the last one before that batch begins. */
    static long run(long end, Batch produce, Batch consume) throws InterruptedException {
        AtomicLong batches = new AtomicLong(Long.MAX_VALUE);
        Thread producer = new Thread(() -> {
            long x = 1;
            long done = 0;
            for (boolean last = false; !last; done++) {
                last = System.nanoTime() - end >= 0;
                if (last) {
                    batches.set(done + 1);
                }
                x = produce.run(x);
            }
            sink = x;
        }, "producer");
        Thread consumer = new Thread(() -> {
            long x = 0;
            for (long done = 0; done < batches.get(); done++) {
                x = consume.run(x);
            }
            sink = x;
        }, "consumer");
        Rounds.together(producer, consumer);
        return batches.get() * BATCH;
    }

    static long offset(Class<?> type) {
        try {
            Class<?> unsafe = Class.forName("sun.misc.Unsafe");
            Field instance = unsafe.getDeclaredField("theUnsafe");
            instance.setAccessible(true);
            return (Long) unsafe.getMethod("objectFieldOffset", Field.class).invoke(instance.get(null), type.getDeclaredField("tail"));
        } catch (ReflectiveOperationException | RuntimeException e) {
            return -1;
        }
    }

    public static void main(String[] args) throws Exception {
        SharedQueue shared = new SharedQueue();
        PaddedQueue padded = new PaddedQueue();
        Rounds.serve(options -> {
            boolean pads = options.text("queue", "shared").equals("padded");
            long end = System.nanoTime() + (long) (options.number("seconds", 1) * 1e9);
            long elements = pads
                ? run(end, x -> producePadded(padded, x, BATCH), x -> consumePadded(padded, x, BATCH))
                : run(end, x -> produceShared(shared, x, BATCH), x -> consumeShared(shared, x, BATCH));
            return "elements=" + elements + " tail=" + offset(pads ? Tail.class : SharedQueue.class);
        });
    }
}
