package candor.opentracing;

import io.opentracing.References;
import io.opentracing.Span;
import io.opentracing.SpanContext;
import io.opentracing.Tracer;
import io.opentracing.tag.Tag;

/** Builds a span of the other tracer, and finds the span that is its parent and the outermost one in this process. */
final class CandorSpanBuilder implements Tracer.SpanBuilder {
    private final Tracer.SpanBuilder builder;
    private final String operation;
    private final CandorScopeManager scopes;
    private final boolean decimal;
    private SpanContext parent; /* the first reference */
    private boolean ignoresActiveSpan;

    CandorSpanBuilder(Tracer.SpanBuilder builder, String operation, CandorScopeManager scopes, boolean decimal) {
        this.builder = builder;
        this.operation = operation;
        this.scopes = scopes;
        this.decimal = decimal;
    }

    @Override
    public Span start() {
        Span active = parent == null && !ignoresActiveSpan ? scopes.activeSpan() : null;
        SpanContext before = active != null ? active.context() : parent;
        return new CandorSpan(builder.start(), operation, before, decimal);
    }

    @Override
    public Tracer.SpanBuilder asChildOf(SpanContext context) {
        return addReference(References.CHILD_OF, context);
    }

    @Override
    public Tracer.SpanBuilder asChildOf(Span span) {
        return addReference(References.CHILD_OF, span == null ? null : span.context());
    }

    @Override
    public Tracer.SpanBuilder addReference(String type, SpanContext context) {
        builder.addReference(type, context);
        parent = parent != null ? parent : context;
        return this;
    }

    @Override
    public Tracer.SpanBuilder ignoreActiveSpan() {
        builder.ignoreActiveSpan();
        ignoresActiveSpan = true;
        return this;
    }

    @Override
    public Tracer.SpanBuilder withTag(String key, String value) {
        builder.withTag(key, value);
        return this;
    }

    @Override
    public Tracer.SpanBuilder withTag(String key, boolean value) {
        builder.withTag(key, value);
        return this;
    }

    @Override
    public Tracer.SpanBuilder withTag(String key, Number value) {
        builder.withTag(key, value);
        return this;
    }

    @Override
    public <T> Tracer.SpanBuilder withTag(Tag<T> tag, T value) {
        builder.withTag(tag, value);
        return this;
    }

    @Override
    public Tracer.SpanBuilder withStartTimestamp(long microseconds) {
        builder.withStartTimestamp(microseconds);
        return this;
    }
}
