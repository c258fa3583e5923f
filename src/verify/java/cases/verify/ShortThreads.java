package verify;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * Very many threads of a millisecond each, at most eight at once, beside one that lives as long as all of them together. Clocks that are
 * armed late, or begin with a whole period, miss the short ones; which half of their lives is seen shows the cause. The work of a thread
 * is fixed: it does not shrink when a sample costs time.
 */
final class ShortThreads implements Case {
    private static final int MOST_ALIVE = 8;
    private static final long LIFE = 1_000_000;

    static void first(Worker worker, int steps) {
        Work.sink = Work.spin(steps, steps);
        worker.charge(0);
    }

    static void second(Worker worker, int steps) {
        Work.sink = Work.spin(steps, steps);
        worker.charge(1);
    }

    static void steady(Worker worker, int steps) {
        Work.sink = Work.spin(steps, steps);
        worker.charge(0);
    }

    @Override
    public void round(Round round) throws Exception {
        int steps = Work.steps(LIFE / 2);
        Worker lasting = new Worker(round.name("long"), 1) {
            @Override
            void work() {
                while (spent() < round.budget / 2) {
                    steady(this, steps);
                }
            }
        };
        lasting.start();
        List<Worker> all = live(round, round.budget / 2 / LIFE, steps);
        long first = 0, second = 0;
        for (Worker each : all) {
            first += each.charged(0);
            second += each.charged(1);
        }
        all.add(lasting);
        round.finish(all);
        round.part("first", "short-", "verify.ShortThreads.first", first);
        round.part("second", "short-", "verify.ShortThreads.second", second);
        round.part("long", "long", "verify.ShortThreads.steady", lasting.charged(0));
    }

    /** Runs this many threads one after the other; all have ended when it returns. */
    private static List<Worker> live(Round round, long count, int steps) throws Exception {
        Semaphore free = new Semaphore(MOST_ALIVE);
        List<Worker> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            free.acquire();
            Worker worker = new Worker(round.name("short-" + i), 2) {
                @Override
                void work() {
                    first(this, steps);
                    second(this, steps);
                    free.release();
                }
            };
            all.add(worker);
            worker.start();
        }
        for (Worker worker : all) {
            worker.join();
        }
        return all;
    }
}
