package verify;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Five hundred threads alive at once, in five groups with loads of 1, 2, 4, 8 and 16. A profiler that samples a few threads per tick, or
 * cannot give each thread a clock, shows loads that are too similar, or no difference. All the CPU time of a thread is in its group's
 * part.
 */
final class ManyThreads implements Case {
    private static final int PER_GROUP = 100;
    private static final String[] GROUPS = {"a-", "b-", "c-", "d-", "e-"};
    private static final int LOADS = (1 << GROUPS.length) - 1;
    private static final long STACK = 256 << 10;

    static void load(int times, int steps) {
        for (int i = 0; i < times; i++) {
            Work.sink = Work.spin(i, steps);
        }
    }

    @Override
    public void round(Round round) throws Exception {
        int steps = Work.steps(round.budget / PER_GROUP / LOADS);
        CountDownLatch all = new CountDownLatch(PER_GROUP * GROUPS.length);
        List<Worker> workers = new ArrayList<>();
        for (int i = 0; i < PER_GROUP; i++) {
            for (int group = 0; group < GROUPS.length; group++) {
                int times = 1 << group;
                workers.add(new Worker(round.name(GROUPS[group] + i), 0, STACK) {
                    @Override
                    void work() throws Exception {
                        all.countDown();
                        all.await();
                        load(times, steps);
                    }
                });
            }
        }
        round.run(workers);
        for (int group = 0; group < GROUPS.length; group++) {
            long nanos = 0;
            for (int i = group; i < workers.size(); i += GROUPS.length) {
                nanos += workers.get(i).cpu();
            }
            round.part(GROUPS[group].substring(0, 1), GROUPS[group], "-", nanos);
        }
    }
}
