package candor.opentracing;

import io.opentracing.SpanContext;
import io.opentracing.Tracer;

/** The ids of a span as numbers. An id that is no number is 0, which means none. */
final class Ids {
    final long traceHigh, traceLow, span;

    Ids(SpanContext context, boolean decimal) {
        String trace = String.valueOf(context.toTraceId());
        int high = trace.length() - 16; /* digits of the upper half */
        boolean isLong = high > 0 && (!decimal || high == 16);
        traceHigh = isLong ? parse(trace.substring(0, high), 16) : 0;
        traceLow = isLong ? parse(trace.substring(high), 16) : parse(trace, decimal ? 10 : 16);
        span = parse(context.toSpanId(), decimal ? 10 : 16);
    }

    /** Datadog's tracers write ids of 64 bits as decimal numbers, and ids of 128 bits as 32 hexadecimal digits. */
    static boolean areDecimal(Tracer tracer) {
        String name = tracer.getClass().getName();
        return name.startsWith("io.opentracing.mock.") || name.startsWith("datadog.");
    }

    private static long parse(String digits, int radix) {
        try {
            return Long.parseUnsignedLong(digits, radix);
        } catch (NumberFormatException none) {
            return 0;
        }
    }

    /** As samples have it. */
    String trace() {
        return hex(traceHigh) + hex(traceLow);
    }

    static String hex(long id) {
        return String.format("%016x", id);
    }
}
