import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import javax.management.ObjectName;

/**
 * Planted problems of waiting, each with a twin that does the same work without the problem.
 *
 * go NAME fixed=0|1 [threads=N] [calls=N] [ms=N] [seconds=S] [path=FILE] [flight=FILE] -> done ...
 *
 * logger       a static synchronized method that sleeps                 | sleeps before it takes the lock
 * sleeper      the same with a ReentrantLock
 * asker        the same with a monitor, and a peer that is asked        | asks, with a separate connection, before it takes the lock
 * pool         one thread, because its queue never fills                | as many threads as allowed
 * futures      results of a pool of two threads are waited for         | of a pool with a thread for each
 * connections  threads that share two                                   | one for each; and consumers that have nothing to do
 * convoy       all work under one monitor                               | under one each
 * writers      readers overlap, and do not queue                        | read a snapshot
 * deadlock     two locks in two orders, until the program ends          | in one
 * storm        looks for deadlocks all the time                         | counts threads
 * gc           System.gc() after each piece of work                     | the work
 * exceptions   an exception if something is not found                   | a number
 * late         a counted loop without a poll, depending on the flags    | a short one, repeatedly
 * sockets      a peer that pauses before it answers                     | has the answers ready for clients that pause before they ask
 * churn        a thread for each task                                  | one for all
 * boxes        a map of Integers, which are not kept                    | an array of int
 * buffers      a new one for each message                              | one for all
 * garbage      lists that live as long as a collection                 | are used again
 * forces       forces each record to disk                               | all of them once
 * pinned       virtual threads that sleep in synchronized (JDK 21 on)   | in a ReentrantLock
 *
 * flight: the JDK's own recorder records the round to that file, including short forces and the beginnings of safepoints (JDK 17 and
 * later).
 */
public final class Problems {
    private static final int POOL_MOST = 16;
    private static final int QUEUE_MOST = 500;
    private static final int READERS = 4;
    private static final int WRITERS = 2;
    private static final int DEEP = 50;
    private static final int TIMES = 100;
    private static final int LONG_LOOP = 300_000_000;
    private static final int SHORT_LOOP = 100_000;
    private static final int WARM_LOOP = 2_000;
    private static final int WARM_CALLS = 20_000;
    private static final int KEYS = 20_000;
    private static final int BUFFER = 20_000;
    private static final int NODES = 400_000;
    private static final int NODE_FIELDS = 20;
    private static final int FORCES_MOST = 20_000;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    static volatile long sink;
    static volatile boolean over;
    static volatile Object kept;

    private interface Work {
        void run(int thread) throws Exception;
    }

