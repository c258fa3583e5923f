package candor.opentracing;

import io.opentracing.Scope;
import io.opentracing.ScopeManager;
import io.opentracing.Span;
import io.opentracing.SpanContext;
import io.opentracing.Tracer;
import io.opentracing.propagation.Format;

/**
 * Wraps any tracer of OpenTracing. Each scope that this tracer opens is a Candor scope, too, so samples have the trace, the span and the
 * endpoint of their thread. Spans and scopes also become events of JDK Flight Recorder, if the JVM has it.
 *
 * <pre>
 * GlobalTracer.registerIfAbsent(new CandorTracer(tracer));
 * </pre>
 *
 * The spans of this tracer wrap those of the other one. Their contexts are those of the other one.
 */
public final class CandorTracer implements Tracer {
    private final Tracer tracer;
    private final CandorScopeManager scopes;
    private final boolean decimal;

    /** Takes the ids of Datadog's tracers and of MockTracer for decimal numbers, and those of other tracers for hexadecimal numbers. */
    public CandorTracer(Tracer tracer) {
        this(tracer, Ids.areDecimal(tracer));
    }

    /** decimalIds: whether toTraceId() and toSpanId() of the tracer's contexts return decimal numbers; otherwise they are hexadecimal. */
    public CandorTracer(Tracer tracer, boolean decimalIds) {
        this.tracer = tracer;
        decimal = decimalIds;
        scopes = new CandorScopeManager(tracer.scopeManager(), decimalIds);
    }

    @Override
    public ScopeManager scopeManager() {
        return scopes;
    }

    @Override
    public Span activeSpan() {
        return scopes.activeSpan();
    }

    @Override
    public Scope activateSpan(Span span) {
        return scopes.activate(span);
    }

    @Override
    public SpanBuilder buildSpan(String operation) {
        return new CandorSpanBuilder(tracer.buildSpan(operation), operation, scopes, decimal);
    }

    @Override
    public <C> void inject(SpanContext context, Format<C> format, C carrier) {
        tracer.inject(context, format, carrier);
    }

    @Override
    public <C> SpanContext extract(Format<C> format, C carrier) {
        return tracer.extract(format, carrier);
    }

    @Override
    public void close() {
        tracer.close();
    }
}
