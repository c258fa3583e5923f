import java.util.Scanner;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Starts child processes while other threads use CPU time. Every child must end with the requested status; its signals and file
 * descriptors are reported to the driver.
 *
 * go children=N -> done good bad blocked ignored fds (the last three: the child's SigBlk, SigIgn, open descriptors)
 */
public final class Children {
    static volatile long sink;

    static void burn(AtomicBoolean stop) {
        for (long x = 1; !stop.get(); sink = x) {
            for (int i = 0; i < 50_000; i++) {
                x = x * 6364136223846793005L + 1442695040888963407L;
            }
        }
    }

    /** Exit status of a shell that uses some CPU time itself, several sampling intervals long. */
    private static int child(int status) throws Exception {
        String script = "i=0; while [ $i -lt 10000 ]; do i=$((i+1)); done; exit " + status;
        Process process = new ProcessBuilder("/bin/sh", "-c", script).inheritIO().start();
        return process.waitFor(60, TimeUnit.SECONDS) ? process.exitValue() : -1;
    }

    private static String seen() throws Exception {
        String script = "awk '/^Sig(Blk|Ign)/ {print $2}' /proc/self/status; "
            + "n=0; for f in /proc/$$/fd/*; do n=$((n+1)); done; echo $n";
        Process process = new ProcessBuilder("/bin/sh", "-c", script).start();
        String[] words = new String[3];
        try (Scanner output = new Scanner(process.getInputStream())) {
            for (int i = 0; i < words.length; i++) {
                words[i] = output.next();
            }
        }
        process.waitFor();
        return " blocked=" + words[0] + " ignored=" + words[1] + " fds=" + words[2];
    }

    public static void main(String[] args) throws Exception {
        Rounds.serve(options -> {
            AtomicBoolean stop = new AtomicBoolean();
            Thread burner = new Thread(() -> burn(stop), "burner");
            burner.start();
            int good = 0;
            int children = (int) options.number("children", 10);
            for (int i = 0; i < children; i++) {
                good += child(i % 100) == i % 100 ? 1 : 0;
            }
            String seen = seen();
            stop.set(true);
            burner.join();
            return "good=" + good + " bad=" + (children - good) + seen;
        });
    }
}
