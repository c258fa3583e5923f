import java.lang.reflect.Method;

/**
 * Programs that count the bytes of their own objects: objects of four sizes, each with its own class and method.
 *
 * go size=small|medium|large|huge|mixed bytes=N [threads=N] [virtual=1]: allocates objects of that size, N bytes of them in each of so
 * many threads; the answer counts them. size=mixed: N bytes of each size, by turns. The sizes are right for 8-byte aligned objects, with
 * headers of 12 as well as 16 bytes.
 */
final class Allocations {
    static volatile Object sink;

    static final int SMALL = 96, MEDIUM = 4096, LARGE = 200 << 10, HUGE = 2 << 20;

    static long small(long bytes) {
        long n = bytes / SMALL;
        for (long i = 0; i < n; i++) {
            sink = new byte[SMALL - 16];
        }
        return n;
    }

    static long medium(long bytes) {
        long n = bytes / MEDIUM;
        for (long i = 0; i < n; i++) {
            sink = new int[(MEDIUM - 16) / 4];
        }
        return n;
    }

    static long large(long bytes) {
        long n = bytes / LARGE;
        for (long i = 0; i < n; i++) {
            sink = new char[(LARGE - 16) / 2];
        }
        return n;
    }

    static long huge(long bytes) {
        long n = bytes / HUGE;
        for (long i = 0; i < n; i++) {
            sink = new long[(HUGE - 16) / 8];
        }
        return n;
    }

    static long work(String size, long bytes) {
        switch (size) {
            case "small":
                return small(bytes) * SMALL;
            case "medium":
                return medium(bytes) * MEDIUM;
            case "large":
                return large(bytes) * LARGE;
            case "mixed":
                return mixed(bytes);
            default:
                return huge(bytes) * HUGE;
        }
    }

    /** Returns the bytes of one size; those of the others differ by one object at most. */
    static long mixed(long bytes) {
        long done = 0;
        for (; done < bytes; done += HUGE) {
            small(HUGE);
            medium(HUGE);
            large(HUGE);
            huge(HUGE);
        }
        return done;
    }

    private static Thread start(Runnable task, boolean virtual, int number) throws Exception {
        if (virtual) {
            Method begin = Thread.class.getMethod("startVirtualThread", Runnable.class);
            return (Thread) begin.invoke(null, task);
        }
        Thread thread = new Thread(task, "allocates-" + number);
        thread.start();
        return thread;
    }

    private static String round(Rounds.Options options) throws Exception {
        final String size = options.text("size", "small");
        final long bytes = (long) options.number("bytes", 1 << 20);
        int count = (int) options.number("threads", 1);
        final long[] done = new long[count];
        Thread[] threads = new Thread[count];
        for (int i = 0; i < count; i++) {
            final int number = i;
            threads[i] = start(new Runnable() {
                @Override
                public void run() {
                    done[number] = work(size, bytes);
                }
            }, options.number("virtual", 0) != 0, i);
        }
        long sum = 0;
        for (int i = 0; i < count; i++) {
            threads[i].join();
            sum += done[i];
        }
        return "bytes=" + sum;
    }

    public static void main(String[] arguments) throws Exception {
        Rounds.serve(new Rounds.Round() {
            @Override
            public String run(Rounds.Options options) throws Exception {
                return round(options);
            }
        });
    }
}
