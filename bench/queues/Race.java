import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Queue;
import java.util.function.Supplier;
import org.jctools.queues.MpmcArrayQueue;
import org.jctools.queues.MpscArrayQueue;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.jctools.queues.SpscArrayQueue;
import org.jctools.queues.SpscChunkedArrayQueue;
import org.jctools.queues.SpscUnboundedArrayQueue;

/**
 * JCTools' queues in the race of race.c: one producer and one consumer, windows of a millisecond with the CPU time that both had.
 * Threads are not pinned. There is one queue per process, so that no call has more than one target.
 *
 * usage: java Race COLLECTOR ROUNDS MILLISECONDS QUEUE     lines as of race.c; the collector's name goes with the contender's
 */
public final class Race {
    private static final int SLOTS = 65536;
    private static final int BATCH = 64;
    private static final long WINDOW_NS = 1_000_000;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final Integer ELEMENT = 1;
    private static volatile boolean stop;

    private static final class Producer extends Thread {
        private final Queue<Integer> queue;

        Producer(Queue<Integer> queue) {
            this.queue = queue;
        }

        @Override
        public void run() {
            while (!stop)
                for (int i = 0; i < BATCH; i++)
                    queue.offer(ELEMENT);
        }
    }

    private static boolean ranAll(long cpu, long wall) {
        return cpu * 100 >= wall * 97 && cpu * 100 <= wall * 103;
    }

    private static void consume(Queue<Integer> queue, long producer, long runNs, String line) {
        StringBuilder out = new StringBuilder();
        long taken = 0, turns = 0, before = 0;
        long wall = System.nanoTime(), end = wall + runNs, own = THREADS.getCurrentThreadCpuTime();
        long other = THREADS.getThreadCpuTime(producer);
        boolean first = true;
        for (long now = wall; now < end; ) {
            for (int i = 0; i < BATCH; i++)
                if (queue.poll() != null)
                    taken++;
            if (++turns % 32 != 0)
                continue;
            now = System.nanoTime();
            if (now - wall < WINDOW_NS)
                continue;
            long ownNow = THREADS.getCurrentThreadCpuTime(), otherNow = THREADS.getThreadCpuTime(producer);
            boolean clean = ranAll(ownNow - own, now - wall) && ranAll(otherNow - other, now - wall);
            if (!first)
                out.append(String.format("%s,%.2f,%d%n", line, (taken - before) * 1000.0 / (now - wall), clean ? 1 : 0));
            first = false;
            wall = System.nanoTime();
            own = ownNow;
            other = otherNow;
            before = taken;
        }
        System.out.print(out);
    }

    private static void run(String name, String group, Supplier<Queue<Integer>> make, int round, long runNs) throws Exception {
        Queue<Integer> queue = make.get();
        stop = false;
        Producer producer = new Producer(queue);
        producer.start();
        Thread consumer = new Thread(() -> consume(queue, producer.getId(), runNs, round + "," + group + "," + name + ",0"));
        consumer.start();
        consumer.join();
        stop = true;
        producer.join();
    }

    public static void main(String[] args) throws Exception {
        String suffix = " (" + args[0] + ")";
        int rounds = Integer.parseInt(args[1]);
        long runNs = Long.parseLong(args[2]) * 1_000_000;
        for (int round = 0; round < rounds; round++)
            switch (args[3]) {
                case "SpscArrayQueue" -> run("JCTools SpscArrayQueue" + suffix, "spsc", () -> new SpscArrayQueue<>(SLOTS), round, runNs);
                case "SpscChunkedArrayQueue" -> run("JCTools SpscChunkedArrayQueue" + suffix, "spsc",
                        () -> new SpscChunkedArrayQueue<>(1024, SLOTS), round, runNs);
                case "SpscUnboundedArrayQueue" -> run("JCTools SpscUnboundedArrayQueue" + suffix, "spsc",
                        () -> new SpscUnboundedArrayQueue<>(1024), round, runNs);
                case "MpscArrayQueue" -> run("JCTools MpscArrayQueue" + suffix, "mpsc", () -> new MpscArrayQueue<>(SLOTS), round, runNs);
                case "MpscUnboundedArrayQueue" -> run("JCTools MpscUnboundedArrayQueue" + suffix, "mpsc",
                        () -> new MpscUnboundedArrayQueue<>(1024), round, runNs);
                case "MpmcArrayQueue" -> run("JCTools MpmcArrayQueue" + suffix, "mpmc", () -> new MpmcArrayQueue<>(SLOTS), round, runNs);
                default -> throw new IllegalArgumentException(args[3]);
            }
    }
}
