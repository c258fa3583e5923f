import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Paths;

/**
 * A thread that touches a given number of pages for the first time: it allocates so much memory outside of the heap that the memory is
 * newly mapped and zeroed. Without huge pages (prctl) the kernel provides the pages one by one.
 *
 * go pages=N -> done pages=N faults=N (of the thread, by the kernel's own count)
 */
public final class Pages {
    static final int PAGE = 4096;
    static volatile ByteBuffer touched;

    static void touch(int pages) {
        touched = ByteBuffer.allocateDirect(pages * PAGE);
    }

    /** Minor and major faults, the tenth and twelfth field; the second field, a name in parentheses, may contain blanks. */
    static long faults() throws Exception {
        String stat = new String(Files.readAllBytes(Paths.get("/proc/thread-self/stat")));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return Long.parseLong(fields[7]) + Long.parseLong(fields[9]);
    }

    public static void main(String[] args) throws Exception {
        faults(); // once, so that its classes are loaded
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
