package candor.context;

import java.util.concurrent.ConcurrentHashMap;

/**
 * Sets the context of a thread's work, so that Candor's samples of it (CPU time, wall-clock time and allocations) have this context.
 *
 * <pre>
 * try (Scope scope = Candor.scope("GET /cart", traceId, spanId)) {
 *     ...
 * }
 * </pre>
 *
 * Without the agent in the JVM nothing happens. No method here throws an exception, and all of them may be called from any thread,
 * virtual or not.
 */
public final class Candor {
    private static final int ENDPOINT = 0;
    private static final Texts ENDPOINTS = new Texts(ENDPOINT);
    private static final int KEYS_KEPT = 64;
    private static final ConcurrentHashMap<String, Key> KEYS = new ConcurrentHashMap<>();

    private Candor() {
    }

    /** Work that belongs to no trace. endpoint: its name; a thousand different names are distinguished. */
    public static Scope scope(String endpoint) {
        return scope(endpoint, 0, 0, 0);
    }

    /** traceId and spanId in the form of W3C Trace Context, 32 (or 16) and 16 hexadecimal digits; anything else means no trace. */
    public static Scope scope(String endpoint, String traceId, String spanId) {
        int digits = traceId == null ? 0 : traceId.length();
        if ((digits != 32 && digits != 16) || spanId == null || spanId.length() != 16) {
            return scope(endpoint, 0, 0, 0);
        }
        long high = digits == 32 ? parse(traceId, 0) : 0, low = parse(traceId, digits - 16), span = parse(spanId, 0);
        return scope(endpoint, high, low, span);
    }

    /** The same with ids as numbers. 0 means no trace, or no span. */
    public static Scope scope(String endpoint, long traceIdHigh, long traceIdLow, long spanId) {
        return scope(endpoint, traceIdHigh, traceIdLow, spanId, 0);
    }

    /** rootSpanId: the outermost span within this process, if no outer scope sets it; 0 = take it from the outer scope. */
    public static Scope scope(String endpoint, long traceIdHigh, long traceIdLow, long spanId, long rootSpanId) {
        Memory memory = Memory.get();
        if (memory == null) {
            return Scope.NONE;
        }
        Place place = Place.here();
        Scope scope = new Scope(memory, place, ENDPOINTS.get(endpoint), traceIdHigh, traceIdLow, spanId, rootSpanId);
        return place.open(memory, scope) ? scope : Scope.NONE;
    }

    /** Work without a context, within a scope or not: it inherits nothing from the outer scope. */
    public static Scope outside() {
        Memory memory = Memory.get();
        Place place = memory == null ? null : Place.here();
        if (place == null || place.current() == null) {
            return Scope.NONE;
        }
        Scope scope = new Scope(memory, place);
        return place.open(memory, scope) ? scope : Scope.NONE;
    }

    /** A key for labels: printable ASCII without blanks and '='. A process has room for fourteen keys; further keys have no effect. */
    public static Key key(String name) {
        if (name == null) {
            return new Key("");
        }
        Key known = KEYS.get(name);
        if (known != null) {
            return known;
        }
        Key mine = new Key(name);
        Key first = KEYS.size() < KEYS_KEPT ? KEYS.putIfAbsent(name, mine) : null;
        return first != null ? first : mine;
    }

    /** Whether an agent is present. If not, there is no need to compute labels that are expensive to find. */
    public static boolean isWatched() {
        return Memory.get() != null;
    }

    /** Sixteen digits from that place on; 0 if one of them is not a digit. */
    static long parse(String text, int from) {
        long number = 0;
        for (int i = from; i < from + 16; i++) {
            int digit = Character.digit(text.charAt(i), 16);
            if (digit < 0) {
                return 0;
            }
            number = number << 4 | digit;
        }
        return number;
    }
}
