import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** Pools of threads, connections and permits that are too small for the threads that need them. */
public final class Pools {
    private static final int CLIENTS = 20;
    private static final int FEW = 2;

    private Pools() {
    }

    // -- connections --

    static void queue(boolean planted) {
        BlockingQueue<Object> connections = new ArrayBlockingQueue<>(CLIENTS);
        for (int i = 0; i < (planted ? FEW : CLIENTS); i++) {
            connections.add(new Object());
        }
        Case.repeat(CLIENTS, "request", () -> {
            Object connection = connections.take(); // here: queue
            Case.sleep(40);
            connections.put(connection);
        });
    }

    static void linkedQueue(boolean planted) {
        BlockingQueue<Object> clients = new LinkedBlockingQueue<>();
        for (int i = 0; i < (planted ? FEW : CLIENTS); i++) {
            clients.add(new Object());
        }
        Case.repeat(CLIENTS, "exec", () -> {
            Object client = clients.poll(10, TimeUnit.SECONDS); // here: linkedQueue
            Case.think(20);
            clients.put(client);
        });
    }

    static void permits(boolean planted) {
        Semaphore permits = new Semaphore(planted ? FEW : CLIENTS);
        Case.repeat(CLIENTS, "upload", () -> {
            permits.acquire(); // here: permits
            Case.think(20);
            permits.release();
            Case.think(5);
        });
    }

    /** A pool with wait and notify, as people write it. */
    static final class Sessions {
        private final Deque<Object> free = new ArrayDeque<>();

        synchronized Object acquire() throws InterruptedException {
            while (free.isEmpty()) {
                wait(); // here: waitNotify
            }
            return free.pop();
        }

        synchronized void giveBack(Object session) {
            free.push(session);
            notify();
        }
    }

    static void waitNotify(boolean planted) {
        Sessions sessions = new Sessions();
        for (int i = 0; i < (planted ? FEW : CLIENTS); i++) {
            sessions.giveBack(new Object());
        }
        Case.repeat(CLIENTS, "page", () -> {
            Object session = sessions.acquire();
            Case.think(20);
            sessions.giveBack(session);
        });
    }

    /** The same with a condition. */
    static final class Channels {
        private final Deque<Object> free = new ArrayDeque<>();
        private final Lock lock = new ReentrantLock();
        private final Condition some = lock.newCondition();

        Object next() throws InterruptedException {
            lock.lock();
            try {
                while (free.isEmpty()) {
                    some.await(); // here: condition
                }
                return free.pop();
            } finally {
                lock.unlock();
            }
        }

        void giveBack(Object channel) {
            lock.lock();
            free.push(channel);
            some.signal();
            lock.unlock();
        }
    }

    static void condition(boolean planted) {
        Channels channels = new Channels();
        for (int i = 0; i < (planted ? FEW : CLIENTS); i++) {
            channels.giveBack(new Object());
        }
        Case.repeat(CLIENTS, "call", () -> {
            Object channel = channels.next();
            Case.think(20);
            channels.giveBack(channel);
        });
    }

    // -- threads --

    static void completable(boolean planted) {
        ExecutorService pool = Executors.newFixedThreadPool(planted ? FEW : CLIENTS);
        Case.repeat(CLIENTS, "client", () -> {
            CompletableFuture<Void> price = CompletableFuture.runAsync(() -> Case.think(20), pool);
            price.join(); // here: completable
        });
    }

    static void completableGet(boolean planted) {
        ExecutorService pool = Executors.newFixedThreadPool(planted ? FEW : 2 * CLIENTS);
        Case.repeat(CLIENTS, "client", () -> {
            CompletableFuture<Integer> left = CompletableFuture.supplyAsync(() -> pause(20), pool);
            CompletableFuture<Integer> right = CompletableFuture.supplyAsync(() -> pause(20), pool);
            Case.sink += left.thenCombine(right, Integer::sum).get(10, TimeUnit.SECONDS); // here: completableGet
        });
    }

    private static int pause(int ms) {
        Case.think(ms);
        return ms;
    }

    static void executor(boolean planted) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(planted ? FEW : CLIENTS, CLIENTS, 60, TimeUnit.SECONDS,
            new LinkedBlockingQueue<>());
        Case.repeat(CLIENTS, "http", () -> {
            Case.sink += pool.submit(() -> pause(20)).get(); // here: executor
        });
    }

    static void invokeAll(boolean planted) {
        ExecutorService pool = Executors.newFixedThreadPool(planted ? 3 : 32);
        List<Callable<Integer>> parts = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            parts.add(() -> pause(10));
        }
        Case.repeat(4, "batch", () -> {
            Case.sink += pool.invokeAll(parts).size(); // here: invokeAll
        });
    }

    static void forkJoin(boolean planted) {
        ForkJoinPool pool = new ForkJoinPool(planted ? FEW : CLIENTS);
        Case.repeat(CLIENTS, "asker", () -> {
            Case.sink += pool.submit(() -> pause(20)).join(); // here: forkJoin
        });
    }

    static void commonPool(boolean planted) {
        ExecutorService own = Executors.newFixedThreadPool(CLIENTS);
        Case.repeat(CLIENTS, "web", () -> {
            CompletableFuture<Integer> one = planted ? CompletableFuture.supplyAsync(() -> pauseInTask(30))
                : CompletableFuture.supplyAsync(() -> pauseInTask(30), own);
            Case.sink += one.join(); // here: commonPool
        });
    }

    /** With one processor, and before JDK 25, each task of a CompletableFuture has a thread of its own. */
    static void threadForEach(boolean planted) {
        ExecutorService own = Executors.newFixedThreadPool(CLIENTS);
        Case.repeat(4, "web", () -> {
            CompletableFuture<Integer> one = planted ? CompletableFuture.supplyAsync(() -> 17) // here: threadForEach
                : CompletableFuture.supplyAsync(() -> 17, own);
            Case.sink += one.join();
            Case.sleep(1);
        });
    }

    /** Tasks that wait for tasks of their own pool. */
    static void nested(boolean planted) {
        ExecutorService pool = Executors.newFixedThreadPool(planted ? 4 : 16);
        ExecutorService inner = planted ? pool : Executors.newFixedThreadPool(16);
        Callable<Integer> outer = () -> {
            Case.think(5);
            return inner.submit(() -> pause(5)).get(); // here: nested
        };
        Case.repeat(8, "request", () -> {
            Case.sink += pool.submit(outer).get();
            Case.think(10);
        });
    }

    static void latch(boolean planted) {
        ExecutorService pool = Executors.newFixedThreadPool(planted ? 2 : 32);
        Case.repeat(8, "request", () -> {
            CountDownLatch parts = new CountDownLatch(4);
            for (int i = 0; i < 4; i++) {
                pool.execute(() -> {
                    Case.sleep(20);
                    parts.countDown();
                });
            }
            parts.await(); // here: latch
        });
    }

    /** The request threads of a server are workers of a pool themselves. */
    static void server(boolean planted) {
        ExecutorService requests = Executors.newFixedThreadPool(CLIENTS);
        ExecutorService database = Executors.newFixedThreadPool(planted ? FEW : CLIENTS);
        for (int i = 0; i < CLIENTS; i++) {
            requests.execute(new Runnable() {
                @Override
                public void run() {
                    try {
                        Case.sink += database.submit(() -> pause(20)).get(); // here: server
                        Case.think(5);
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                    requests.execute(this);
                }
            });
        }
    }

    private static int pauseInTask(int ms) {
        Case.sleep(ms); // here: commonPool
        return ms;
    }

    public static void main(String[] args) throws Exception {
        Case.main(Pools.class, args);
    }
}
