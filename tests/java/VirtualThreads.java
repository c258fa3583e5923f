import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Virtual threads whose names, methods and depths belong together, so that each sample can be compared with its thread.
 *
 * A thread is named after its group ("beta-17"; threads of the group zeta have no name). It recurses through its group's method and no
 * other one, DEPTH frames deep, and does all its work below: NAME.burn, between waits of a kind that belongs to the group. So a stack
 * with burn on it has exactly DEPTH frames of the group's method, however many of them are in the heap.
 *
 * go threads=N rounds=N: one round; JDK 21 and later.
 */
final class VirtualThreads {
    static volatile long sink;
    static final ReentrantLock LOCK = new ReentrantLock();

    /** Some tens of microseconds of CPU time, and some garbage, so that objects and stacks are moved. */
    static void burn(long seed) {
        long x = seed | 1;
        byte[] last = null;
        for (int i = 0; i < 20000; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
            if ((i & 255) == 0) {
                last = new byte[256 + (int) (x & 255)];
            }
        }
        sink = x + last.length;
    }

    static final class alpha {
        static final int DEPTH = 10;

        static void step(int depth, int rounds) {
            if (depth > 1) {
                step(depth - 1, rounds);
                sink++;
                return;
            }
            for (int i = 0; i < rounds; i++) {
                burn(i);
                Thread.yield();
            }
        }
    }

    static final class beta {
        static final int DEPTH = 30;

        static void step(int depth, int rounds) {
            if (depth > 1) {
                step(depth - 1, rounds);
                sink++;
                return;
            }
            for (int i = 0; i < rounds; i++) {
                burn(i);
                LockSupport.parkNanos(100_000);
            }
        }
    }

    /** So deep that after a wait only a few frames are brought back. */
    static final class gamma {
        static final int DEPTH = 200;

        static void step(int depth, int rounds) {
            if (depth > 1) {
                step(depth - 1, rounds);
                sink++;
                return;
            }
            for (int i = 0; i < rounds; i++) {
                burn(i);
                sleep();
            }
        }
    }

    /** Up to JDK 23 a monitor keeps it on its carrier. */
    static final class delta {
        static final int DEPTH = 20;

        static void step(int depth, int rounds) {
            if (depth > 1) {
                step(depth - 1, rounds);
                sink++;
                return;
            }
            Object lock = new Object();
            for (int i = 0; i < rounds; i++) {
                synchronized (lock) {
                    burn(i);
                    sleep();
                    burn(i);
                }
            }
        }
    }

    static final class epsilon {
        static final int DEPTH = 15;

        static void step(int depth, int rounds, Socket socket) throws Exception {
            if (depth > 1) {
                step(depth - 1, rounds, socket);
                sink++;
                return;
            }
            InputStream in = socket.getInputStream();
            OutputStream out = socket.getOutputStream();
            for (int i = 0; i < rounds; i++) {
                out.write(i);
                burn(i);
                in.read();
            }
        }
    }

    static final class zeta {
        static final int DEPTH = 5;

        static void step(int depth, int rounds) {
            if (depth > 1) {
                step(depth - 1, rounds);
                sink++;
                return;
            }
            for (int i = 0; i < rounds; i++) {
                LOCK.lock();
                try {
                    burn(i);
                } finally {
                    LOCK.unlock();
                }
                Thread.yield();
            }
        }
    }

    static void sleep() {
        try {
            Thread.sleep(1);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Thread.ofVirtual().name(name).unstarted(task), which the tests' compiler does not know. */
    static Thread virtual(String name, Runnable task) throws Exception {
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        Class<?> type = Class.forName("java.lang.Thread$Builder");
        if (!name.isEmpty()) {
            builder = type.getMethod("name", String.class).invoke(builder, name);
        }
        return (Thread) type.getMethod("unstarted", Runnable.class).invoke(builder, task);
    }

    static void talk(Socket socket, int rounds) {
        try (Socket mine = socket) {
            epsilon.step(epsilon.DEPTH, rounds, mine);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static String run(Rounds.Options options) throws Exception {
        int count = (int) options.number("threads", 8);
        int rounds = (int) options.number("rounds", 50);
        List<Thread> threads = new ArrayList<>();
        ServerSocket server = new ServerSocket(0, count, InetAddress.getLoopbackAddress());
        for (int i = 0; i < count; i++) {
            Socket near = new Socket(server.getInetAddress(), server.getLocalPort());
            Socket far = server.accept();
            threads.add(virtual("alpha-" + i, () -> alpha.step(alpha.DEPTH, rounds)));
            threads.add(virtual("beta-" + i, () -> beta.step(beta.DEPTH, rounds)));
            threads.add(virtual("gamma-" + i, () -> gamma.step(gamma.DEPTH, rounds)));
            threads.add(virtual("delta-" + i, () -> delta.step(delta.DEPTH, rounds / 2)));
            threads.add(virtual("epsilon-" + i, () -> talk(near, rounds / 2)));
            threads.add(virtual("epsilon-" + i, () -> talk(far, rounds / 2)));
            threads.add(virtual("", () -> zeta.step(zeta.DEPTH, rounds)));
        }
        Rounds.together(threads.toArray(new Thread[0]));
        server.close();
        return "threads=" + threads.size();
    }

    public static void main(String[] arguments) throws Exception {
        Rounds.serve(VirtualThreads::run);
    }

    private VirtualThreads() {
    }
}