    static void sleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Thread thread(String name, int number, Work work) {
        return new Thread(() -> {
            try {
                work.run(number);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, name + "-" + number);
    }

    private static Thread[] threads(String name, int count, Work work) {
        Thread[] threads = new Thread[count];
        for (int i = 0; i < count; i++) {
            threads[i] = thread(name, i, work);
        }
        return threads;
    }

    private static void join(Thread[] threads) throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
    }

    // ---- locks ----

    /** A log whose lines come one after the other. */
    static final class Logger {
        private static long lines;

        static synchronized void slowLog(long ms) {
            sleep(ms);
            lines++;
        }

        static void log(long ms) {
            sleep(ms);
            add();
        }

        private static synchronized void add() {
            lines++;
        }
    }

    private static String logger(boolean isFixed, int threads, int calls, long ms) throws InterruptedException {
        Rounds.together(threads("worker", threads, number -> {
            for (int i = 0; i < calls; i++) {
                if (isFixed) {
                    Logger.log(ms);
                } else {
                    Logger.slowLog(ms);
                }
            }
        }));
        return "calls=" + (threads * calls);
    }

    static void sleepInside(ReentrantLock lock, long ms) {
        lock.lock();
        try {
            sleep(ms);
        } finally {
            lock.unlock();
        }
    }

    static void sleepOutside(ReentrantLock lock, long ms) {
        sleep(ms);
        lock.lock();
        try {
            sink++;
        } finally {
            lock.unlock();
        }
    }

    private static String sleeper(boolean isFixed, int threads, int calls, long ms) throws InterruptedException {
        ReentrantLock lock = new ReentrantLock();
        Rounds.together(threads("worker", threads, number -> {
            for (int i = 0; i < calls; i++) {
                if (isFixed) {
                    sleepOutside(lock, ms);
                } else {
                    sleepInside(lock, ms);
                }
            }
        }));
        return "calls=" + (threads * calls);
    }

    static final class Shared {
        long sum;
    }

    static void work(Shared shared, int length) {
        synchronized (shared) {
            shared.sum += Halts.counted(length);
        }
    }

    private static String convoy(boolean isFixed, int threads, int calls, int length) throws InterruptedException {
        Shared shared = new Shared();
        work(shared, 1); // otherwise all of them wait for the class that counts
        Rounds.together(threads("worker", threads, number -> {
            Shared mine = isFixed ? new Shared() : shared;
            for (int i = 0; i < calls; i++) {
                work(mine, length);
            }
        }));
        return "calls=" + (threads * calls);
    }

    /** Does not wait in the queue behind a writer. */
    static void read(ReentrantReadWriteLock lock, CountDownLatch firstRead) {
        if (!lock.readLock().tryLock()) {
            Thread.yield();
            return;
        }
        try {
            firstRead.countDown();
            sleep(5);
        } finally {
            lock.readLock().unlock();
        }
    }

    static void write(ReentrantReadWriteLock lock) {
        lock.writeLock().lock();
        try {
            sink++;
        } finally {
            lock.writeLock().unlock();
        }
    }

    private static String writers(boolean isFixed, double seconds) throws InterruptedException {
        ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        AtomicReference<Object> snapshot = new AtomicReference<>(new Object());
        CountDownLatch firstRead = new CountDownLatch(isFixed ? 0 : 1);
        AtomicLong writes = new AtomicLong();
        over = false;
        Thread[] readers = threads("reader", READERS, number -> {
            while (!over) {
                if (isFixed) {
                    sink += snapshot.get().hashCode();
                    sleep(5);
                } else {
                    read(lock, firstRead);
                }
            }
        });
        Thread[] writers = threads("writer", WRITERS, number -> {
            firstRead.await();
            while (!over) {
                if (isFixed) {
                    snapshot.set(new Object());
                } else {
                    write(lock);
                }
                writes.incrementAndGet();
                sleep(1);
            }
        });
        for (Thread thread : readers) {
            thread.start();
        }
        for (Thread thread : writers) {
            thread.start();
        }
        sleep((long) (seconds * 1000));
        over = true;
        join(readers);
        join(writers);
        return "writes=" + writes;
    }

    static void takeBoth(Shared first, Shared second, CountDownLatch haveOne) throws InterruptedException {
        synchronized (first) {
            haveOne.countDown();
            haveOne.await();
            synchronized (second) {
                first.sum += second.sum;
            }
        }
    }

    private static String deadlock(boolean isFixed) throws InterruptedException {
        Shared left = new Shared();
        Shared right = new Shared();
        CountDownLatch haveOne = new CountDownLatch(isFixed ? 0 : 2);
        Thread[] threads = threads("dead", 2, number -> {
            boolean isTurned = number == 1 && !isFixed;
            takeBoth(isTurned ? right : left, isTurned ? left : right, haveOne);
        });
        for (Thread thread : threads) {
            thread.setDaemon(true);
            thread.start();
        }
        if (isFixed) {
            join(threads);
            return "threads=0";
        }
        for (Thread thread : threads) {
            while (thread.getState() != Thread.State.BLOCKED) {
                sleep(1);
            }
        }
        sleep(500);
        return "threads=2";
    }

    // ---- pools ----

    static void ask(ThreadPoolExecutor pool, long ms) throws Exception {
        pool.submit(() -> sleep(ms)).get();
    }

    private static String pool(boolean isFixed, int threads, int calls, long ms) throws InterruptedException {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(isFixed ? POOL_MOST : 1, POOL_MOST, 60, TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(QUEUE_MOST));
        Rounds.together(threads("client", threads, number -> {
            for (int i = 0; i < calls; i++) {
                ask(pool, ms);
            }
        }));
        pool.shutdown();
        return "largest=" + pool.getLargestPoolSize();
    }

    static void join(ExecutorService pool, long ms) {
        CompletableFuture.runAsync(() -> sleep(ms), pool).join();
    }

    private static String futures(boolean isFixed, int threads, int calls, long ms) throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(isFixed ? threads : 2);
        Rounds.together(threads("client", threads, number -> {
            for (int i = 0; i < calls; i++) {
                join(pool, ms);
            }
        }));
        pool.shutdown();
        return "asked=" + threads * calls;
    }

