import candor.context.Candor;
import candor.context.Scope;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.FlightRecorder;

/**
 * A program with an answer to each question of a reader: tills that compute, throw memory away and keep some, all under one lock; a closer
 * that holds this lock once while it sleeps, so that nothing runs; and a clerk that reads from a slow socket. It prints the milliseconds
 * since the epoch between which nothing ran, for -Dgap=MS. Each sale is a trace of its own; the closer's is the slowest. `Tasks SECONDS`.
 */
public final class Tasks {
    private static final Object TILL = new Object();
    private static final long GAP_MS = Long.getLong("gap", 600);
    private static final long READY_MS = 300;
    private static final List<byte[]> KEPT = new ArrayList<>();
    private static volatile Object sink;
    private static volatile boolean over;

    private Tasks() {
    }

    private static int price(int count) {
        int sum = 0;
        for (int i = 0; i < count; i++) {
            sum = sum * 31 + (i ^ sum >>> 7);
        }
        return sum;
    }

    private static void garbage() {
        sink = new byte[20_000];
    }

    private static void keep() {
        if (KEPT.size() < 2_000) {
            KEPT.add(new byte[30_000]);
        }
    }

    private static void work() {
        long till = Thread.currentThread().getId();
        for (int sale = 1; !over; sale++) {
            try (Scope scope = Candor.scope("POST /sale", till, sale, sale)) {
                sell();
            }
        }
    }

    private static void sell() {
        for (int item = 0; item < 24 && !over; item++) {
            synchronized (TILL) {
                sink = price(100_000);
                garbage();
                if (item % 8 == 0) {
                    keep();
                }
            }
        }
    }

    private static void close() throws InterruptedException {
        try (Scope scope = Candor.scope("POST /close", 0xc105e, 0xc105e, 1)) {
            Thread.sleep(READY_MS);
            sleepWithLock();
        }
    }

    private static void sleepWithLock() throws InterruptedException {
        synchronized (TILL) {
            long start = System.currentTimeMillis();
            Thread.sleep(GAP_MS);
            System.out.println(start + " " + System.currentTimeMillis());
        }
    }

    private static void order(InputStream in) {
        try {
            while (in.read() >= 0) {
                Thread.onSpinWait();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Sends an order every 50 ms. */
    private static void orders(OutputStream out, long forMs) throws IOException, InterruptedException {
        for (long ms = 0; ms < forMs; ms += 50) {
            Thread.sleep(50);
            out.write(1);
        }
    }

    /** Waits until the JDK's recorder, which starts later than the agent, records. */
    private static void awaitRecorder() throws InterruptedException {
        while (FlightRecorder.getFlightRecorder().getRecordings().isEmpty()) {
            Thread.sleep(50);
        }
    }

    public static void main(String[] args) throws Exception {
        long half = (long) (Double.parseDouble(args[0]) * 500);
        List<Thread> threads = new ArrayList<>();
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket client = new Socket(server.getInetAddress(), server.getLocalPort()); Socket peer = server.accept()) {
            InputStream in = client.getInputStream();
            threads.add(new Thread(() -> order(in), "clerk"));
            for (int i = 0; i < 3; i++) {
                threads.add(new Thread(Tasks::work, "till-" + i));
            }
            threads.forEach(Thread::start);
            OutputStream out = peer.getOutputStream();
            awaitRecorder();
            orders(out, half);
            Thread closer = new Thread(() -> {
                try {
                    close();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }, "closer");
            closer.start();
            closer.join();
            System.gc();
            orders(out, half);
            over = true;
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
