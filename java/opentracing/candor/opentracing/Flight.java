package candor.opentracing;

/** Makes events of JDK Flight Recorder. For callers an event is an Object: a JVM without the recorder never loads their classes. */
final class Flight {
    private static final boolean PRESENT = isPresent();

    private Flight() {
    }

    private static boolean isPresent() {
        try {
            Class.forName("jdk.jfr.Event");
            return true;
        } catch (ClassNotFoundException | LinkageError absent) {
            return false;
        }
    }

    /** Null if no recording wants it. parent: the id of the parent span, 0 = none; root: that of the outermost span in the process. */
    static Object beginSpan(Ids ids, long parent, long root) {
        if (!PRESENT) {
            return null;
        }
        SpanEvent event = new SpanEvent();
        if (!event.isEnabled()) {
            return null;
        }
        event.traceId = ids.trace();
        event.spanId = Ids.hex(ids.span);
        event.parentId = parent == 0 ? null : Ids.hex(parent);
        event.rootId = Ids.hex(root);
        event.startThread = Thread.currentThread();
        event.begin();
        return event;
    }

    static void endSpan(Object begun, String operation) {
        SpanEvent event = (SpanEvent) begun;
        event.operation = operation;
        event.commit();
    }

    /** Null if no recording wants it. */
    static Object beginScope(Ids ids) {
        if (!PRESENT) {
            return null;
        }
        ScopeEvent event = new ScopeEvent();
        if (!event.isEnabled()) {
            return null;
        }
        event.traceId = ids.trace();
        event.spanId = Ids.hex(ids.span);
        event.begin();
        return event;
    }

    static void endScope(Object begun, String operation) {
        ScopeEvent event = (ScopeEvent) begun;
        event.operation = operation;
        event.commit();
    }
}
