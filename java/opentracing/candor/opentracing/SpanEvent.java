package candor.opentracing;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("candor.opentracing.Span")
@Label("Span")
@Category("OpenTracing")
@Description("A span, from its start until it is finished. The event's thread is the one that finished it")
@StackTrace(false)
final class SpanEvent extends Event {
    @TraceId
    @Label("Trace Id")
    String traceId;

    @Label("Span Id")
    String spanId;

    @Label("Parent Id")
    String parentId;

    @Label("Root Id")
    @Description("The id of the outermost span around it in this process. If it is the span's own id, the span is a request to the process")
    String rootId;

    @Label("Operation")
    String operation;

    @Label("Start Thread")
    Thread startThread;
}
