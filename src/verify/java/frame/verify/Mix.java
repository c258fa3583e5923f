package verify;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A case with one kind of thread, whose time is spent in a few methods: pieces of half a millisecond, each in one method, in random
 * order.
 */
abstract class Mix implements Case {
    private static final long PIECE = 500_000;
    private static final long WARM_PIECE = 50_000;

    private final int threads;
    private final int[] weights;
    private final Piece[] pieces;
    private final Pace[] paces;

    /** Of each piece, as many as its weight says. */
    Mix(int threads, int[] weights, Piece... parts) {
        this.threads = threads;
        this.weights = Arrays.copyOf(weights, weights.length + 1);
        this.weights[weights.length] = 1;
        pieces = Arrays.copyOf(parts, parts.length + 1);
        pieces[parts.length] = new Nothing();
        for (int part = 0; part < pieces.length; part++) {
            pieces[part].number(part);
        }
        paces = new Pace[pieces.length];
    }

    /** A third class besides the two others, because with two classes the compiler would inline both. */
    private static final class Nothing extends Piece {
        @Override
        void work(Worker worker, int times) {
            worker.pass();
        }
    }

    /** Methods that take hardly any time: their true time is 0. */
    String[] innocent() {
        return new String[0];
    }

    /** Before each piece. */
    void prepare(Mixer mixer) throws Exception {
    }

    final class Mixer extends Worker {
        final Pace[] paces = new Pace[pieces.length];
        private final Deck deck;
        private final long budget;
        private final long duration;

        Mixer(Round round, int index) {
            super(round.name(index), pieces.length);
            deck = new Deck(round.seed() + index, weights);
            budget = round.budget / threads;
            duration = round.warm ? WARM_PIECE : PIECE;
            for (int part = 0; part < paces.length; part++) {
                paces[part] = new Pace();
                if (Mix.this.paces[part] != null) {
                    paces[part].assume(Mix.this.paces[part].nanos());
                }
            }
        }

        @Override
        void work() throws Exception {
            while (spent() < budget) {
                draw();
            }
        }

        private void draw() throws Exception {
            prepare(this);
            int part = deck.next();
            int times = paces[part].times(duration);
            long before = charged(part);
            pieces[part].work(this, times);
            paces[part].took(times, charged(part) - before);
        }
    }

    @Override
    public final void round(Round round) throws Exception {
        List<Mixer> mixers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            mixers.add(new Mixer(round, i));
        }
        round.run(mixers);
        System.arraycopy(mixers.get(0).paces, 0, paces, 0, paces.length);
        for (int part = 0; part < pieces.length - 1; part++) {
            long nanos = 0;
            for (Mixer mixer : mixers) {
                nanos += mixer.charged(part);
            }
            round.part(pieces[part].method(), nanos);
        }
        for (String method : innocent()) {
            round.part(method, 0);
        }
    }
}
