import java.io.File;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.openjdk.jmc.common.item.IItemCollection;
import org.openjdk.jmc.common.unit.IQuantity;
import org.openjdk.jmc.common.util.IPreferenceValueProvider;
import org.openjdk.jmc.flightrecorder.JfrLoaderToolkit;
import org.openjdk.jmc.flightrecorder.rules.IResult;
import org.openjdk.jmc.flightrecorder.rules.IRule;
import org.openjdk.jmc.flightrecorder.rules.RuleRegistry;
import org.openjdk.jmc.flightrecorder.rules.Severity;
import org.openjdk.jmc.flightrecorder.rules.TypedResult;
import org.openjdk.jmc.flightrecorder.rules.util.RulesToolkit;

/**
 * Judges recordings with the rules of JDK Mission Control: java Rules.java FILE... Prints a line for each result of severity INFO or
 * WARNING, the worst first: FILE, rule, score, summary, separated by tabs.
 */
public final class Rules {
    private static final int THREADS = 4;
    private static final long MOST_NS = TimeUnit.SECONDS.toNanos(30); // for one recording

    private record Found(String rule, double score, String summary) {
    }

    private static Found found(IResult result) {
        IQuantity score = result.getResult(TypedResult.SCORE);
        String summary = result.getSummary() == null ? "" : result.getSummary().replaceAll("\\s+", " ");
        return new Found(result.getRule().getId(), score == null ? 0 : score.doubleValue(), summary);
    }

    /** Some rules never end on some recordings. */
    private static IResult result(Future<IResult> each, long end) throws Exception {
        try {
            return each.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return null;
        }
    }

    private static void judge(String path) throws Exception {
        IItemCollection events = JfrLoaderToolkit.loadEvents(new File(path));
        Map<IRule, Future<IResult>> results =
            RulesToolkit.evaluateParallel(RuleRegistry.getRules(), events, IPreferenceValueProvider.DEFAULT_VALUES, THREADS);
        long end = System.nanoTime() + MOST_NS;
        List<Found> all = new ArrayList<>();
        for (Future<IResult> each : results.values()) {
            IResult result = result(each, end);
            if (result != null && (result.getSeverity() == Severity.WARNING || result.getSeverity() == Severity.INFO)) {
                all.add(found(result));
            }
        }
        all.sort(Comparator.comparingDouble(Found::score).reversed());
        for (Found one : all) {
            System.out.printf("%s\t%s\t%.0f\t%s%n", path, one.rule, one.score, one.summary);
        }
    }

    public static void main(String[] files) throws Exception {
        for (String path : files) {
            judge(path);
        }
        System.exit(0); // without waiting for rules that do not end
    }
}
