package candor.opentracing;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("candor.opentracing.Scope")
@Label("Scope")
@Category("OpenTracing")
@Description("A time during which a span was active in a thread")
@StackTrace(false)
final class ScopeEvent extends Event {
    @TraceId
    @Label("Trace Id")
    String traceId;

    @Label("Span Id")
    String spanId;

    @Label("Operation")
    String operation;
}
