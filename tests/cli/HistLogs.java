import java.io.File;
import java.io.PrintStream;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.HdrHistogram.HistogramLogWriter;

/** HdrHistogram's own reader and writer: "read FILE" or "write FILE SEED"; both print "TAG COUNT PERCENTILES... MAX" for each tag. */
class HistLogs {
    private static final double[] PERCENTILES = {50, 90, 99, 99.9, 99.99};

    public static void main(String[] args) throws Exception {
        Map<String, Histogram> totals = new TreeMap<>();
        if (args[0].equals("read")) {
            read(new File(args[1]), totals);
        } else {
            write(new File(args[1]), Long.parseLong(args[2]), totals);
        }
        for (Map.Entry<String, Histogram> entry : totals.entrySet()) {
            Histogram h = entry.getValue();
            StringBuilder line = new StringBuilder(entry.getKey() + " " + h.getTotalCount());
            for (double percentile : PERCENTILES) {
                line.append(' ').append(h.getValueAtPercentile(percentile));
            }
            System.out.println(line.append(' ').append(h.getMaxValue()));
        }
    }

    private static void add(Map<String, Histogram> totals, String tag, Histogram h) {
        totals.computeIfAbsent(tag == null ? "default" : tag, t -> new Histogram(3)).add(h);
    }

    private static void read(File file, Map<String, Histogram> totals) throws Exception {
        HistogramLogReader reader = new HistogramLogReader(file);
        for (EncodableHistogram h; (h = reader.nextIntervalHistogram()) != null; ) {
            add(totals, h.getTag(), (Histogram) h);
        }
    }

    private static void write(File file, long seed, Map<String, Histogram> totals) throws Exception {
        Random random = new Random(seed);
        try (PrintStream out = new PrintStream(file)) {
            HistogramLogWriter writer = new HistogramLogWriter(out);
            writer.outputLogFormatVersion();
            writer.outputStartTime(1700000000123L);
            writer.setBaseTime(1700000000123L);
            writer.outputLegend();
            for (int i = 0; i < 30; i++) {
                Histogram h = i % 2 == 0 ? new Histogram(3) : new Histogram(1, 3_600_000_000_000L, 3);
                h.setTag(i % 3 == 0 ? null : i % 3 == 1 ? "read-rt" : "insert-rt");
                h.setStartTimeStamp(1700000000123L + i * 1000L);
                h.setEndTimeStamp(1700000000123L + (i + 1) * 1000L);
                for (int n = 0; n < 1000; n++) {
                    h.recordValue((long) Math.exp(random.nextDouble() * 24));
                }
                writer.outputIntervalHistogram(h);
                add(totals, h.getTag(), h);
            }
        }
    }
}
