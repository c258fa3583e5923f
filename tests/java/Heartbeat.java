import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

/**
 * A thread uses CPU time and writes the time of its last step into a mapped file, which outlives every kind of death. The file contains
 * big-endian longs: the last step (ns since the epoch); the largest gap between two steps (ns) in the last seconds, which shows how long
 * the machine gave us no processor; the time before the end was begun; and how long the agent's thread had been working or waiting for a
 * CPU by then (ns).
 *
 * java Heartbeat FILE (wait | exit | halt) SECONDS: after that time System.exit(3), Runtime.halt(3), or waits to be killed.
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

    static long delayOfAgent() {
        for (File task : new File("/proc/self/task").listFiles()) {
            Path path = task.toPath();
            try {
                if (new String(Files.readAllBytes(path.resolve("comm"))).trim().equals("candor")) {
                    String[] times = new String(Files.readAllBytes(path.resolve("schedstat"))).trim().split(" ");
                    return Long.parseLong(times[0]) + Long.parseLong(times[1]);
                }
            } catch (IOException e) {
                continue; // it has ended
            }
        }
        return 0;
    }

    public static void main(String[] args) throws Exception {
        MappedByteBuffer file;
        try (RandomAccessFile opened = new RandomAccessFile(args[0], "rw")) {
            file = opened.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, 32);
        }
        Thread worker = new Thread(() -> beat(file), "heartbeat");
        worker.setDaemon(true);
        worker.start();
        System.out.println("ready");
        Thread.sleep((long) (Double.parseDouble(args[2]) * 1000));
        file.putLong(16, now());
        file.putLong(24, delayOfAgent());
        System.out.println("now");
        switch (args[1]) {
            case "exit":
                System.exit(3);
                break;
            case "halt":
                Runtime.getRuntime().halt(3);
                break;
            default:
                Thread.sleep(Long.MAX_VALUE);
        }
    }
}
