import java.util.SplittableRandom;

/**
 * Two methods of equal cost per call, called 70 to 30 in random order. Each thread measures the CPU time of both with its own CPU clock:
 * that is the truth, whatever the compiler made of them.
 *
 * go seconds=CPU_SECONDS_PER_THREAD [threads=2] -> done heavy_ns light_ns heavy_calls light_calls cpu_ns
 */
public final class TwoMethods {
    private static final int STEPS = 50_000;

    static volatile long sink;

    static long heavy(long seed) {
        long x = seed;
        for (int i = 0; i < STEPS; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    static long light(long seed) {
        long x = seed;
        for (int i = 0; i < STEPS; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    private static final class Worker extends Thread {
        final long budget;
        final SplittableRandom random;
        long heavyNs, lightNs, heavyCalls, lightCalls, cpu;

        Worker(int index, long budget) {
            super("two-methods-" + index);
            this.budget = budget;
            this.random = new SplittableRandom(index);
        }

        @Override
        public void run() {
            long x = 1;
            long begin = Rounds.cpu();
            long last = begin;
            while (last - begin < budget) {
                boolean first = random.nextInt(10) < 7;
                x = first ? heavy(x) : light(x);
                long now = Rounds.cpu();
                if (first) {
                    heavyNs += now - last;
                    heavyCalls++;
                } else {
                    lightNs += now - last;
                    lightCalls++;
                }
                last = now;
            }
            sink = x;
            cpu = Rounds.cpu();
        }
    }

    public static void main(String[] args) throws Exception {
        Rounds.serve(options -> {
            Worker[] workers = new Worker[(int) options.number("threads", 2)];
            for (int i = 0; i < workers.length; i++) {
                workers[i] = new Worker(i, (long) (options.number("seconds", 1) * 1e9));
            }
            Rounds.together(workers);
            long heavyNs = 0, lightNs = 0, heavyCalls = 0, lightCalls = 0, cpu = 0;
            for (Worker worker : workers) {
                heavyNs += worker.heavyNs;
                lightNs += worker.lightNs;
                heavyCalls += worker.heavyCalls;
                lightCalls += worker.lightCalls;
                cpu += worker.cpu;
            }
            return "heavy_ns=" + heavyNs + " light_ns=" + lightNs + " heavy_calls=" + heavyCalls + " light_calls="
                + lightCalls + " cpu_ns=" + cpu;
        });
    }
}
