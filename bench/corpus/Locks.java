import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.StampedLock;

/** Locks: held for too long, by a thread that sleeps, reads, waits or computes; taken in two orders; kept from writers by readers. */
public final class Locks {
    private static final int CLIENTS = 8;

    private static final Object MONITOR = new Object();
    private static final Lock LOCK = new ReentrantLock();
    private static long updates;

    private Locks() {
    }

    // -- the owner sleeps --

    private static synchronized void log(boolean planted) {
        updates++;
        if (planted) {
            Case.sleep(20); // here: asleep
        }
    }

    static void asleep(boolean planted) {
        Case.repeat(CLIENTS, "worker", () -> {
            log(planted);
            Case.think(20);
        });
    }

    static void asleepInLock(boolean planted) {
        Runnable update = () -> {
            LOCK.lock();
            try {
                updates++;
                if (planted) {
                    TimeUnit.MILLISECONDS.sleep(15); // here: asleepInLock
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            } finally {
                LOCK.unlock();
            }
            Case.think(20);
        };
        Case.repeat(CLIENTS, "request", update::run);
    }

    private static String price(String key, boolean planted) {
        if (planted) {
            Case.sleep(40); // here: asleepInMap
        }
        return key + 1;
    }

    static void asleepInMap(boolean planted) {
        Map<String, String> prices = new ConcurrentHashMap<>();
        Case.repeat(CLIENTS, "http-worker", () -> {
            prices.computeIfAbsent("shoe", key -> price(key, planted));
            prices.remove("shoe");
            Case.think(10);
        });
    }

    // -- the owner reads from a peer --

    /** Answers each byte after some time. */
    private static int slowServer(int ms) throws IOException {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Case.repeat(1, "accept", () -> {
            Socket client = server.accept();
            Case.repeat(1, "server", () -> {
                int asked = client.getInputStream().read();
                Case.sleep(ms);
                client.getOutputStream().write(asked);
            });
        });
        return server.getLocalPort();
    }

    private static int ask(Socket socket) throws IOException {
        socket.getOutputStream().write(1);
        InputStream in = socket.getInputStream();
        return in.read(); // here: readInLock
    }

    static void readInLock(boolean planted) throws IOException {
        int port = slowServer(20);
        Socket shared = new Socket(InetAddress.getLoopbackAddress(), port);
        Case.repeat(CLIENTS, "client", () -> {
            Socket own = planted ? shared : new Socket(InetAddress.getLoopbackAddress(), port);
            for (int i = 0; i < 1_000_000; i++) {
                if (planted) {
                    synchronized (MONITOR) {
                        updates += ask(own);
                    }
                } else {
                    long answer = ask(own);
                    synchronized (MONITOR) {
                        updates += answer;
                    }
                }
                Case.think(20);
            }
        });
    }

    // -- the owner waits for another thread --

    static void futureInLock(boolean planted) {
        ExecutorService pool = Executors.newFixedThreadPool(CLIENTS);
        Case.repeat(CLIENTS, "caller", () -> {
            if (planted) {
                synchronized (MONITOR) {
                    pool.submit(() -> Case.sleep(15)).get(); // here: futureInLock
                    updates++;
                }
            } else {
                pool.submit(() -> Case.sleep(15)).get();
                synchronized (MONITOR) {
                    updates++;
                }
            }
            Case.think(20);
        });
    }

    // -- the owner computes --

    static final class Account {
        private long sum;

        synchronized void add(int microseconds) {
            sum += Case.compute(microseconds); // here: convoy
        }
    }

    static void convoy(boolean planted) {
        Account shared = new Account();
        Case.repeat(CLIENTS, "teller", () -> {
            if (planted) {
                shared.add(2000); // here: convoy
            } else {
                Case.compute(2000);
                shared.add(1);
            }
            Case.think(planted ? 2 : 30);
        });
    }

    static void digest(boolean planted) throws NoSuchAlgorithmException {
        MessageDigest shared = MessageDigest.getInstance("SHA-256");
        byte[] document = new byte[1 << 20];
        Case.repeat(CLIENTS, "signer", () -> {
            MessageDigest digest = planted ? shared : MessageDigest.getInstance("SHA-256");
            synchronized (digest) { // here: digest
                Case.sink += digest.digest(document)[0]; // here: digest
            }
            Case.think(planted ? 1 : 60);
        });
    }

    static void convoyOfLambda(boolean planted) {
        StampedLock lock = new StampedLock();
        Case.repeat(CLIENTS, "lambda", () -> {
            long stamp = planted ? lock.writeLock() : lock.tryOptimisticRead(); // here: convoyOfLambda
            Case.compute(2000);
            if (planted) {
                lock.unlockWrite(stamp);
            }
            Case.think(planted ? 2 : 30); // without the lock, two processors would be the bottleneck
        });
    }

    /** More computing threads than processors. The lock is held for a moment, but its owner often has no processor in that moment. */
    static void preempted(boolean planted) {
        Case.repeat(planted ? CLIENTS : 1, "score", () -> {
            Case.compute(1000);
            synchronized (MONITOR) { // here: preempted
                updates += Case.compute(300); // here: preempted
            }
            if (!planted) {
                Case.sleep(3);
            }
        });
    }

    private static int count(Map<Integer, int[]> words, int key) {
        return words.get(key)[0]++; // here: synchronizedMap
    }

    static void synchronizedMap(boolean planted) {
        Map<Integer, int[]> words = planted ? Collections.synchronizedMap(new HashMap<>()) : new ConcurrentHashMap<>();
        for (int i = 0; i < 64; i++) {
            words.put(i, new int[1]);
        }
        Case.repeat(CLIENTS, "count", () -> {
            for (int i = 0; i < 2000; i++) {
                count(words, i & 0x3f);
                if (planted) {
                    synchronized (words) {
                        Case.compute(2);
                    }
                }
            }
            Case.think(1);
        });
    }

    // -- readers and writers --

    static void writersStarve(boolean planted) {
        ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        Case.repeat(6, "reader", () -> {
            boolean has = lock.readLock().tryLock();
            if (has) {
                Case.think(planted ? 4 : 1);
                lock.readLock().unlock();
            }
            Case.sleep(planted ? has ? 0 : 1 : 50);
        });
        Case.repeat(2, "writer", () -> {
            lock.writeLock().lock(); // here: writersStarve
            updates++;
            lock.writeLock().unlock();
            Case.sleep(5);
        });
    }

    // -- deadlocks --

    static void deadlock(boolean planted) {
        Object left = new Object();
        Object right = new Object();
        CountDownLatch both = new CountDownLatch(planted ? 2 : 0);
        for (boolean turned : new boolean[] {false, true}) {
            Object first = turned && planted ? right : left;
            Object second = turned && planted ? left : right;
            Case.repeat(1, "transfer-" + turned, () -> {
                synchronized (first) {
                    both.countDown();
                    both.await();
                    synchronized (second) { // here: deadlock
                        updates++;
                    }
                }
                Case.think(20);
            });
        }
    }

    static void deadlockOfLocks(boolean planted) {
        Lock left = new ReentrantLock();
        Lock right = new ReentrantLock();
        CountDownLatch both = new CountDownLatch(planted ? 2 : 0);
        for (boolean turned : new boolean[] {false, true}) {
            Lock first = turned && planted ? right : left;
            Lock second = turned && planted ? left : right;
            Case.repeat(1, "booking-" + turned, () -> {
                first.lock();
                both.countDown();
                both.await();
                second.lock(); // here: deadlockOfLocks
                updates++;
                second.unlock();
                first.unlock();
                Case.think(20);
            });
        }
    }

    public static void main(String[] args) throws Exception {
        Case.main(Locks.class, args);
    }
}
