package candor.opentracing;

import candor.context.Candor;
import io.opentracing.Scope;
import io.opentracing.ScopeManager;
import io.opentracing.Span;

/** Keeps scopes in the other tracer's manager, and opens a Candor scope for each. The other manager knows its own spans only. */
final class CandorScopeManager implements ScopeManager {
    private final ScopeManager scopes;
    private final boolean decimal;
    private final ThreadLocal<Both> innermost = new ThreadLocal<>();

    CandorScopeManager(ScopeManager scopes, boolean decimal) {
        this.scopes = scopes;
        this.decimal = decimal;
    }

    @Override
    public Scope activate(Span span) {
        CandorSpan ours = span instanceof CandorSpan ? (CandorSpan) span : null;
        Scope theirs = scopes.activate(ours != null ? ours.span : span);
        Both both = new Both(theirs, ours, open(span, ours));
        innermost.set(both);
        return both;
    }

    /** The span that was activated here, if it is still the one of the other manager. */
    @Override
    public Span activeSpan() {
        Span span = scopes.activeSpan();
        Both both = innermost.get();
        return both != null && both.span != null && both.span.span == span ? both.span : span;
    }

    private candor.context.Scope open(Span span, CandorSpan ours) {
        if (!Candor.isWatched()) {
            return null;
        }
        if (span == null) {
            return Candor.outside();
        }
        Ids ids = ours != null ? ours.ids : new Ids(span.context(), decimal);
        String endpoint = ours != null ? ours.root.name : null;
        return Candor.scope(endpoint, ids.traceHigh, ids.traceLow, ids.span, ours != null ? ours.root.spanId : 0);
    }

    /** As in OpenTracing's own manager, only the innermost scope of the calling thread can be closed: other calls change no context. */
    private final class Both implements Scope {
        final CandorSpan span;
        private final Scope theirs;
        private final candor.context.Scope ours;
        private final Both outer = innermost.get();
        private Object event;

        Both(Scope theirs, CandorSpan span, candor.context.Scope ours) {
            this.theirs = theirs;
            this.span = span;
            this.ours = ours;
            event = span == null ? null : Flight.beginScope(span.ids);
        }

        @Override
        public void close() {
            if (innermost.get() == this) {
                leave();
            }
            theirs.close();
        }

        private void leave() {
            if (outer == null) {
                innermost.remove();
            } else {
                innermost.set(outer);
            }
            if (ours != null) {
                ours.close();
            }
            if (event != null) {
                Flight.endScope(event, span.operation);
                event = null;
            }
        }
    }
}
