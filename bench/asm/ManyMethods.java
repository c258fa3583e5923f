import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.spi.ToolProvider;

/**
 * Uses the JDK's tools once, so that a JVM with -Xcomp compiles their methods, and then runs Units.
 *
 * ManyMethods TARGET SOURCE...
 */
public final class ManyMethods {
    static void run(String name, String... arguments) {
        PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
        int status = ToolProvider.findFirst(name).orElseThrow().run(nowhere, nowhere, arguments);
        if (status != 0) {
            throw new IllegalStateException(name + " ends with " + status);
        }
    }

    public static void main(String[] args) throws Exception {
        Path target = Path.of(args[0]);
        List<String> arguments = new ArrayList<>(List.of("-nowarn", "-encoding", "UTF-8", "-d", target.toString()));
        arguments.addAll(Arrays.asList(args).subList(1, args.length));
        run("javac", arguments.toArray(String[]::new));
        arguments = new ArrayList<>(List.of("-v", "-p"));
        try (var files = Files.list(target)) {
            files.map(Path::toString).filter(path -> path.endsWith(".class")).forEach(arguments::add);
        }
        run("javap", arguments.toArray(String[]::new));
        run("jar", "--create", "--file", target.resolve("all.jar").toString(), "-C", target.toString(), ".");
        run("jdeps", "-v", target.resolve("all.jar").toString());
        Units.main(new String[0]);
    }
}
