import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Paths;

/**
 * A thread that touches so many pages for the first time: it allocates memory outside the heap, so much that it is mapped anew, which
 * is zeroed. Without huge pages (prctl) the kernel gives them one by one.
 *
 * go pages=N -> done pages=N faults=N (of the thread, by the kernel's own account)
 */
public final class Pages {
    static final int PAGE = 4096;
    static volatile ByteBuffer touched;

    static void touch(int pages) {
        touched = ByteBuffer.allocateDirect(pages * PAGE);
    }

    /** Minor and major faults, the tenth and twelfth field; the second one, a name in parentheses, may hold blanks. */
    static long faults() throws Exception {
        String stat = new String(Files.readAllBytes(Paths.get("/proc/thread-self/stat")));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return Long.parseLong(fields[7]) + Long.parseLong(fields[9]);
    }

    public static void main(String[] args) throws Exception {
        faults(); // once, so that its classes are there
        Rounds.serve(options -> {
            int pages = (int) options.number("pages", 1000);
            long[] found = new long[1];
            Exception[] failed = new Exception[1];
            Thread thread = new Thread(() -> {
                try {
                    long before = faults();
                    touch(pages);
                    found[0] = faults() - before;
                } catch (Exception e) {
                    failed[0] = e;
                }
            }, "touching");
            Rounds.together(thread);
            if (failed[0] != null) {
                throw failed[0];
            }
            return "pages=" + pages + " faults=" + found[0];
        });
    }
}
