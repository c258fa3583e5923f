package verify;

/** How often work has to be repeated to take a requested time. It follows the speed of the work, which the compilers change. */
final class Pace {
    private double nanos;

    /** Nanoseconds that one repetition takes; 0 as long as that is unknown. */
    double nanos() {
        return nanos;
    }

    void assume(double nanosPerTime) {
        nanos = nanosPerTime;
    }

    int times(long duration) {
        return nanos == 0 ? 1 : (int) Math.max(1, Math.min(Integer.MAX_VALUE, duration / nanos));
    }

    void took(int times, long duration) {
        double latest = (double) duration / times;
        nanos = nanos == 0 ? latest : (nanos + latest) / 2;
    }
}
