/**
 * Takes signals with native code (tests/jvm/signal_takers.c); the first round names its library, and loads it.
 *
 * go load=LIBRARY -> done ok=1
 * go take signal=N -> done ways=N wrong=(what was not as without a profiler, with _ for spaces; none)
 * go once signal=N how=(raw, timer, keep) -> done calls=N [of the handler that keep has left]
 * go look signal=N -> done kernel=(1: what the kernel has is what the library has set last) names=(where "sigaction" leads to)
 * go burn -> done cpu_ns=N
 */
public final class SignalTakers {
    static native int ways();

    /** Null if everything was as it should be. */
    static native String take(int way, int signal);

    static native int once(String how, int signal);

    static native boolean look(int signal);

    static native long names();

    static native void burn(long ns);

    /** The same, and the thread blocks all signals from then on. */
    static native void burnDeaf(long ns);

    static String takeAll(int signal) {
        int ways = ways();
        for (int way = 0; way < ways; way++) {
            String wrong = take(way, signal);
            if (wrong != null) {
                return "ways=" + way + " wrong=" + wrong.replace(' ', '_');
            }
        }
        return "ways=" + ways + " wrong=none";
    }

    public static void main(String[] args) throws Exception {
        Rounds.serve(options -> {
            int signal = (int) options.number("signal", 0);
            switch (options.word()) {
                case "take":
                    return takeAll(signal);
                case "once":
                    return "calls=" + once(options.text("how", ""), signal);
                case "look":
                    return "kernel=" + (look(signal) ? 1 : 0) + " names=" + names();
                case "burn":
                    long before = Rounds.cpu();
                    burn(300_000_000);
                    return "cpu_ns=" + (Rounds.cpu() - before);
                default:
                    System.load(options.text("load", ""));
                    return "ok=1";
            }
        });
    }
}
