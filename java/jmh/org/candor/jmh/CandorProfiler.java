package org.candor.jmh;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.ExternalProfiler;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.profile.ProfilerException;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.TextResult;
import org.openjdk.jmh.runner.IterationType;

/**
 * The hottest machine instructions of a benchmark: records its measured iterations with {@code candor start --asm} and prints what
 * {@code candor asm} says of them.
 *
 * <p>JMH makes two objects of this class. The one in JMH's own JVM sets the options of each fork, and prints the report when the fork
 * has ended. The one in the fork starts the recording with the first measured iteration, and ends it with the last; a system property
 * gives it the path of the recording. Without forks there is only the second object, which then also prints the report.
 */
public class CandorProfiler implements ExternalProfiler, InternalProfiler {
    private static final String RECORDING = "candor.jmh.recording";
    private static final String NAME = "recording.jfr";

    private final Map<String, String> options = new LinkedHashMap<>();
    private File recording;
    private boolean recordsNow;
    private int measured;

    /** Used only for its description. */
    public CandorProfiler() {
        options.put("program", "candor");
        options.put("interval", "1ms");
        options.put("event", "");
        options.put("event-interval", "");
        options.put("threshold", "10");
        options.put("top", "20");
        options.put("syntax", "intel");
        options.put("save", "");
    }

    public CandorProfiler(String line) throws ProfilerException {
        this();
        for (String option : line == null ? new String[0] : line.split(";")) {
            set(option.trim());
        }
        options.put("program", find(options.get("program")));
    }

    private void set(String option) throws ProfilerException {
        int equals = option.indexOf('=');
        String key = equals < 0 ? option : option.substring(0, equals);
        if (option.isEmpty()) {
            return;
        }
        if (equals < 0 || !options.containsKey(key)) {
            throw new ProfilerException("candor: '" + option + "' is no option; use -prof \"candor:key=value;...\" with "
                + "program (path of candor; default: the one in PATH), interval (of CPU time between two samples; default 1ms), "
                + "event and event-interval (another event to sample by, such as cache-misses, and how many lie between two samples), "
                + "threshold (percent, from which on a region's code is shown; default 10), top (rows of tables; default 20), "
                + "syntax (intel or att), save (folder to keep the recordings in)");
        }
        options.put(key, option.substring(equals + 1));
    }

    private static String find(String program) throws ProfilerException {
        List<String> folders = program.indexOf('/') >= 0 ? Collections.singletonList("")
            : Arrays.asList(String.valueOf(System.getenv("PATH")).split(File.pathSeparator));
        for (String folder : folders) {
            File file = new File(folder.isEmpty() ? program : folder + "/" + program);
            if (file.isFile() && file.canExecute()) {
                return file.getAbsolutePath();
            }
        }
        throw new ProfilerException("candor: there is no program '" + program + "'; name it: -prof \"candor:program=/path/to/candor\"");
    }

    @Override
    public String getDescription() {
        return "The hottest machine instructions, by candor: annotated assembly without perf and hsdis";
    }

    // ---- in JMH's own JVM ----

    @Override
    public Collection<String> addJVMInvokeOptions(BenchmarkParams params) {
        return Collections.emptyList();
    }

    /** Exact lines for all code, and no warning about a late agent. */
    @Override
    public Collection<String> addJVMOptions(BenchmarkParams params) {
        recording = newRecording(params);
        List<String> added = new ArrayList<>(Arrays.asList("-D" + RECORDING + "=" + recording, "-XX:+UnlockDiagnosticVMOptions",
            "-XX:+DebugNonSafepoints"));
        if (!params.getJdkVersion().startsWith("1.")) {
            added.add("-XX:+EnableDynamicAgentLoading");
        }
        return added;
    }

    @Override
    public void beforeTrial(BenchmarkParams params) {
    }

    @Override
    public Collection<? extends Result> afterTrial(BenchmarkResult result, long pid, File stdOut, File stdErr) {
        return recording == null ? Collections.<Result>emptyList() : Collections.singletonList(report());
    }

    @Override
    public boolean allowPrintOut() {
        return true;
    }

    @Override
    public boolean allowPrintErr() {
        return true;
    }

    // ---- in the JVM that runs the benchmark ----

    @Override
    public void beforeIteration(BenchmarkParams params, IterationParams iteration) {
        if (recordsNow || iteration.getType() != IterationType.MEASUREMENT) {
            return;
        }
        String told = System.getProperty(RECORDING);
        recording = told == null ? newRecording(params) : new File(told);
        List<String> start = new ArrayList<>(Arrays.asList("start", "--asm", "-o", recording.getPath()));
        if (options.get("event").isEmpty()) {
            start.addAll(Arrays.asList("-i", options.get("interval")));
        } else {
            start.addAll(Arrays.asList("-e", options.get("event")));
        }
        if (!options.get("event-interval").isEmpty()) {
            start.addAll(Arrays.asList("--event-interval", options.get("event-interval")));
        }
        start.add(ownPid());
        run(start.toArray(new String[0]));
        recordsNow = true;
        measured = 0;
    }

    @Override
    public Collection<? extends Result> afterIteration(BenchmarkParams params, IterationParams iteration, IterationResult result) {
        if (!recordsNow || iteration.getType() != IterationType.MEASUREMENT || ++measured < iteration.getCount()) {
            return Collections.emptyList();
        }
        run("stop", ownPid());
        recordsNow = false;
        return System.getProperty(RECORDING) == null ? Collections.singletonList(report()) : Collections.<Result>emptyList();
    }

    private static String ownPid() {
        return ManagementFactory.getRuntimeMXBean().getName().split("@")[0];
    }

    // ---- recordings and reports ----

    private File newRecording(BenchmarkParams params) {
        try {
            if (options.get("save").isEmpty()) {
                return new File(Files.createTempDirectory("candor-jmh-").toFile(), NAME);
            }
            File folder = new File(options.get("save")).getAbsoluteFile();
            Files.createDirectories(folder.toPath());
            String name = params.id().replaceAll("[^A-Za-z0-9._-]+", "-");
            File file = new File(folder, name + ".jfr");
            for (int fork = 2; file.exists(); fork++) {
                file = new File(folder, name + "-" + fork + ".jfr");
            }
            return file;
        } catch (IOException e) {
            throw new IllegalStateException("candor: cannot make a place for the recording: " + e, e);
        }
    }

    private Result report() {
        String text;
        if (recording.isFile()) {
            text = run("asm", "--threshold", options.get("threshold"), "--top", options.get("top"), "--syntax", options.get("syntax"),
                recording.getPath());
        } else {
            text = "candor: there is no recording: the benchmark ended before its first measured iteration\n";
        }
        if (options.get("save").isEmpty()) {
            recording.delete();
            recording.getParentFile().delete();
        } else {
            text += "Recording: " + recording + "\n";
        }
        return new TextResult(text, "candor");
    }

    /** What the program prints. */
    private String run(String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(options.get("program"));
        command.addAll(Arrays.asList(arguments));
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String output = read(process.getInputStream());
            if (process.waitFor() != 0) {
                throw new IllegalStateException(command + " failed:\n" + output);
            }
            return output;
        } catch (IOException e) {
            throw new IllegalStateException(command + ": " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(command + " was interrupted", e);
        }
    }

    private static String read(InputStream in) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] part = new byte[8192];
        for (int n = in.read(part); n >= 0; n = in.read(part)) {
            all.write(part, 0, n);
        }
        return new String(all.toByteArray(), StandardCharsets.UTF_8);
    }
}