    static void query(ArrayBlockingQueue<Object> connections, long ms) throws InterruptedException {
        Object connection = connections.take();
        sleep(ms);
        connections.put(connection);
    }

    static void consume(ArrayBlockingQueue<Object> work) throws InterruptedException {
        Object next = work.take();
        while (next != work) {
            sleep((Integer) next);
            next = work.take();
        }
        work.put(work);
    }

    private static String connections(boolean isFixed, int threads, double seconds, long ms) throws InterruptedException {
        ArrayBlockingQueue<Object> connections = new ArrayBlockingQueue<>(threads);
        ArrayBlockingQueue<Object> work = new ArrayBlockingQueue<>(threads);
        Random random = new Random(1);
        long end = System.nanoTime() + (long) (seconds * 1e9);
        for (int i = 0; i < (isFixed ? threads : 2); i++) {
            connections.add(new Object());
        }
        Thread[] consumers = threads("consumer", isFixed ? threads : 0, number -> consume(work));
        for (Thread consumer : consumers) {
            consumer.start();
        }
        Thread feeder = thread("feeder", 0, number -> {
            while (isFixed && System.nanoTime() < end) {
                sleep(random.nextInt((int) ms / 5));
                work.put(random.nextInt((int) ms * 2 / 5));
            }
            work.put(work);
        });
        feeder.start();
        Rounds.together(threads("request", threads, number -> {
            while (System.nanoTime() < end) {
                query(connections, ms);
            }
        }));
        feeder.join();
        join(consumers);
        return "threads=" + threads;
    }

    // ---- what stops all threads ----

    static void look(boolean isFixed) {
        if (isFixed) {
            sink += THREADS.getThreadCount();
            sleep(1);
        } else {
            THREADS.findDeadlockedThreads();
        }
    }

    private static String storm(boolean isFixed, double seconds) {
        long looks = 0;
        for (long end = System.nanoTime() + (long) (seconds * 1e9); System.nanoTime() < end; looks++) {
            look(isFixed);
        }
        return "looks=" + looks;
    }

    static void callCollector() {
        System.gc();
    }

    private static String gc(boolean isFixed, int calls) {
        for (int i = 0; i < calls; i++) {
            sink += Halts.counted(WARM_LOOP);
            if (!isFixed) {
                callCollector();
            }
        }
        return "calls=" + (isFixed ? 0 : calls);
    }

    private static void warmLoop() {
        for (int i = 0; i < WARM_CALLS; i++) {
            sink += Halts.counted(WARM_LOOP);
        }
    }

    private static String late(boolean isFixed, int calls) throws InterruptedException {
        int length = isFixed ? SHORT_LOOP : LONG_LOOP;
        CountDownLatch compiled = new CountDownLatch(1);
        warmLoop();
        over = false;
        Thread looper = thread("looper", 0, number -> {
            sink += Halts.counted(LONG_LOOP);
            compiled.countDown();
            while (!over) {
                sink += Halts.counted(length);
            }
        });
        looper.start();
        compiled.await();
        for (int i = 0; i < calls; i++) {
            sleep(20);
            THREADS.findDeadlockedThreads();
        }
        over = true;
        looper.join();
        return "calls=" + calls;
    }

    // ---- exceptions ----

    static final class NotFound extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    static int find(boolean isFixed) {
        if (isFixed) {
            return -1;
        }
        throw new NotFound();
    }

    static int lookUp(boolean isFixed) {
        try {
            return find(isFixed);
        } catch (NotFound e) {
            return -1;
        }
    }

    /** A stack trace that takes time to fill in; what is thrown is caught at once. */
    static int lookUpBelow(int depth, boolean isFixed, int times) {
        if (depth > 0) {
            return lookUpBelow(depth - 1, isFixed, times) + 1;
        }
        int sum = 0;
        for (int i = 0; i < times; i++) {
            sum += lookUp(isFixed);
        }
        return sum;
    }

    private static String exceptions(boolean isFixed, double seconds) {
        long calls = 0;
        for (long end = Rounds.cpu() + (long) (seconds * 1e9); Rounds.cpu() < end; calls += TIMES) {
            sink += lookUpBelow(DEEP, isFixed, TIMES);
        }
        return "thrown=" + (isFixed ? 0 : calls);
    }

    // ---- processors, memory and threads ----

    static void startOne(Runnable task) throws InterruptedException {
        Thread thread = new Thread(task);
        thread.start();
        thread.join();
    }

