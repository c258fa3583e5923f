import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.function.IntToLongFunction;

/**
 * Uses CPU time in code whose name differs in each run: a native library (the first argument) that is unpacked into a separate file and
 * deleted after loading, and the hidden class of a lambda.
 *
 * go rounds=N -> done sum (to show that there is one); a round is about a millisecond
 */
public final class Names {
    static native long burn(int rounds);

    static native long ask(int rounds);

    private static void load(String from) throws Exception {
        Path unpacked = Files.createTempFile("libnames", ".so");
        Files.copy(Paths.get(from), unpacked, StandardCopyOption.REPLACE_EXISTING);
        System.load(unpacked.toString());
        Files.delete(unpacked);
    }

    public static void main(String[] args) throws Exception {
        load(args[0]);
        IntToLongFunction lambda = rounds -> burn(40 * rounds) + ask(rounds);
        Rounds.serve(options -> {
            long sum = 0;
            for (int i = 0; i < (int) options.number("rounds", 1); i++) {
                sum += lambda.applyAsLong(20000);
            }
            return "sum=" + (sum != 0 ? 1 : 0);
        });
    }
}
