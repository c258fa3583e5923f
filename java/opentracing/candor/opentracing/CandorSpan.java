package candor.opentracing;

import io.opentracing.Span;
import io.opentracing.SpanContext;
import io.opentracing.tag.Tag;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/** A span of the other tracer, with its ids, its outermost span in this process, and its event from its start until it is finished. */
final class CandorSpan implements Span {
    final Span span;
    final Ids ids;
    final Root root;
    volatile String operation;
    private final AtomicReference<Object> event;

    /** before: the context of the parent; null if there is none. */
    CandorSpan(Span span, String operation, SpanContext before, boolean decimal) {
        SpanContext context = span.context();
        this.span = span;
        this.operation = operation;
        ids = new Ids(context, decimal);
        root = Root.of(context, before, ids, operation);
        event = new AtomicReference<>(Flight.beginSpan(ids, before == null ? 0 : new Ids(before, decimal).span, root.spanId));
    }

    @Override
    public SpanContext context() {
        SpanContext context = span.context(); /* another object after setBaggageItem */
        root.remember(context);
        return context;
    }

    @Override
    public Span setOperationName(String name) {
        span.setOperationName(name);
        operation = name;
        if (root.spanId == ids.span) {
            root.name = name;
        }
        return this;
    }

    @Override
    public void finish() {
        endEvent();
        span.finish();
    }

    @Override
    public void finish(long microseconds) {
        endEvent();
        span.finish(microseconds);
    }

    private void endEvent() {
        Object begun = event.getAndSet(null);
        if (begun != null) {
            Flight.endSpan(begun, operation);
        }
    }

    @Override
    public Span setTag(String key, String value) {
        span.setTag(key, value);
        return this;
    }

    @Override
    public Span setTag(String key, boolean value) {
        span.setTag(key, value);
        return this;
    }

    @Override
    public Span setTag(String key, Number value) {
        span.setTag(key, value);
        return this;
    }

    @Override
    public <T> Span setTag(Tag<T> tag, T value) {
        span.setTag(tag, value);
        return this;
    }

    @Override
    public Span log(Map<String, ?> fields) {
        span.log(fields);
        return this;
    }

    @Override
    public Span log(long microseconds, Map<String, ?> fields) {
        span.log(microseconds, fields);
        return this;
    }

    @Override
    public Span log(String text) {
        span.log(text);
        return this;
    }

    @Override
    public Span log(long microseconds, String text) {
        span.log(microseconds, text);
        return this;
    }

    @Override
    public Span setBaggageItem(String key, String value) {
        span.setBaggageItem(key, value);
        return this;
    }

    @Override
    public String getBaggageItem(String key) {
        return span.getBaggageItem(key);
    }

    @Override
    public String toString() {
        return span.toString();
    }
}
