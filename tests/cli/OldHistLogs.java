import java.io.File;
import java.nio.ByteBuffer;
import java.util.Random;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

/**
 * Writes a log with an old version of HdrHistogram, whose classes know no tags: "FILE". It prints how many values the log
 * has, and the first bytes of an encoded histogram without their size of words.
 */
final class OldHistLogs {
    private OldHistLogs() {
    }

    public static void main(String[] args) throws Exception {
        Random random = new Random(1);
        long values = 0;
        HistogramLogWriter writer = new HistogramLogWriter(new File(args[0]));
        writer.outputLogFormatVersion();
        writer.outputStartTime(1438869961225L);
        writer.outputLegend();
        Histogram h = new Histogram(3_600_000_000_000L, 2);
        for (int i = 0; i < 10; i++) {
            h.reset();
            h.setStartTimeStamp(1438869961225L + i * 1000L);
            h.setEndTimeStamp(1438869961225L + (i + 1) * 1000L);
            for (int n = 0; n < 2000; n++) {
                h.recordValue((long) Math.exp(random.nextDouble() * 24));
            }
            writer.outputIntervalHistogram(i, i + 1, h);
            values += h.getTotalCount();
        }
        ByteBuffer encoded = ByteBuffer.allocate(h.getNeededByteBufferCapacity());
        h.encodeIntoByteBuffer(encoded);
        System.out.println(values + " " + Integer.toHexString(encoded.getInt(0) & ~0xf0));
    }
}
