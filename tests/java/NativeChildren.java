import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Starts child processes from native code (tests/jvm/native_children.c), which is the program's first argument, while another
 * thread burns CPU.
 *
 * go children=N -> done good bad (of each way N) [first: what came of the first bad one]
 */
public final class NativeChildren {
    /** Exit status of a child that was started this way and asked for that status; -signal when one killed it. */
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
