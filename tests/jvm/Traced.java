import candor.opentracing.CandorTracer;
import io.jaegertracing.internal.JaegerSpanContext;
import io.jaegertracing.internal.JaegerTracer;
import io.jaegertracing.internal.reporters.NoopReporter;
import io.jaegertracing.internal.samplers.ConstSampler;
import io.opentracing.Scope;
import io.opentracing.Span;
import io.opentracing.SpanContext;
import io.opentracing.Tracer;
import io.opentracing.mock.MockSpan;
import io.opentracing.mock.MockTracer;
import io.opentracing.propagation.Format;
import io.opentracing.propagation.TextMapAdapter;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Spans of OpenTracing whose methods show to which span they belong: cart to the outermost span "GET /cart", which was "GET" when it
 * began; query to its child by the active span; handed to the outermost span, in another thread; later to a child in another thread, by the
 * parent's context; pay to the span "POST /pay" whose parent came from outside; detached and nobody to no span. Each span is printed with
 * the tracer's own ids: method, trace, span, outermost span, parent.
 *
 * usage: Traced jaeger | mock | noop      each dot of the first line of input is a request
 */
public class Traced {
    private static final int STEPS = 150_000;
    static volatile long sink = 1;
    private static Tracer tracer;

    /** Steps of Marsaglia's xorshift, which no compiler can shorten. */
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

    private static void query() {
        spin();
    }

    private static void handed() {
        spin();
    }

    private static void later() {
        spin();
    }

    private static void pay() {
        spin();
    }

    private static void detached() {
        spin();
    }

    private static void nobody() {
        spin();
    }

    private static String ids(SpanContext context) {
        if (context instanceof JaegerSpanContext) {
            JaegerSpanContext ids = (JaegerSpanContext) context;
            return String.format("%016x%016x %016x", ids.getTraceIdHigh(), ids.getTraceIdLow(), ids.getSpanId());
        }
        if (context instanceof MockSpan.MockContext) {
            MockSpan.MockContext ids = (MockSpan.MockContext) context;
            return String.format("%032x %016x", ids.traceId(), ids.spanId());
        }
        return String.format("%032x %016x", 0, 0);
    }

    private static void tell(String method, Span span, Span root, Span parent) {
        String ours = ids(span.context()), outermost = ids(root.context()).split(" ")[1];
        String before = parent == null ? "none" : ids(parent.context()).split(" ")[1];
        System.out.println("span " + method + " " + ours + " " + outermost + " " + before);
    }

    private static void check(boolean right, String what) {
        if (!right) {
            throw new IllegalStateException(what);
        }
    }

    private static void inAnotherThread(Span root) {
        try (Scope scope = tracer.activateSpan(root)) {
            handed();
        }
        Span late = tracer.buildSpan("later").asChildOf(root.context()).start();
        try (Scope scope = tracer.scopeManager().activate(late)) {
            later();
        }
        late.finish();
        tell("later", late, root, root);
    }

    private static void fromOutside(Span sender) {
        Map<String, String> headers = new HashMap<>();
        tracer.inject(sender.context(), Format.Builtin.TEXT_MAP, new TextMapAdapter(headers));
        SpanContext caller = tracer.extract(Format.Builtin.TEXT_MAP, new TextMapAdapter(headers));
        Span span = tracer.buildSpan("POST /pay").asChildOf(caller).start();
        try (Scope scope = tracer.activateSpan(span)) {
            pay();
        }
        span.finish();
        if (span.context() instanceof JaegerSpanContext) {
            span.finish(); /* a second time; MockTracer forbids it */
        }
        tell("pay", span, span, sender);
    }

    private static void request(ExecutorService pool, boolean isReal) throws Exception {
        Span root = tracer.buildSpan("GET").ignoreActiveSpan().withTag("kind", "server").start();
        root.setOperationName("GET /cart").setBaggageItem("user", "7");
        try (Scope scope = tracer.activateSpan(root)) {
            check(!isReal || tracer.activeSpan() == root, "the active span is the one that was activated");
            cart();
            Span child = tracer.buildSpan("query").start();
            try (Scope second = tracer.activateSpan(child)) {
                query();
            }
            child.finish();
            tell("query", child, root, root);
            try (Scope none = tracer.activateSpan(null)) {
                check(!isReal || tracer.activeSpan() == null, "no span is active");
                detached();
            }
            pool.submit(() -> inAnotherThread(root)).get();
            cart();
        }
        check(tracer.activeSpan() == null || !isReal, "no span is active at the end");
        root.finish();
        tell("cart", root, root, null);
        fromOutside(root);
    }

    private static Tracer named(String name) {
        if (name.equals("jaeger")) {
            return new JaegerTracer.Builder("traced").withSampler(new ConstSampler(true)).withReporter(new NoopReporter())
                .withTraceId128Bit().build();
        }
        return name.equals("mock") ? new MockTracer() : io.opentracing.noop.NoopTracerFactory.create();
    }

    public static void main(String[] args) throws Exception {
        tracer = new CandorTracer(named(args[0]));
        ExecutorService pool = Executors.newSingleThreadExecutor();
        System.out.println("ready");
        while (System.in.read() == '.') {
            request(pool, !args[0].equals("noop"));
            nobody();
        }
        pool.shutdown();
        System.out.println("done");
    }
}
