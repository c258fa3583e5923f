package verify;

/**
 * Work that repeats with exactly the interval of the profiler (interval=NS, default a millisecond), by the thread's own clock: the first
 * quarter of each period in one method, the rest in another. A clock that ticks evenly sees the same point every time.
 */
final class Periodic implements Case {
    static void quarter(Worker worker, long until, int steps) {
        while (worker.spent() < until) {
            Work.sink = Work.spin(until, steps);
            worker.charge(0);
        }
    }

    static void rest(Worker worker, long until, int steps) {
        while (worker.spent() < until) {
            Work.sink = Work.spin(until, steps);
            worker.charge(1);
        }
    }

    @Override
    public void round(Round round) throws Exception {
        long period = round.option("interval", 1_000_000);
        int steps = Work.steps(period / 100);
        Worker worker = new Worker(round.name("periodic"), 2) {
            @Override
            void work() {
                for (long begin = 0; begin < round.budget; begin += period) {
                    quarter(this, begin + period / 4, steps);
                    rest(this, begin + period, steps);
                }
            }
        };
        round.run(worker);
        round.part("quarter", "", "verify.Periodic.quarter", worker.charged(0));
        round.part("rest", "", "verify.Periodic.rest", worker.charged(1));
    }
}
