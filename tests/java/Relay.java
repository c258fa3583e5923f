import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.Semaphore;

/*
 * Pairs of threads that pass a token back and forth, with a context switch each time. Each turn is a piece of one of three methods. Some
 * threads do longer pieces than others, and the long ones mostly belong to one method. At the end it prints each method's CPU time by
 * the threads' own clocks, and continues when it is told to.
 *
 *   java Relay PAIRS SECONDS
 */
public class Relay {
    static final int METHODS = 3;
    static final long[] used = new long[METHODS];
    static volatile boolean over;

    static long first(int steps, long x) {
        for (int i = 0; i < steps; i++)
            x = x * 6364136223846793005L + 1442695040888963407L;
        return x;
    }

    static long second(int steps, long x) {
        for (int i = 0; i < steps; i++)
            x = (x ^ x << 13) * 2862933555777941757L + i;
        return x;
    }

    static long third(int steps, long x) {
        for (int i = 0; i < steps; i++)
            x = Long.rotateLeft(x, 7) * 3202034522624059733L ^ i;
        return x;
    }

    /* Long pieces mostly belong to the third method. */
    static int choose(int pair, long x) {
        long r = (x >>> 33) % 10;
        return pair % 4 == 0 ? (r < 7 ? 2 : r < 9 ? 1 : 0) : r < 5 ? 0 : r < 8 ? 1 : 2;
    }

    static long work(int method, int steps, long x) {
        return method == 0 ? first(steps, x) : method == 1 ? second(steps, x) : third(steps, x);
    }

    static class Player extends Thread {
        final Semaphore mine, his;
        final int pair;
        long x;

        Player(String name, int pair, Semaphore mine, Semaphore his) {
            super(name);
            this.pair = pair;
            this.mine = mine;
            this.his = his;
            x = name.hashCode() * 2654435769L + 1;
        }

        public void run() {
            ThreadMXBean clock = ManagementFactory.getThreadMXBean();
            long[] own = new long[METHODS];
            int steps = pair % 4 == 0 ? 60000 : 15000;
            while (!over) {
                mine.acquireUninterruptibly();
                int method = choose(pair, x);
                long before = clock.getCurrentThreadCpuTime();
                x = work(method, steps, x);
                own[method] += clock.getCurrentThreadCpuTime() - before;
                x = x * 6364136223846793005L + 1;
                his.release();
            }
            his.release();
            synchronized (used) {
                for (int i = 0; i < METHODS; i++)
                    used[i] += own[i];
            }
        }
    }

    public static void main(String[] args) throws Exception {
        long x = 1;
        for (int i = 0; i < 300; i++)
            for (int method = 0; method < METHODS; method++)
                x = work(method, 10000, x);
        System.out.println("ready " + (x & 1));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        in.readLine();
        int pairs = Integer.parseInt(args[0]);
        Thread[] players = new Thread[2 * pairs];
        for (int i = 0; i < pairs; i++) {
            Semaphore a = new Semaphore(1), b = new Semaphore(0);
            players[2 * i] = new Player("relay-" + i + "-a", i, a, b);
            players[2 * i + 1] = new Player("relay-" + i + "-b", i, b, a);
        }
        for (Thread t : players)
            t.start();
        Thread.sleep((long) (1000 * Double.parseDouble(args[1])));
        over = true;
        for (Thread t : players)
            t.join();
        System.out.println("used " + used[0] + " " + used[1] + " " + used[2]);
        in.readLine();
    }
}
