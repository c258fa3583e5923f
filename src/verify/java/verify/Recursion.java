package verify;

/**
 * A thousand calls deep, with work at the bottom and half way. A sampler with a limit of depth has to keep the inner end of the
 * stack; one that gives up loses the time. Diving belongs to no part.
 */
final class Recursion extends Mix {
    private static final int HALF_WAY = 500;
    private static final int BOTTOM = 1000;

    Recursion() {
        super(1, new String[] {"bottom", "halfWay"}, 3, 2);
    }

    @Override
    void turn(Mixer mixer, int part, int times) {
        dive(mixer, part, times, 1);
    }

    @Override
    long piece(int part, int times) {
        return Work.spin(part, times);
    }

    private void dive(Mixer mixer, int part, int times, int depth) {
        if (depth == HALF_WAY && part == 1) {
            halfWay(mixer, times);
        } else if (depth == BOTTOM) {
            bottom(mixer, times);
        } else {
            dive(mixer, part, times, depth + 1);
        }
    }

    private void bottom(Mixer mixer, int times) {
        mixer.pass();
        Work.sink = piece(0, times);
        mixer.charge(0);
    }

    private void halfWay(Mixer mixer, int times) {
        mixer.pass();
        Work.sink = piece(1, times);
        mixer.charge(1);
    }
}
