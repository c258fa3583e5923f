import java.util.Arrays;
import java.util.List;

/**
 * Everything that is hard for a profiler, at once: classes that come and go, threads that come and go, many deoptimizations, stacks that
 * overflow, and an ordinary load that allocates.
 *
 * go with the words of each of the programs -> done with the answers of each of them
 */
public final class Soak {
    private static final List<Rounds.Round> PROGRAMS =
        Arrays.asList(Loaders::round, ThreadChurn::round, Deopts::round, Overflow::round, Steady::round);

    static String round(Rounds.Options options) throws Exception {
        String[] answers = new String[PROGRAMS.size()];
        Thread[] threads = new Thread[answers.length];
        for (int i = 0; i < answers.length; i++) {
            int program = i;
            threads[i] = new Thread(() -> {
                try {
                    answers[program] = PROGRAMS.get(program).run(options);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }, "soak-" + i);
        }
        Rounds.together(threads);
        return String.join(" ", answers);
    }

    public static void main(String[] args) throws Exception {
        Rounds.serve(Soak::round);
    }
}
