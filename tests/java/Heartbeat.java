import java.io.RandomAccessFile;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.time.Instant;

/**
 * A thread that burns CPU and writes the time of its last step into a mapped file, which outlives every kind of
 * death. The file holds two big-endian longs: the last step (ns since the epoch) and the largest gap between two
 * steps (ns) of the last seconds, which says how badly the machine starved us.
 *
 * java Heartbeat FILE (wait | exit | halt) SECONDS: after that time System.exit(3), Runtime.halt(3), or wait to be
 * killed.
 */
public final class Heartbeat {
    static volatile long sink;

    static long now() {
        Instant instant = Instant.now();
        return instant.getEpochSecond() * 1_000_000_000L + instant.getNano();
    }

    static long step(long seed) {
        long x = seed;
        for (int i = 0; i < 50_000; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
        }
        return x;
    }

    static void beat(MappedByteBuffer file) {
        long last = now();
        long gap = 0;
        long gapAt = last;
        for (long x = last;; sink = x) {
            x = step(x);
            long now = now();
            if (now - last > gap || now - gapAt > 5_000_000_000L) {
                gap = now - last;
                gapAt = now;
            }
            file.putLong(8, gap);
            file.putLong(0, now);
            last = now;
        }
    }

    public static void main(String[] args) throws Exception {
        MappedByteBuffer file;
        try (RandomAccessFile opened = new RandomAccessFile(args[0], "rw")) {
            file = opened.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, 16);
        }
        Thread worker = new Thread(() -> beat(file), "heartbeat");
        worker.setDaemon(true);
        worker.start();
        System.out.println("ready");
        Thread.sleep((long) (Double.parseDouble(args[2]) * 1000));
        System.out.println("now");
        switch (args[1]) {
            case "exit" -> System.exit(3);
            case "halt" -> Runtime.getRuntime().halt(3);
            default -> Thread.sleep(Long.MAX_VALUE);
        }
    }
}
