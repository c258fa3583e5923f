package verify;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;

/** Runs rounds of one case as standard input requests them (../../../README.md). */
public final class Main {
    private static final Map<String, Callable<Case>> CASES = new LinkedHashMap<>();
    private static final double CALIBRATION_SECONDS = 0.1;
    private static final double WARM_UP_SECONDS = 0.7;

    static {
        CASES.put("shares", () -> new Shares(1));
        CASES.put("shares-threads", () -> new Shares(8));
        CASES.put("trap-hot", TrapHot::new);
        CASES.put("trap-setter", TrapSetter::new);
        CASES.put("intrinsics", Intrinsics::new);
        CASES.put("copies", Copies::new);
        CASES.put("bursts", Bursts::new);
        CASES.put("periodic", Periodic::new);
        CASES.put("short-threads", ShortThreads::new);
        CASES.put("many-threads", ManyThreads::new);
        CASES.put("gc", Garbage::new);
        CASES.put("jit", () -> new Fresh("JitUnit", 1, 20_000_000));
        CASES.put("deopt", () -> new Fresh("DeoptUnit", 4, 10_000_000));
        CASES.put("exceptions", Exceptions::new);
        CASES.put("kernel", Kernel::new);
        CASES.put("zlib", Zlib::new);
        CASES.put("recursion", Recursion::new);
        CASES.put("megamorphic", Megamorphic::new);
        CASES.put("lambda", Lambdas::new);
        CASES.put("virtual", () -> new VirtualThreads(false));
        CASES.put("virtual-names", () -> new VirtualThreads(true));
        CASES.put("causality", Changes::causality);
        CASES.put("slowdown-uniform", () -> Changes.slowdown(2, 2, 2));
        CASES.put("slowdown-selective", () -> Changes.slowdown(1, 2, 1));
    }

    public static void main(String[] words) throws Exception {
        if (words.length == 0 || !CASES.containsKey(words[0])) {
            System.err.println("verify.Main: " + (words.length == 0 ? "no case given" : "unknown case " + words[0])
                + "; one of: " + String.join(" ", CASES.keySet()));
            System.exit(2);
        }
        Case chosen = CASES.get(words[0]).call();
        if (chosen.unavailable() != null) {
            System.out.println("unavailable " + chosen.unavailable());
            return;
        }
        serve(chosen, options(words));
    }

    private static void serve(Case chosen, Map<String, String> always) throws Exception {
        Work.calibrate(new Round(true, CALIBRATION_SECONDS, always));
        chosen.round(new Round(true, WARM_UP_SECONDS, always));
        System.out.println("ready");
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            Map<String, String> options = new HashMap<>(always);
            options.putAll(options(line.split(" ")));
            Round round = new Round(false, Double.parseDouble(options.getOrDefault("seconds", "1")), options);
            chosen.round(round);
            System.out.print(round.truth());
            System.out.flush();
        }
    }

    /** key=value words, after the first word. */
    private static Map<String, String> options(String[] words) {
        Map<String, String> options = new HashMap<>();
        for (int i = 1; i < words.length; i++) {
            int equals = words[i].indexOf('=');
            if (equals > 0) {
                options.put(words[i].substring(0, equals), words[i].substring(equals + 1));
            }
        }
        return options;
    }

    private Main() {
    }
}
