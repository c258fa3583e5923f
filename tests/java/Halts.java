/**
 * Planted causes that stop all threads, each with a twin that does the same work without it.
 *
 * go collect calls=N -> done calls=N   some work, then System.gc(), N times
 * go calm calls=N    -> done calls=0   the work, without
 * go loop calls=N    -> done calls=N   System.gc() while a thread is in a counted loop;
 *                                      the flags decide whether that has polls
 */
public final class Halts {
    private static final int WARM_CALLS = 20_000;
    private static final int WARM_LENGTH = 2_000;
    private static final int LENGTH = 50_000_000;
    private static final long PAUSE_MS = 20;

    static volatile long sink;
    static volatile boolean over;

    /** Its length is known before it begins, so that a compiler may leave its polls out. */
    static int counted(int length) {
        int sum = 1;
        for (int i = 0; i < length; i++) {
            sum += (sum >>> 3) ^ i;
        }
        return sum;
    }

    static void callCollector() {
        System.gc();
    }

    private static void work() {
        sink += counted(WARM_LENGTH);
    }

    private static void warm() {
        for (int i = 0; i < WARM_CALLS; i++) {
            work();
        }
    }

    private static void spin() {
        while (!over) {
            sink += counted(LENGTH);
        }
    }

    private static String collect(int calls, boolean really) {
        for (int i = 0; i < calls; i++) {
            work();
            if (really) {
                callCollector();
            }
        }
        return "calls=" + (really ? calls : 0);
    }

    private static String loop(int calls) throws InterruptedException {
        Thread thread = new Thread(Halts::spin, "looper");
        warm();
        over = false;
        thread.start();
        for (int i = 0; i < calls; i++) {
            Thread.sleep(PAUSE_MS);
            callCollector();
        }
        over = true;
        thread.join();
        return "calls=" + calls;
    }

    private static String round(Rounds.Options options) throws Exception {
        int calls = (int) options.number("calls", 10);
        return options.word().equals("loop") ? loop(calls) : collect(calls, options.word().equals("collect"));
    }

    public static void main(String[] args) throws Exception {
        Rounds.serve(Halts::round);
    }
}
