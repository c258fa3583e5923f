import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Starts child processes from native code (tests/jvm/native_children.c, the program's first argument), while another thread uses CPU
 * time.
 *
 * go children=N -> done good bad (N in each way) [first: the result of the first bad one]
 */
public final class NativeChildren {
    /** Exit status of a child that was started in this way and told to end with that status; -signal if a signal killed it. */
    static native int child(int way, int status);

    static native String[] ways();

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        String[] ways = ways();
        Rounds.serve(options -> {
            AtomicBoolean stop = new AtomicBoolean();
            Thread burner = new Thread(() -> Children.burn(stop), "burner");
            burner.start();
            int good = 0;
            int bad = 0;
            String first = "";
            for (int i = 0; i < (int) options.number("children", 3); i++) {
                for (int way = 0; way < ways.length; way++) {
                    int status = child(way, i + 1);
                    if (status == i + 1) {
                        good++;
                    } else if (bad++ == 0) {
                        first = " first=" + ways[way] + ":" + status;
                    }
                }
            }
            stop.set(true);
            burner.join();
            return "good=" + good + " bad=" + bad + first;
        });
    }
}
