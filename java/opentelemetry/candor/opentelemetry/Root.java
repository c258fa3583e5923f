package candor.opentelemetry;

import candor.context.bridge.WeakKeys;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.ref.WeakReference;

/**
 * The outermost span of this process around a span: the span that was current when this one first became current, or the root of that
 * span. It is remembered with the span, which may continue in another thread, as long as the span lives.
 */
final class Root {
    private static final WeakKeys<Span, Root> ROOTS = new WeakKeys<>();
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
        Root known = ROOTS.get(span);
        return known != null ? known : remember(span, before);
    }

    private static Root remember(Span span, Span before) {
        Root root = isOfOneTrace(span, before) ? ROOTS.get(before) : null;
        return ROOTS.putIfAbsent(span, root != null ? root : new Root(span));
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
}
