package candor.opentracing;

import candor.context.bridge.WeakKeys;
import io.opentracing.SpanContext;

/** The outermost span of this process around a span. It is remembered with the contexts of its spans, as long as they live. */
final class Root {
    private static final WeakKeys<SpanContext, Root> ROOTS = new WeakKeys<>();

    final long spanId;
    volatile String name;

    private Root(long spanId, String name) {
        this.spanId = spanId;
        this.name = name;
    }

    /** The root of the parent, if the parent is a span of this process; otherwise the span itself. */
    static Root of(SpanContext context, SpanContext parent, Ids ids, String operation) {
        Root known = parent == null ? null : ROOTS.get(parent);
        Root root = known != null ? known : new Root(ids.span, operation);
        root.remember(context);
        return root;
    }

    void remember(SpanContext context) {
        if (spanId != 0 && ROOTS.get(context) == null) {
            ROOTS.putIfAbsent(context, this);
        }
    }
}
