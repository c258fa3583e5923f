import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;

/** A real program to record: javac compiles these sources repeatedly on every core. Compiles SECONDS SOURCE... */
public final class Compiles {
    private static void compile(String[] sources, long end) {
        ToolProvider javac = ToolProvider.findFirst("javac").orElseThrow();
        PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
        try {
            while (System.nanoTime() < end) {
                Path target = Files.createTempDirectory("compiles");
                List<String> arguments = new ArrayList<>(List.of("-nowarn", "-encoding", "UTF-8", "-d", target.toString()));
                arguments.addAll(List.of(sources));
                javac.run(nowhere, nowhere, arguments.toArray(String[]::new));
                try (var files = Files.walk(target)) {
                    files.sorted((a, b) -> b.compareTo(a)).forEach(path -> path.toFile().delete());
                }
            }
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
        String[] sources = List.of(args).subList(1, args.length).toArray(String[]::new);
        Thread[] threads = new Thread[Runtime.getRuntime().availableProcessors()];
        for (int i = 0; i < threads.length; i++)
            (threads[i] = new Thread(() -> compile(sources, end), "compiler-" + i)).start();
        for (Thread thread : threads)
            thread.join();
    }
}
