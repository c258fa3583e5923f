package verify;

import java.util.concurrent.locks.LockSupport;

/**
 * Threads that work for half a millisecond of every three, and for two of every twenty, beside one that always works. Clocks that
 * measure wall-clock time, or start again with each burst, give them too much or too little. Each burst has two halves in separate
 * methods: a profiler that tends to sample when a thread begins to run sees mostly the first half.
 */
final class Bursts implements Case {
    private static final long PIECE = 250_000;

    private volatile boolean over;

    static void first(Worker worker, int part, int steps) {
        Work.sink = Work.spin(part, steps);
        worker.charge(part);
    }

    static void second(Worker worker, int part, int steps) {
        Work.sink = Work.spin(part, steps);
        worker.charge(part);
    }

    static void steady(Worker worker, int steps) {
        Work.sink = Work.spin(0, steps);
        worker.charge(0);
    }

    private final class Bursting extends Worker {
        private final long period;
        private final int steps;

        Bursting(String name, long period, long half) {
            super(name, 2);
            this.period = period;
            this.steps = Work.steps(half);
        }

        @Override
        void work() {
            for (long next = System.nanoTime(); !over; LockSupport.parkNanos(next - System.nanoTime())) {
                pass(); // the cost of sleeping belongs to no part
                first(this, 0, steps);
                second(this, 1, steps);
                next = Math.max(next + period, System.nanoTime());
            }
        }
    }

    @Override
    public void round(Round round) throws Exception {
        over = false;
        Worker brief = new Bursting(round.name("short"), 3_000_000, 250_000);
        Worker lasting = new Bursting(round.name("long"), 20_000_000, 1_000_000);
        // On idle processors the others use a quarter of the time that this one uses.
        Worker steady = new Worker(round.name("steady"), 1) {
            @Override
            void work() {
                int steps = Work.steps(PIECE);
                while (spent() < round.budget / 5 * 4) {
                    steady(this, steps);
                }
                over = true;
            }
        };
        round.run(brief, lasting, steady);
        round.part("short-first", "short", "verify.Bursts.first", brief.charged(0));
        round.part("short-second", "short", "verify.Bursts.second", brief.charged(1));
        round.part("long-first", "long", "verify.Bursts.first", lasting.charged(0));
        round.part("long-second", "long", "verify.Bursts.second", lasting.charged(1));
        round.part("steady", "steady", "verify.Bursts.steady", steady.charged(0));
    }
}
