import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.Selector;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;

/**
 * Threads that each go to a certain place and stay there, so that every tool that looks at their stacks must see the same frames:
 * interpreted, compiled and inlined frames, frames that the JVM called, and native frames.
 *
 * Prints "ready" when all threads are there; ends when its input ends.
 */
public final class Stations {
    interface Place {
        void stay() throws Exception;
    }

    private static final List<Thread> THREADS = new ArrayList<>();
    private static CountDownLatch arrived;

    static volatile boolean last;
    static volatile long sink;

    static void park() {
        arrived.countDown();
        while (true) {
            LockSupport.park();
        }
    }

    static void recurse(int depth) {
        if (depth == 0) {
            park();
        }
        recurse(depth - 1);
    }

    static final class Outer {
        long sum;

        void outer(int i) {
            sum += i;
            middle(i * 3);
        }

        private void middle(int i) {
            sum ^= i;
            inner(i + 1);
        }

        private void inner(int i) {
            sum += i / 7;
            if (last && i < 0) {
                park();
            }
        }
    }

    /** Compiled, with one method inlined into the other. */
    static void inlined() {
        Outer object = new Outer();
        for (int i = 0; i < 2_000_000; i++) {
            object.outer(i & 0xffff);
        }
        last = true;
        object.outer(-1_000_000);
    }

    /** Compiled while it runs, and parked from the compiled code. */
    static void replacedOnStack() {
        long sum = 0;
        for (int i = 0; i < 50_000_000; i++) {
            sum = sum * 31 + (i ^ sum >>> 7);
            if (i == 49_999_999) {
                sink = sum;
                park();
            }
        }
    }

    static void handle() throws Throwable {
        MethodHandle park = MethodHandles.lookup().findStatic(Stations.class, "park", MethodType.methodType(void.class));
        MethodHandles.dropArguments(park, 0, String.class).invoke("dropped");
    }

    static final class Initialized {
        static final int VALUE;

        static {
            park();
            VALUE = 1;
        }
    }

    /** The JVM itself asks it for the class. */
    static final class Loader extends ClassLoader {
        @Override
        protected Class<?> findClass(String name) {
            park();
            return null;
        }
    }

    static void handler() {
        try {
            Integer.parseInt("no number");
        } catch (NumberFormatException e) {
            park();
        }
    }

    static synchronized void waiting() throws InterruptedException {
        arrived.countDown();
        while (true) {
            Stations.class.wait();
        }
    }

    private static final Object HELD = new Object();
    private static final CountDownLatch IS_HELD = new CountDownLatch(1);

    static void holding() throws InterruptedException {
        synchronized (HELD) {
            IS_HELD.countDown();
            arrived.countDown();
            Thread.sleep(1L << 40);
        }
    }

    static void entering() throws InterruptedException {
        IS_HELD.await();
        arrived.countDown();
        synchronized (HELD) {
            sink++;
        }
    }

    static void condition() throws InterruptedException {
        ReentrantLock lock = new ReentrantLock();
        lock.lock();
        arrived.countDown();
        while (true) {
            lock.newCondition().await();
        }
    }

    static void accepting() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            arrived.countDown();
            socket.accept();
        }
    }

    static void selecting() throws Exception {
        try (Selector selector = Selector.open()) {
            arrived.countDown();
            selector.select();
        }
    }

    private static void station(String name, Place place) {
        Thread thread = new Thread(() -> {
            try {
                place.stay();
            } catch (Throwable e) {
                e.printStackTrace();
            }
        }, "station-" + name);
        thread.setDaemon(true);
        THREADS.add(thread);
    }

    public static void main(String[] args) throws Exception {
        station("wait", Stations::waiting);
        station("hold", Stations::holding);
        station("enter", Stations::entering);
        station("condition", Stations::condition);
        station("accept", Stations::accepting);
        station("select", Stations::selecting);
        station("queue", () -> {
            arrived.countDown();
            new SynchronousQueue<String>().take();
        });
        station("join", () -> {
            arrived.countDown();
            Thread.currentThread().join();
        });
        station("recursion", () -> recurse(300));
        station("inlined", Stations::inlined);
        station("osr", Stations::replacedOnStack);
        station("stream", () -> IntStream.range(0, 3).map(i -> i + 1).forEach(i -> park()));
        station("handle", () -> {
            try {
                handle();
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        });
        station("reflection", () -> Stations.class.getDeclaredMethod("park").invoke(null));
        station("initializer", () -> sink = Initialized.VALUE);
        station("loader", () -> Class.forName("Nowhere", true, new Loader()));
        station("privileged", () -> AccessController.doPrivileged((PrivilegedAction<Void>) () -> {
            park();
            return null;
        }));
        station("handler", Stations::handler);
        arrived = new CountDownLatch(THREADS.size());
        THREADS.forEach(Thread::start);
        arrived.await();
        Thread.sleep(300); // the last steps, into the kernel
        Rounds.serve(options -> "");
    }
}
