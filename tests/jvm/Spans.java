import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.trace.IdGenerator;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Spans of OpenTelemetry's SDK whose methods show to which span they belong: cart to the root span "GET /cart", inner to a child, handed
 * and future to the root, but in another thread, light to the root in a virtual thread, quiet to a trace that is not sampled, detached
 * and nobody to no span. The ids of a request are made from its number: the ids of the trace and the root span are that number, a
 * child's has one more bit.
 *
 * usage: Spans ROUNDS
 */
public class Spans {
    private static final int STEPS = 150_000;
    private static final long INNER = 1L << 62;
    private static final ThreadLocal<Long> NEXT = new ThreadLocal<>();

    static volatile long sink = 1;

    /** The request that the thread has begun. */
    private static final class Ids implements IdGenerator {
        @Override
        public String generateSpanId() {
            return String.format("%016x", NEXT.get());
        }

        @Override
        public String generateTraceId() {
            return String.format("%016x%016x", NEXT.get(), NEXT.get());
        }
    }

    /** Steps of Marsaglia's xorshift, which no compiler can shorten, unlike sums and products. */
    private static void spin() {
        long x = sink;
        for (int i = 0; i < STEPS; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        sink = x;
    }

    private static void cart() {
        spin();
    }

    private static void inner() {
        spin();
    }

    private static void handed() {
        spin();
    }

    private static void future() {
        spin();
    }

    private static void light() {
        spin();
        try {
            Thread.sleep(1);
        } catch (InterruptedException never) {
            throw new IllegalStateException(never);
        }
        spin();
    }

    private static void quiet() {
        spin();
    }

    private static void detached() {
        spin();
    }

    private static void nobody() {
        spin();
    }

    private static boolean startVirtual(Runnable body) throws Exception {
        try {
            Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
            return true;
        } catch (NoSuchMethodException before21) {
            return false;
        }
    }

    private static void request(Tracer tracer, ExecutorService pool, long number) throws Exception {
        NEXT.set(number);
        Span root = tracer.spanBuilder("GET /cart").setNoParent().startSpan();
        CountDownLatch left = new CountDownLatch(2);
        try (Scope scope = root.makeCurrent()) {
            cart();
            pool.execute(Context.current().wrap(() -> {
                handed();
                left.countDown();
            }));
            CompletableFuture<Void> later = CompletableFuture.runAsync(Spans::future, Context.taskWrapping(pool));
            if (!startVirtual(Context.current().wrap(() -> {
                light();
                left.countDown();
            }))) {
                left.countDown();
            }
            NEXT.set(number | INNER);
            Span child = tracer.spanBuilder("query").startSpan();
            try (Scope second = child.makeCurrent()) {
                inner();
            }
            child.end();
            try (Scope none = Context.root().makeCurrent()) {
                detached();
            }
            cart();
            later.join();
            left.await();
        }
        root.end();
    }

    private static void unsampled(Tracer tracer, long number) {
        NEXT.set(number);
        Span root = tracer.spanBuilder("GET /quiet").setNoParent().startSpan();
        try (Scope scope = root.makeCurrent()) {
            quiet();
        }
        root.end();
    }

    public static void main(String[] args) throws Exception {
        IdGenerator ids = new Ids();
        SdkTracerProvider on = SdkTracerProvider.builder().setIdGenerator(ids).setSampler(Sampler.alwaysOn()).build();
        SdkTracerProvider off = SdkTracerProvider.builder().setIdGenerator(ids).setSampler(Sampler.alwaysOff()).build();
        ExecutorService pool = Executors.newFixedThreadPool(2);
        int rounds = Integer.parseInt(args[0]);
        for (long r = 1; r <= rounds; r++) {
            request(on.get("spans"), pool, r << 4 | 1);
            unsampled(off.get("spans"), r << 4 | 2);
            nobody();
        }
        pool.shutdown();
        System.out.println("done");
    }
}
