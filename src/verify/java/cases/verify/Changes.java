package verify;

/**
 * The same program before and after a change, side by side in threads "before" and "after", which do the same pieces in the same order.
 * In a true profile only what was changed moves: work added to one method (causality), all methods twice as slow (nothing may move
 * except the threads), one method twice as slow.
 */
final class Changes implements Case {
    private static final long PIECE = 300_000;
    private static final int[] WEIGHTS = {5, 3, 2};
    private static final String[] METHODS = {"first", "second", "third"};

    private final int[] slower;
    private final int added;

    /** After the change each method takes this many times as long, and the second method also does this many pieces of new work. */
    private Changes(int added, int... slower) {
        this.added = added;
        this.slower = slower;
    }

    static Changes causality() {
        return new Changes(2, 1, 1, 1);
    }

    static Changes slowdown(int... slower) {
        return new Changes(0, slower);
    }

    static void first(Worker worker, int steps) {
        Work.sink = Work.spin(1, steps);
        worker.charge(0);
    }

    static void second(Worker worker, int steps, int added) {
        Work.sink = Work.spin(2, steps);
        if (added > 0) {
            Work.sink = newWork(added);
        }
        worker.charge(1);
    }

    static void third(Worker worker, int steps) {
        Work.sink = Work.spin(3, steps);
        worker.charge(2);
    }

    private static long newWork(int steps) {
        long x = steps;
        for (int i = 0; i < steps; i++) {
            x = (x ^ x >>> 21) * 6364136223846793005L + 1442695040888963407L;
        }
        return x;
    }

    private static final class Program extends Worker {
        private final long hands;
        private final int steps;
        private final int added;
        private final int[] slower;
        private final Deck deck;

        Program(String name, long seed, long hands, int steps, int added, int... slower) {
            super(name, METHODS.length);
            this.deck = new Deck(seed, WEIGHTS);
            this.hands = hands;
            this.steps = steps;
            this.added = added;
            this.slower = slower;
        }

        @Override
        void work() {
            for (long i = 0; i < hands * deck.size(); i++) {
                turn();
            }
        }

        private void turn() {
            int part = deck.next();
            int times = steps * slower[part];
            if (part == 0) {
                first(this, times);
            } else if (part == 1) {
                second(this, times, steps * added);
            } else {
                third(this, times);
            }
        }
    }

    @Override
    public void round(Round round) throws Exception {
        int before = 0, after = WEIGHTS[1] * added;
        for (int part = 0; part < WEIGHTS.length; part++) {
            before += WEIGHTS[part];
            after += WEIGHTS[part] * slower[part];
        }
        // Short pieces at first: methods are compiled after they have been called often.
        long piece = round.warm ? PIECE / 6 : PIECE;
        long hands = Math.max(1, round.budget / piece / (before + after));
        long seed = round.seed();
        Program plain = new Program(round.name("before"), seed, hands, Work.steps(piece), 0, 1, 1, 1);
        Program changed = new Program(round.name("after"), seed, hands, Work.steps(piece), added, slower);
        round.run(plain, changed);
        for (int part = 0; part < METHODS.length; part++) {
            round.part("before-" + METHODS[part], "before", "verify.Changes." + METHODS[part], plain.charged(part));
        }
        for (int part = 0; part < METHODS.length; part++) {
            round.part("after-" + METHODS[part], "after", "verify.Changes." + METHODS[part], changed.charged(part));
        }
    }
}