    private static String churn(boolean isFixed, double seconds) throws InterruptedException {
        long count = 0;
        Runnable task = () -> sink++;
        for (long end = System.nanoTime() + (long) (seconds * 1e9); System.nanoTime() < end; count++) {
            if (isFixed) {
                task.run();
                sleep(1);
            } else {
                startOne(task);
            }
        }
        return "threads=" + count;
    }

    static void count(Map<Integer, Integer> sums, int key) {
        sums.put(key, sums.get(key) + key);
    }

    private static String boxes(boolean isFixed, int calls) {
        Map<Integer, Integer> sums = new HashMap<>();
        int[] plain = new int[KEYS];
        for (int key = 0; key < KEYS; key++) {
            sums.put(key, key);
        }
        for (int i = 0; i < calls; i++) {
            for (int key = 0; key < KEYS; key++) {
                if (isFixed) {
                    plain[key] += key;
                } else {
                    count(sums, key);
                }
            }
        }
        sink += sums.get(1) + plain[1];
        return "keys=" + KEYS;
    }

    static byte[] buffer() {
        return new byte[BUFFER];
    }

    private static String buffers(boolean isFixed, int calls) {
        byte[] same = buffer();
        long bytes = BUFFER;
        for (int i = 0; i < calls; i++) {
            byte[] one = isFixed ? same : buffer();
            one[i % BUFFER] = 1;
            kept = one;
            bytes += isFixed ? 0 : BUFFER;
        }
        return "bytes=" + bytes;
    }

    /** A hundred thousand of these are kept: a young collection has to copy them. */
    static Object[] node() {
        return new Object[NODE_FIELDS];
    }

    private static String garbage(boolean isFixed, int calls) {
        Object[][] ring = new Object[NODES][];
        for (int i = 0; i < NODES; i++) {
            ring[i] = node();
        }
        for (int i = 0; i < calls * NODES; i++) {
            if (isFixed) {
                ring[i % NODES][0] = null;
            } else {
                ring[i % NODES] = node();
            }
        }
        sink += ring.length;
        return "nodes=" + NODES;
    }

    // ---- outside ----

    private static void answer(Socket socket, boolean isFixed, int calls, long ms, CountDownLatch end) {
        try (Socket own = socket) {
            for (int i = 0; i < calls; i++) {
                if (!isFixed) {
                    own.getInputStream().read();
                    sleep(ms);
                }
                own.getOutputStream().write(1);
            }
            for (int i = 0; isFixed && i < calls; i++) {
                own.getInputStream().read();
            }
            end.await();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void accept(ServerSocket server, boolean isFixed, int calls, long ms, CountDownLatch end) {
        for (int i = 0; ; i++) {
            try {
                Socket socket = server.accept();
                Thread answerer = thread("answerer", i, number -> answer(socket, isFixed, calls, ms, end));
                answerer.setDaemon(true);
                answerer.start();
            } catch (IOException e) {
                return; // it was closed: the end of the round
            }
        }
    }

    static void request(int port, int calls, long thinkMs) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            for (int i = 0; i < calls; i++) {
                sleep(thinkMs);
                socket.getOutputStream().write(1);
                socket.getInputStream().read();
            }
        }
    }

