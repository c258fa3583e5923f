package candor.context;

import java.util.Arrays;

/**
 * From the opening of a scope to its close, the calling thread works for one request. Scopes of a thread nest: an inner scope inherits
 * everything that it does not set. The thread that opened a scope must close it; a close by another thread, and a second close, do
 * nothing.
 */
public final class Scope implements AutoCloseable {
    private static final Texts.Encoded[] NO_LABELS = {};
    /** For threads when no agent is present. */
    static final Scope NONE = new Scope();

    final Scope previous;
    final Texts.Encoded endpoint;
    final long traceHigh, traceLow, span, rootSpan;
    Texts.Encoded[] labels;
    private Key[] keys; /* of the labels */
    private final Memory memory;
    private final Place place;

    private Scope() {
        previous = null;
        endpoint = null;
        traceHigh = 0;
        traceLow = 0;
        span = 0;
        rootSpan = 0;
        labels = NO_LABELS;
        keys = new Key[0];
        memory = null;
        place = null;
    }

    /** Belongs to no request, whatever the outer scope has. */
    Scope(Memory memory, Place place) {
        previous = place.current();
        this.memory = memory;
        this.place = place;
        endpoint = null;
        traceHigh = 0;
        traceLow = 0;
        span = 0;
        rootSpan = 0;
        labels = NO_LABELS;
        keys = NONE.keys;
    }

    /** rootSpan 0: the outer scope's root span, if it has the same trace, otherwise this span. */
    Scope(Memory memory, Place place, Texts.Encoded endpoint, long traceHigh, long traceLow, long span, long rootSpan) {
        previous = place.current();
        Scope outer = previous != null ? previous : NONE;
        this.memory = memory;
        this.place = place;
        this.endpoint = endpoint != null ? endpoint : outer.endpoint;
        if (span != 0 && (traceHigh | traceLow) != 0) {
            boolean sameTrace = outer.traceHigh == traceHigh && outer.traceLow == traceLow;
            this.traceHigh = traceHigh;
            this.traceLow = traceLow;
            this.span = span;
            this.rootSpan = rootSpan != 0 ? rootSpan : sameTrace ? outer.rootSpan : span;
        } else {
            this.traceHigh = outer.traceHigh;
            this.traceLow = outer.traceLow;
            this.span = outer.span;
            this.rootSpan = outer.rootSpan;
        }
        labels = outer.labels;
        keys = outer.keys;
    }

    /** Labels the work until the end of the scope. Only the first thousand different values of a key are distinguished. */
    public Scope label(Key key, String value) {
        if (place == null || key == null || Thread.currentThread() != place.thread) {
            return this;
        }
        Texts.Encoded encoded = key.encode(value);
        if (encoded != null) {
            setLabel(key, encoded);
            place.write(memory, this);
        }
        return this;
    }

    /** The arrays are shared with other scopes, and are not changed. */
    private void setLabel(Key key, Texts.Encoded encoded) {
        int n = labels.length, at = 0;
        while (at < n && keys[at] != key) {
            at++;
        }
        int size = Math.max(n, at + 1);
        Texts.Encoded[] more = Arrays.copyOf(labels, size);
        Key[] moreKeys = Arrays.copyOf(keys, size);
        more[at] = encoded;
        moreKeys[at] = key;
        labels = more;
        keys = moreKeys;
    }

    @Override
    public void close() {
        if (place != null && Thread.currentThread() == place.thread) {
            place.close(memory, this);
        }
    }
}
