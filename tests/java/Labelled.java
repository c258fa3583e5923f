import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/**
 * Work of every kind that Pyroscope's agent records, with a label if that agent is there: two threads compute, allocate objects of which
 * some stay alive, and contend for a lock.
 *
 * go seconds=SECONDS -> done rounds
 */
public final class Labelled {
    private static final List<byte[]> kept = new ArrayList<>();
    static volatile long sink;

    private static long round() {
        long x = sink | 1;
        for (int i = 0; i < 100_000; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        synchronized (kept) {
            for (int i = 0; i < 200; i++) {
                byte[] block = new byte[2048];
                block[i] = (byte) x;
                if (i == 0 && kept.size() < 2000) {
                    kept.add(block);
                }
            }
            for (int i = 0; i < 300_000; i++) {
                x ^= x << 13;
                x ^= x >>> 7;
                x ^= x << 17;
            }
        }
        return x;
    }

    private static void work(long end) {
        while (System.nanoTime() < end) {
            sink = round();
        }
    }

    /** The same as LabelsWrapper.run(new LabelsSet("endpoint", name), task). */
    private static void labelled(String name, Runnable task) {
        try {
            Class<?> set = Class.forName("io.pyroscope.labels.v2.LabelsSet");
            Method run = Class.forName("io.pyroscope.labels.v2.Pyroscope$LabelsWrapper").getMethod("run", set, Runnable.class);
            run.invoke(null, set.getConstructor(String[].class).newInstance((Object) new String[] {"endpoint", name}), task);
        } catch (ReflectiveOperationException e) {
            task.run();
        }
    }

    public static void main(String[] args) throws Exception {
        Rounds.serve(options -> {
            long end = System.nanoTime() + (long) (options.number("seconds", 1) * 1e9);
            Thread[] threads = new Thread[2];
            for (int i = 0; i < threads.length; i++) {
                String name = "/page/" + i;
                threads[i] = new Thread(() -> labelled(name, () -> work(end)), "labelled-" + i);
            }
            Rounds.together(threads);
            return "rounds=1";
        });
    }
}
