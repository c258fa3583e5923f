package verify;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** One round of a case: the request, and the true times as lines of the protocol (../../../README.md). */
final class Round {
    /** A warm-up: nothing is measured, threads are called "warm-...", and pieces are short, so that methods are called often. */
    final boolean warm;
    /** CPU time to use, in nanoseconds, of all threads together. */
    final long budget;

    private final Map<String, String> options;
    private final StringBuilder truth = new StringBuilder();
    private long cpu;

    Round(boolean warm, double seconds, Map<String, String> options) {
        this.warm = warm;
        this.budget = (long) (seconds * 1e9);
        this.options = options;
    }

    /** A different one each time, unless the request sets it. */
    long seed() {
        return option("seed", System.nanoTime());
    }

    long option(String key, long otherwise) {
        return options.containsKey(key) ? Long.parseLong(options.get(key)) : otherwise;
    }

    /** A thread's name. */
    String name(Object suffix) {
        return (warm ? "warm-" : "verify-") + suffix;
    }

    /** Runs all of them to their end. */
    void run(Worker... workers) throws Exception {
        run(Arrays.asList(workers));
    }

    void run(List<? extends Worker> workers) throws Exception {
        for (Worker worker : workers) {
            worker.start();
        }
        finish(workers);
    }

    /** Waits for the end of all threads, which have been started; their CPU time belongs to the round. */
    void finish(List<? extends Worker> workers) throws Exception {
        for (Worker worker : workers) {
            worker.join();
            cpu += worker.cpu();
        }
    }

    /** A part: CPU time of threads whose names begin with "verify-" and the suffix, in the method or, with "-", anywhere. */
    void part(String name, String suffix, String method, long nanos) {
        truth.append("part ").append(name).append(" verify-").append(suffix).append(' ').append(method).append(' ').append(nanos)
            .append('\n');
    }

    /** Threads with other names that do work of the round, and the CPU time that they used. */
    void others(String prefix, long nanos) {
        truth.append("threads ").append(prefix).append('\n');
        cpu += nanos;
    }

    /** A part in all threads, named after the method or, if that is work(), after its class. */
    void part(String method, long nanos) {
        String name = method.replace("verify.", "").replaceFirst("\\.work$", "");
        part(name.substring(name.lastIndexOf('$') + 1), "", method, nanos);
    }

    String truth() {
        return truth + "cpu " + cpu + "\ndone\n";
    }
}
