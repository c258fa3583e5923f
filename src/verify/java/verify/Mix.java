package verify;

import java.util.ArrayList;
import java.util.List;

/**
 * A case of one kind of thread, whose time goes to a few methods: pieces of half a millisecond, each in one method, in random
 * order.
 */
abstract class Mix implements Case {
    private static final long PIECE = 500_000;
    private static final long WARM_PIECE = 50_000;

    private final int threads;
    private final String[] methods;
    private final int[] weights;
    private final Pace[] paces;

    Mix(int threads, String[] methods, int... weights) {
        this.threads = threads;
        this.methods = methods;
        this.weights = weights;
        this.paces = new Pace[methods.length];
    }

    /** Repeats the work of the part so often; returns something of its result. */
    abstract long piece(int part, int times) throws Exception;

    /** Methods that take next to no time: their truth is 0. */
    String[] innocent() {
        return new String[0];
    }

    /** One piece and its charge; of other shape where not all of a piece belongs to the part. */
    void turn(Mixer mixer, int part, int times) throws Exception {
        Work.sink = piece(part, times);
        mixer.charge(part);
    }

    final class Mixer extends Worker {
        final Pace[] paces = new Pace[methods.length];
        private final Deck deck;
        private final long budget;
        private final long duration;

        Mixer(Round round, int index) {
            super(round.name(index), methods.length);
            deck = new Deck(index, weights);
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
            int part = deck.next();
            int times = paces[part].times(duration);
            long before = charged(part);
            turn(this, part, times);
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
        for (int part = 0; part < methods.length; part++) {
            long nanos = 0;
            for (Mixer mixer : mixers) {
                nanos += mixer.charged(part);
            }
            round.part(shortName(methods[part]), "", fullName(methods[part]), nanos);
        }
        for (String method : innocent()) {
            round.part(shortName(method), "", fullName(method), 0);
        }
    }

    /** Methods are of the case's class, unless they name another one of this package. */
    private String fullName(String method) {
        return method.indexOf('.') < 0 ? getClass().getName() + "." + method : "verify." + method;
    }

    private static String shortName(String method) {
        return method.substring(method.lastIndexOf('$') + 1);
    }
}
