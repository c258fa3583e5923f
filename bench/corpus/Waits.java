import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;

/** Waits for peers, for files, and for all other threads. */
public final class Waits {
    private static final int CLIENTS = 4;

    private Waits() {
    }

    private static int request(Socket socket) throws IOException {
        socket.getOutputStream().write(1);
        return socket.getInputStream().read(); // here: slowPeer
    }

    static void slowPeer(boolean planted) throws IOException {
        int port = Case.server(planted ? 500 : 1);
        Case.repeat(CLIENTS, "client", () -> {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                while (true) {
                    Case.sink += request(socket);
                    Case.think(20);
                }
            }
        });
    }

    static void slowPeerOfChannel(boolean planted) throws IOException {
        int port = Case.server(planted ? 500 : 1);
        Case.repeat(CLIENTS, "channel", () -> {
            try (SocketChannel channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
                ByteBuffer one = ByteBuffer.allocate(1);
                while (true) {
                    one.clear();
                    channel.write(one);
                    one.clear();
                    Case.sink += channel.read(one); // here: slowPeerOfChannel
                    Case.think(20);
                }
            }
        });
    }

    /** A peer that does not read what it is sent. */
    static void slowReader(boolean planted) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Case.repeat(1, "accept", () -> {
            SocketChannel client = server.accept();
            Case.repeat(1, "reader", () -> {
                Case.sink += client.read(ByteBuffer.allocate(1 << 20));
                Case.sleep(planted ? 300 : 1);
            });
        });
        int port = server.socket().getLocalPort();
        Case.repeat(3, "sender", () -> {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                OutputStream out = socket.getOutputStream();
                byte[] page = new byte[4 << 20];
                while (true) {
                    out.write(page); // here: slowReader
                    Case.sleep(planted ? 1 : 500);
                }
            }
        });
    }

    static void connects(boolean planted) throws IOException {
        ServerSocket deaf = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Case.repeat(CLIENTS, "connect", () -> {
            try (Socket socket = new Socket()) {
                if (planted) {
                    socket.connect(deaf.getLocalSocketAddress(), 600); // here: connects
                    Case.kept = socket;
                    Case.sleep(100_000);
                }
            } catch (SocketTimeoutException e) {
                Case.sink++;
            }
            Case.sleep(10);
        });
    }

    private static Path file(String name) throws IOException {
        Path file = Files.createTempFile("corpus", name);
        file.toFile().deleteOnExit();
        return file;
    }

    static void force(boolean planted) throws IOException {
        FileChannel log = FileChannel.open(file("log"), StandardOpenOption.WRITE);
        Case.repeat(2, "commit", () -> {
            log.write(ByteBuffer.wrap(new byte[100]), 0);
            if (planted) {
                log.force(false); // here: force
            }
            Case.sleep(planted ? 0 : 5);
        });
    }

    /** Another process that has the lock until its parent ends. The command flock would not do: its locks do not exclude those of Java. */
    static void holder(boolean planted) throws IOException {
        FileChannel channel = FileChannel.open(Paths.get(System.getProperty("lock")), StandardOpenOption.WRITE);
        Case.kept = channel.lock();
        System.out.println("locked");
        Case.sink += System.in.read();
        Runtime.getRuntime().halt(0);
    }

    static void fileLocks(boolean planted) throws Exception {
        Path path = file("lock");
        if (planted) {
            Process holder = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-Dlock=" + path, "-cp",
                System.getProperty("java.class.path"), "Waits", "holder", "planted").start();
            Case.sink += holder.getInputStream().read(); // it has the lock
        }
        FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE);
        FileChannel second = FileChannel.open(file("second"), StandardOpenOption.WRITE);
        Case.repeat(1, "locker", () -> {
            channel.lock().release(); // here: fileLocks
            Case.sleep(10);
        });
        Case.repeat(1, "second", () -> {
            second.lock().release();
            Case.sleep(10);
        });
    }

    static void smallReads(boolean planted) throws IOException {
        Path path = file("data");
        Files.write(path, new byte[1 << 20]);
        Case.repeat(1, "load", () -> {
            try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
                byte[] block = new byte[1 << 16];
                for (int i = 0; i < 1 << 14; i++) {
                    Case.sink += planted ? file.readInt() : i == 0 ? file.read(block) : 0; // here: smallReads
                }
            }
            if (!planted) {
                Case.sleep(20);
            }
        });
    }

    static void threadDumps(boolean planted) {
        Case.repeat(1, "monitor", () -> {
            Case.sink += planted ? Thread.getAllStackTraces().size() : Thread.activeCount(); // here: threadDumps
            Case.sleep(planted ? 0 : 100);
        });
    }

    static void deadlockSearch(boolean planted) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        Case.repeat(1, "watchdog", () -> {
            Case.sink += planted && threads.findDeadlockedThreads() != null ? 1 : 0; // here: deadlockSearch
            Case.sleep(planted ? 0 : 100);
        });
    }

    private static long counted(int length) {
        long sum = 0;
        for (int i = 0; i < length; i++) { // here: late
            sum += i ^ sum << 1; // here: late
        }
        return sum;
    }

    static void late(boolean planted) {
        Case.repeat(1, "hash", () -> {
            Case.sink += counted(planted ? 500_000_000 : 10_000);
            Case.sleep(1);
        });
        Case.repeat(1, "stats", () -> {
            Case.sink += Thread.getAllStackTraces().size();
            Case.sleep(300);
        });
    }

    public static void main(String[] args) throws Exception {
        Case.main(Waits.class, args);
    }
}
