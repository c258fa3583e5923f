package candor.opentelemetry;

import candor.context.Candor;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextStorage;
import io.opentelemetry.context.Scope;

/**
 * Keeps contexts in another storage, and opens a Candor scope for each context that becomes current, even if its trace is not sampled.
 * If you have your own storage, wrap it: ContextStorage.addWrapper(CandorContextStorage::new).
 */
public final class CandorContextStorage implements ContextStorage {
    private final ContextStorage storage;

    public CandorContextStorage(ContextStorage storage) {
        this.storage = storage;
    }

    @Override
    public Scope attach(Context context) {
        Context now = storage.current();
        Scope scope = storage.attach(context);
        if (context == null || scope == Scope.noop() || !Candor.isWatched()) {
            return scope;
        }
        return new Both(scope, open(Span.fromContextOrNull(context), now == null ? null : Span.fromContextOrNull(now)));
    }

    @Override
    public Context current() {
        return storage.current();
    }

    private static candor.context.Scope open(Span span, Span before) {
        SpanContext ids = span == null ? SpanContext.getInvalid() : span.getSpanContext();
        if (!ids.isValid()) {
            return Candor.outside();
        }
        Root root = Root.of(span, before);
        String trace = ids.getTraceId();
        return Candor.scope(root.name(), Hex.parse(trace, 0), Hex.parse(trace, 16), Hex.parse(ids.getSpanId(), 0), root.spanId);
    }

    /** Closed in the reverse order of opening. */
    private static final class Both implements Scope {
        private final Scope theirs;
        private final candor.context.Scope ours;

        Both(Scope theirs, candor.context.Scope ours) {
            this.theirs = theirs;
            this.ours = ours;
        }

        @Override
        public void close() {
            ours.close();
            theirs.close();
        }
    }
}
