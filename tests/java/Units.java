import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Threads that do pieces of work of one size below a stack of a known depth, for a given time: the CPU time of a piece shows how much of
 * it was taken from the thread.
 *
 * go threads=N depth=N seconds=SECONDS -> done units cpu_ns longest_ns; longest_ns: the longest elapsed time between two pieces, of the
 * thread for which it was shortest
 *
 * go load classes=N -> done classes: loads so many of the JDK's own classes (JDK 9 and later), as a large application does
 */
public final class Units {
    static final int PIECE = 20_000;
    static volatile boolean end;
    static volatile long sink;

    private final int depth;
    private final CountDownLatch begun;
    private final CountDownLatch gate;
    long units;
    long cpu;
    long longest;

    /** Work begins when all threads have been started: thousands of working threads would leave no processor to start more. */
    Units(int depth, CountDownLatch begun, CountDownLatch gate) {
        this.depth = depth;
        this.begun = begun;
        this.gate = gate;
    }

    static long piece(long seed) {
        long x = seed;
        for (int i = 0; i < PIECE; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
        }
        return x;
    }

    void pass() {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    long work(long seed) {
        long x = seed;
        begun.countDown();
        pass();
        long before = Rounds.cpu();
        for (long last = System.nanoTime(); !end; units++) {
            x = piece(x);
            long now = System.nanoTime();
            longest = Math.max(longest, now - last);
            last = now;
        }
        cpu = Rounds.cpu() - before;
        return x;
    }

    long dive(int left, long seed) {
        return left == 0 ? work(seed) : dive(left - 1, seed) + 1;
    }

    /** And links them, as before their first use. */
    private static boolean isLoaded(String name) {
        try {
            return Class.forName(name, false, ClassLoader.getSystemClassLoader()).getDeclaredMethods() != null;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    /** The names of the classes of all modules, in the order of the modules. */
    private static List<String> names() throws IOException {
        Path modules = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules");
        try (Stream<Path> files = Files.walk(modules)) {
            return files.filter(file -> file.toString().endsWith(".class") && !file.endsWith("module-info.class"))
                .map(file -> modules.relativize(file)).map(file -> file.subpath(1, file.getNameCount()).toString())
                .map(name -> name.substring(0, name.length() - ".class".length()).replace('/', '.'))
                .collect(Collectors.toList());
        }
    }

    private static String load(int classes) throws IOException {
        return "classes=" + names().stream().filter(Units::isLoaded).limit(classes).count();
    }

    static String round(Rounds.Options options) throws Exception {
        if (options.word().equals("load")) {
            return load((int) options.number("classes", 0));
        }
        int threads = (int) options.number("threads", 1);
        CountDownLatch begun = new CountDownLatch(threads);
        CountDownLatch gate = new CountDownLatch(1);
        Units[] all = new Units[threads];
        Thread[] workers = new Thread[threads];
        end = false;
        for (int i = 0; i < threads; i++) {
            Units one = all[i] = new Units((int) options.number("depth", 20), begun, gate);
            workers[i] = new Thread(null, () -> sink = one.dive(one.depth, one.depth), "units-" + i, 1 << 20);
            workers[i].start();
        }
        begun.await();
        gate.countDown();
        Thread.sleep((long) (1000 * options.number("seconds", 1)));
        end = true;
        long units = 0;
        long cpu = 0;
        long longest = Long.MAX_VALUE;
        for (int i = 0; i < threads; i++) {
            workers[i].join();
            units += all[i].units;
            cpu += all[i].cpu;
            longest = Math.min(longest, all[i].longest);
        }
        return "units=" + units + " cpu_ns=" + cpu + " longest_ns=" + longest;
    }

    public static void main(String[] args) throws Exception {
        Rounds.serve(Units::round);
    }
}
