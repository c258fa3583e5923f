import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.HashMap;
import java.util.Map;

/**
 * How a test program talks to its driver over standard input and output.
 *
 * The program prints "ready". For each line "go [word ...] [key=value ...]" it runs one round of work and prints one
 * line "done key=value ...": the truth of that round. End of input ends the program. Between rounds it uses no CPU,
 * so a profiler can be attached there and the truth of a round is the truth of the recording.
 */
final class Rounds {
    interface Round {
        /** Returns "key=value key=value ...". */
        String run(Options options) throws Exception;
    }

    static final class Options {
        private final Map<String, String> values = new HashMap<>();
        private String word = "";

        String word() {
            return word;
        }

        double number(String key, double otherwise) {
            return values.containsKey(key) ? Double.parseDouble(values.get(key)) : otherwise;
        }

        String text(String key, String otherwise) {
            return values.getOrDefault(key, otherwise);
        }
    }

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    static void serve(Round round) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            System.out.println("done " + round.run(parse(line)));
        }
    }

    private static Options parse(String line) {
        Options options = new Options();
        String[] words = line.trim().split(" +");
        for (int i = 1; i < words.length; i++) {
            int equals = words[i].indexOf('=');
            if (equals < 0) {
                options.word = words[i];
            } else {
                options.values.put(words[i].substring(0, equals), words[i].substring(equals + 1));
            }
        }
        return options;
    }

    /** CPU time of the calling thread, in nanoseconds, by its own clock. */
    static long cpu() {
        return THREADS.getCurrentThreadCpuTime();
    }

    /** Starts all threads and waits for the end of all. */
    static void together(Thread... threads) throws InterruptedException {
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private Rounds() {
    }
}
