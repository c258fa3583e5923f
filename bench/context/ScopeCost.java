import candor.context.Candor;
import candor.context.Key;
import candor.context.Scope;
import java.util.concurrent.CountDownLatch;

/**
 * The cost of opening and closing a scope, in nanoseconds: the fastest of many runs with many scopes each, because disturbances only add
 * to it. In a virtual thread also the cost of a yield, which is an unmount and a mount.
 *
 * usage: ScopeCost (platform | virtual)
 */
public class ScopeCost {
    private static final int RUNS = 40, EACH = 200_000, YIELDS = 20_000;
    private static final Key TIER = Candor.key("tier");

    private interface Work {
        void once(long i);
    }

    static volatile long sink;

    private static double fastest(int each, Work work) {
        double least = Double.MAX_VALUE;
        for (int run = 0; run < RUNS; run++) {
            long began = System.nanoTime();
            for (int i = 0; i < each; i++) {
                work.once(i + 1);
            }
            least = Math.min(least, (double) (System.nanoTime() - began) / each);
        }
        return least;
    }

    private static void print(String what, double ns) {
        System.out.printf("%s\t%.1f%n", what, ns);
    }

    private static void measure(boolean virtual) {
        print("nothing", fastest(EACH, i -> sink = i));
        print("scope", fastest(EACH, i -> {
            try (Scope scope = Candor.scope("GET /cart", i, i, i)) {
                sink = i;
            }
        }));
        try (Scope outer = Candor.scope("GET /cart", 1, 1, 1)) {
            print("inner scope", fastest(EACH, i -> {
                try (Scope scope = Candor.scope(null, 1, 1, i + 1)) {
                    sink = i;
                }
            }));
            outer.label(TIER, "gold");
            print("inner scope, a label", fastest(EACH, i -> {
                try (Scope scope = Candor.scope(null, 1, 1, i + 1)) {
                    sink = i;
                }
            }));
        }
        print("scope, ids as texts", fastest(EACH, i -> {
            try (Scope scope = Candor.scope("GET /cart", "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7")) {
                sink = i;
            }
        }));
        if (virtual) {
            print("yield", fastest(YIELDS, i -> Thread.yield()));
            try (Scope outer = Candor.scope("GET /cart", 1, 1, 1)) {
                print("yield within a scope", fastest(YIELDS, i -> Thread.yield()));
            }
        }
    }

    public static void main(String[] args) throws Exception {
        boolean virtual = args[0].equals("virtual");
        CountDownLatch left = new CountDownLatch(1);
        Runnable body = () -> {
            measure(virtual);
            left.countDown();
        };
        System.out.printf("watched\t%d%n", Candor.isWatched() ? 1 : 0);
        if (virtual) {
            Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
        } else {
            new Thread(body).start();
        }
        left.await();
    }
}
