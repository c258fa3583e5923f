import candor.context.Candor;
import candor.context.Key;
import candor.context.Scope;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.CountDownLatch;

/**
 * Requests whose methods show to which context they belong: cart works within a scope "GET /cart" and nowhere else, pay within "POST
 * /pay", search within "GET /search", inner within a second span of the cart's, and nobody without a scope. The ids of trace and span
 * are made from the numbers of the endpoint and the request. At the end it prints the CPU time of each endpoint's scopes, by their
 * threads' CPU clocks, and the CPU time outside of scopes.
 *
 * usage: Requests (platform | virtual | waiting) THREADS ROUNDS | held
 * waiting: like virtual, but no thread opens a scope before a line of input comes; by then the first half of the threads have run and
 * stand still
 */
public class Requests {
    private static final String[] ENDPOINTS = {"GET /cart", "POST /pay", "GET /search"};
    private static final int NOBODY = ENDPOINTS.length, STEPS = 150_000;
    private static final long INNER = 1L << 62;
    private static final Key TIER = Candor.key("tier");
    private static final ThreadMXBean CLOCKS = ManagementFactory.getThreadMXBean();

    static volatile long sink = 1;
    static volatile Object kept;
    private static volatile boolean done;

    /** Steps of Marsaglia's xorshift, which no compiler can shorten, unlike sums and products. */
    private static long spin(long x, int steps) {
        for (int i = 0; i < steps; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    private static void cart() {
        sink = spin(sink, STEPS);
    }

    private static void inner() {
        sink = spin(sink, STEPS);
    }

    private static void pay() {
        sink = spin(sink, STEPS);
        for (int i = 0; i < 200; i++) {
            kept = new byte[1000 + i];
        }
    }

    private static void search() {
        sink = spin(sink, STEPS);
    }

    private static void nobody() {
        sink = spin(sink, STEPS);
        for (int i = 0; i < 200; i++) {
            kept = new char[500 + i];
        }
    }

    private static void slow() throws InterruptedException {
        Thread.sleep(20);
    }

    /** Every other request gives its ids as texts. */
    private static Scope open(int endpoint, long id) {
        if ((id >> 4 & 1) != 0) {
            String digits = String.format("%016x", id);
            return Candor.scope(ENDPOINTS[endpoint], digits + digits, digits);
        }
        return Candor.scope(ENDPOINTS[endpoint], id, id, id);
    }

    /** How long the scope was open, by the thread's clock. */
    private static long serve(int endpoint, long id, boolean sleeps) throws InterruptedException {
        if (endpoint == NOBODY) {
            nobody();
            if (sleeps) {
                Thread.sleep(1);
                nobody();
            }
            return 0;
        }
        try (Scope scope = open(endpoint, id)) {
            long opened = clock(!sleeps);
            work(endpoint);
            if (sleeps) {
                Thread.sleep(1);
                work(endpoint);
            }
            if (endpoint == 0) {
                try (Scope second = Candor.scope(null, id, id, id | INNER)) {
                    second.label(TIER, "gold");
                    inner();
                }
                cart();
            }
            return clock(!sleeps) - opened;
        }
    }

    private static void work(int endpoint) {
        switch (endpoint) {
            case 0: cart(); break;
            case 1: pay(); break;
            default: search();
        }
    }

    private static long clock(boolean has) {
        return has ? CLOCKS.getCurrentThreadCpuTime() : 0;
    }

    /** cpu: by endpoint, or null if the thread has no clock. */
    private static void requests(int thread, int rounds, long[] cpu) {
        try {
            for (int r = 0; r < rounds; r++) {
                int endpoint = r * 7 % (NOBODY + 1);
                long id = (long) (thread + 1) << 40 | (long) r << 4 | endpoint + 1;
                long before = clock(cpu != null), within = serve(endpoint, id, cpu == null);
                if (cpu != null) {
                    cpu[endpoint] += within;
                    cpu[NOBODY] += clock(true) - before - within;
                }
            }
        } catch (InterruptedException never) {
            throw new IllegalStateException(never);
        }
    }

    private static void sleepInScope() {
        try {
            while (!done) {
                try (Scope scope = Candor.scope("GET /slow")) {
                    slow();
                }
            }
        } catch (InterruptedException never) {
            throw new IllegalStateException(never);
        }
    }

    private static void start(boolean virtual, Runnable body) throws Exception {
        if (virtual) {
            Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
        } else {
            new Thread(body).start();
        }
    }

    private static void meet(CountDownLatch all) {
        try {
            all.countDown();
            all.await();
        } catch (InterruptedException never) {
            throw new IllegalStateException(never);
        }
    }

    private static void meetWhenAsked(CountDownLatch all, String kind) throws Exception {
        if (kind.equals("waiting")) {
            while (all.getCount() > 1) {
                Thread.sleep(1);
            }
            System.out.println("waiting");
            System.in.read();
        }
        meet(all);
    }

    /** Threads open their first scopes at the same time; of virtual threads the second half comes when the first half has begun. */
    private static void serveAll(String kind, int threads, int rounds) throws Exception {
        boolean virtual = !kind.equals("platform");
        int early = virtual ? threads / 2 : threads;
        CountDownLatch left = new CountDownLatch(threads), there = new CountDownLatch(early + 2);
        long[][] cpu = new long[threads][NOBODY + 1];
        start(false, () -> {
            meet(there);
            sleepInScope();
        });
        for (int t = 0; t < threads; t++) {
            int thread = t;
            if (t == early) {
                meetWhenAsked(there, kind);
            }
            start(virtual, () -> {
                if (thread < early) {
                    meet(there);
                }
                requests(thread, rounds, virtual ? null : cpu[thread]);
                left.countDown();
            });
        }
        if (early == threads) {
            meetWhenAsked(there, kind);
        }
        left.await();
        done = true;
        StringBuilder line = new StringBuilder("cpu");
        for (int e = 0; e <= NOBODY; e++) {
            long sum = 0;
            for (long[] one : cpu) {
                sum += one[e];
            }
            line.append(' ').append(sum);
        }
        System.out.println(line);
    }

    /** For a reader outside of the process: a thread that stays within a scope. */
    private static void hold() throws Exception {
        Thread held = new Thread(() -> {
            try (Scope scope = Candor.scope("GET /held", 0x0123456789abcdefL, 0xfedcba9876543210L, 0x1122334455667788L)) {
                scope.label(TIER, "gold");
                System.out.println("ready " + Candor.isWatched());
                while (true) {
                    Thread.sleep(1000);
                }
            } catch (InterruptedException end) {
                System.out.println("ended");
            }
        }, "held");
        held.start();
        while (System.in.read() >= 0) {
            continue;
        }
        held.interrupt();
    }

    public static void main(String[] args) throws Exception {
        if (args[0].equals("held")) {
            hold();
            return;
        }
        serveAll(args[0], Integer.parseInt(args[1]), Integer.parseInt(args[2]));
    }
}
