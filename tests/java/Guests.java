/**
 * A process with everything that may conflict with a profiler: all of Soak, goroutines, a library that takes signals after the recording
 * has begun, and a thread that blocks every signal.
 *
 * go load go=LIBRARY takers=LIBRARY: loads these libraries -> done
 * go (the words of Soak) signal=N goes=(1 with goroutines, which rest between rounds) -> done (the answer of Soak), wrong=(differences
 * to a run without a profiler; none) rounds=(of goroutines)
 */
public final class Guests {
    private static final long DEAF_NS = 500_000_000;

    private static String load(Rounds.Options options) {
        if (!options.text("go", "").isEmpty()) {
            System.load(options.text("go", ""));
            Goroutines.start(1);
        }
        System.load(options.text("takers", ""));
        return "";
    }

    private static String round(Rounds.Options options) throws Exception {
        if (options.word().equals("load")) {
            return load(options);
        }
        int signal = (int) options.number("signal", 0);
        boolean goes = options.number("goes", 0) > 0;
        if (goes) {
            Goroutines.rest(false);
        }
        String[] soak = {"", ""};
        Thread deaf = new Thread(() -> SignalTakers.burnDeaf(DEAF_NS), "deaf");
        Thread taker = new Thread(() -> soak[0] = SignalTakers.takeAll(signal), "taker");
        Thread others = new Thread(() -> {
            try {
                soak[1] = Soak.round(options);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, "soak");
        Rounds.together(deaf, taker, others);
        if (goes) {
            Goroutines.rest(true);
        }
        return soak[0] + " " + soak[1] + (goes ? " rounds=" + Goroutines.rounds() : "");
    }

    public static void main(String[] args) throws Exception {
        Rounds.serve(Guests::round);
    }
}