    private static String sockets(boolean isFixed, int threads, int calls, long ms) throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread acceptor = thread("acceptor", 0, number -> accept(server, isFixed, calls, ms, end));
            acceptor.setDaemon(true);
            acceptor.start();
            Rounds.together(threads("client", threads, number -> request(server.getLocalPort(), calls, isFixed ? ms : 0)));
            end.countDown();
            return "port=" + server.getLocalPort();
        }
    }

    static void ask(Socket peer) throws IOException {
        peer.getOutputStream().write(1);
        peer.getInputStream().read();
    }

    static void askInside(Shared shared, Socket peer) throws IOException {
        synchronized (shared) {
            ask(peer);
            shared.sum++;
        }
    }

    static void askOutside(Shared shared, Socket peer) throws IOException {
        ask(peer);
        synchronized (shared) {
            shared.sum++;
        }
    }

    private static String asker(boolean isFixed, int threads, int calls, long ms) throws Exception {
        Shared shared = new Shared();
        CountDownLatch end = new CountDownLatch(1);
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                Socket common = isFixed ? null : new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort())) {
            Thread acceptor = thread("acceptor", 0, number -> accept(server, false, isFixed ? calls : threads * calls, ms, end));
            acceptor.setDaemon(true);
            acceptor.start();
            Rounds.together(threads("worker", threads, number -> {
                try (Socket own = isFixed ? new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort()) : null) {
                    for (int i = 0; i < calls; i++) {
                        if (isFixed) {
                            askOutside(shared, own);
                        } else {
                            askInside(shared, common);
                        }
                    }
                }
            }));
            end.countDown();
        }
        return "calls=" + (threads * calls);
    }

    static void force(FileChannel file) throws IOException {
        file.force(false);
    }

    private static String forces(boolean isFixed, double seconds, String path) throws IOException {
        long count = 0;
        ByteBuffer buffer = ByteBuffer.allocate(64);
        try (FileChannel file = FileChannel.open(Paths.get(path), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            for (long end = System.nanoTime() + (long) (seconds * 1e9); System.nanoTime() < end;) {
                file.write((ByteBuffer) buffer.clear());
                if (isFixed || count == FORCES_MOST) {
                    sleep(1);
                } else {
                    force(file);
                    count++;
                }
            }
            force(file);
        }
        return "forces=" + (count + 1);
    }

    static void sleepInMonitor(Object own, long ms) {
        synchronized (own) {
            sleep(ms);
        }
    }

    /** Thread.startVirtualThread, which the tests' compiler does not know. */
    private static String pinned(boolean isFixed, int threads, int calls, long ms) throws Exception {
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        Thread[] started = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            ReentrantLock own = new ReentrantLock();
            Runnable work = () -> {
                for (int k = 0; k < calls; k++) {
                    if (isFixed) {
                        sleepInside(own, ms);
                    } else {
                        sleepInMonitor(own, ms);
                    }
                }
            };
            started[i] = (Thread) start.invoke(null, work);
        }
        join(started);
        return "waits=" + (threads * calls);
    }

    // ---- rounds ----

    private static String run(Rounds.Options options) throws Exception {
        boolean isFixed = options.number("fixed", 0) > 0;
        int threads = (int) options.number("threads", 6);
        int calls = (int) options.number("calls", 10);
        long ms = (long) options.number("ms", 20);
        double seconds = options.number("seconds", 1);
        switch (options.word()) {
            case "logger":
                return logger(isFixed, threads, calls, ms);
            case "sleeper":
                return sleeper(isFixed, threads, calls, ms);
            case "asker":
                return asker(isFixed, threads, calls, ms);
            case "pool":
                return pool(isFixed, threads, calls, ms);
            case "futures":
                return futures(isFixed, threads, calls, ms);
            case "connections":
                return connections(isFixed, threads, seconds, ms);
            case "convoy":
                return convoy(isFixed, threads, calls, (int) options.number("length", 1_000_000));
            case "writers":
                return writers(isFixed, seconds);
            case "deadlock":
                return deadlock(isFixed);
            case "storm":
                return storm(isFixed, seconds);
            case "gc":
                return gc(isFixed, calls);
            case "late":
                return late(isFixed, calls);
            case "exceptions":
                return exceptions(isFixed, seconds);
            case "churn":
                return churn(isFixed, seconds);
            case "boxes":
                return boxes(isFixed, calls);
            case "buffers":
                return buffers(isFixed, calls);
            case "garbage":
                return garbage(isFixed, calls);
            case "sockets":
                return sockets(isFixed, threads, calls, ms);
            case "forces":
                return forces(isFixed, seconds, options.text("path", ""));
            case "pinned":
                return pinned(isFixed, threads, calls, ms);
            default:
                throw new IllegalArgumentException(options.word());
        }
    }

    /** The request that jcmd would make, made from inside: no other JVM has to be started for it. */
    private static void flight(String command, String... words) throws Exception {
        ManagementFactory.getPlatformMBeanServer().invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), command,
            new Object[] {words}, new String[] {String[].class.getName()});
    }

    private static String round(Rounds.Options options) throws Exception {
        String file = options.text("flight", "");
        if (file.isEmpty()) {
            return run(options);
        }
        flight("jfrStart", "name=problem", "settings=profile", "jdk.FileForce#threshold=0ms", "jdk.JavaMonitorEnter#enabled=false",
            "jdk.SafepointStateSynchronization#enabled=true", "jdk.SafepointEnd#enabled=true");
        try {
            return run(options);
        } finally {
            flight("jfrStop", "name=problem", "filename=" + file);
        }
    }

    public static void main(String[] args) throws Exception {
        Rounds.serve(Problems::round);
    }

    private Problems() {
    }
}
