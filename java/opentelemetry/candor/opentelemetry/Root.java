package candor.opentelemetry;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The outermost span of this process around a span: the span that was current when this one first became current, or the root of that
 * span. It is remembered with the span, which may continue in another thread, as long as the span lives.
 */
final class Root {
    private static final ConcurrentHashMap<Object, Root> ROOTS = new ConcurrentHashMap<>();
    private static final ReferenceQueue<Span> GONE = new ReferenceQueue<>();
    private static final ClassValue<MethodHandle> NAMES = new ClassValue<MethodHandle>() {
        @Override
        protected MethodHandle computeValue(Class<?> type) {
            return findName(type);
        }
    };

    final long spanId;
    private final WeakReference<Span> span;

    private Root(Span span) {
        this.span = new WeakReference<>(span);
        spanId = Hex.parse(span.getSpanContext().getSpanId(), 0);
    }

    static Root of(Span span, Span before) {
        Root known = ROOTS.get(new Probe(span));
        return known != null ? known : remember(span, before);
    }

    private static Root remember(Span span, Span before) {
        Root root = isOfOneTrace(span, before) ? ROOTS.get(new Probe(before)) : null;
        for (Reference<?> gone = GONE.poll(); gone != null; gone = GONE.poll()) {
            ROOTS.remove(gone);
        }
        Root mine = root != null ? root : new Root(span);
        Root first = ROOTS.putIfAbsent(new Kept(span), mine);
        return first != null ? first : mine;
    }

    private static boolean isOfOneTrace(Span span, Span before) {
        if (before == null) {
            return false;
        }
        SpanContext outer = before.getSpanContext();
        return !outer.isRemote() && outer.getTraceId().equals(span.getSpanContext().getTraceId());
    }

    /** The present name from the tracer; null if the tracer does not give one, as for spans that are not recorded. */
    String name() {
        Span alive = span.get();
        MethodHandle getName = alive == null ? null : NAMES.get(alive.getClass());
        try {
            return getName == null ? null : (String) getName.invokeExact((Object) alive);
        } catch (Throwable unknown) {
            return null;
        }
    }

    /** Spans of the SDK have a name, through an interface that may be used; spans of the API have none. */
    private static MethodHandle findName(Class<?> type) {
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            for (Class<?> one : at.getInterfaces()) {
                try {
                    return MethodHandles.publicLookup().findVirtual(one, "getName", MethodType.methodType(String.class))
                        .asType(MethodType.methodType(String.class, Object.class));
                } catch (ReflectiveOperationException another) {
                    continue;
                }
            }
        }
        return null;
    }

    /** A key by identity, which does not keep its span alive. */
    private static final class Kept extends WeakReference<Span> {
        private final int hash;

        Kept(Span span) {
            super(span, GONE);
            hash = System.identityHashCode(span);
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(Object other) {
            return this == other || (other instanceof Kept && get() != null && ((Kept) other).get() == get());
        }
    }

    /** To look up by. */
    private static final class Probe {
        private final Span span;

        Probe(Span span) {
            this.span = span;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(span);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Kept && ((Kept) other).get() == span;
        }
    }
}
