package candor.context;

import java.util.concurrent.ConcurrentHashMap;

/**
 * Says whose work a thread does, so that Candor's samples of it, of CPU time, wall-clock time and allocations, say it, too.
 *
 * <pre>
 * try (Scope scope = Candor.scope("GET /cart", traceId, spanId)) {
 *     ...
 * }
 * </pre>
 *
 * Without the agent in the JVM nothing happens. Nothing here throws, and all of it may be called from any thread, virtual or not.
 */
public final class Candor {
    private static final int ENDPOINT = 0;
    private static final Texts ENDPOINTS = new Texts(ENDPOINT);
    private static final int KEYS_KEPT = 64;
    private static final ConcurrentHashMap<String, Key> KEYS = new ConcurrentHashMap<>();

    private Candor() {
    }

    /** Work that no trace belongs to. endpoint: what it is called; a thousand different ones are told apart. */
    public static Scope scope(String endpoint) {
        return scope(endpoint, 0, 0, 0);
    }

    /** traceId and spanId as W3C Trace Context writes them, 32 (or 16) and 16 hexadecimal digits; anything else is no trace. */
    public static Scope scope(String endpoint, String traceId, String spanId) {
        int digits = traceId == null ? 0 : traceId.length();
        if ((digits != 32 && digits != 16) || spanId == null || spanId.length() != 16) {
            return scope(endpoint, 0, 0, 0);
        }
        long high = digits == 32 ? parse(traceId, 0) : 0, low = parse(traceId, digits - 16), span = parse(spanId, 0);
        return scope(endpoint, high, low, span);
    }

    /** The same for those who have the ids as numbers. A trace or a span of 0 is none. */
    public static Scope scope(String endpoint, long traceIdHigh, long traceIdLow, long spanId) {
        return scope(endpoint, traceIdHigh, traceIdLow, spanId, 0);
    }

    /** rootSpanId: of the outermost span within this process, where the outer scope is not there to tell; 0 = it tells. */
    public static Scope scope(String endpoint, long traceIdHigh, long traceIdLow, long spanId, long rootSpanId) {
        Memory memory = Memory.get();
        if (memory == null) {
            return Scope.NONE;
        }
        Place place = Place.here();
        Scope scope = new Scope(memory, place, ENDPOINTS.get(endpoint), traceIdHigh, traceIdLow, spanId, rootSpanId);
        return place.open(memory, scope) ? scope : Scope.NONE;
    }

    /** Work that is nobody's, within a scope or not: nothing of the outer scope holds for it. */
    public static Scope outside() {
        Memory memory = Memory.get();
        Place place = memory == null ? null : Place.here();
        if (place == null || place.current() == null) {
            return Scope.NONE;
        }
        Scope scope = new Scope(memory, place);
        return place.open(memory, scope) ? scope : Scope.NONE;
    }

    /** A key for labels: printable ASCII without blanks and '='. A process has room for fourteen, the others are without effect. */
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

    /** Whether anybody listens: what is dear to find out need not be found out in vain. */
    public static boolean isWatched() {
        return Memory.get() != null;
    }

    /** Sixteen digits from there on; 0 when one of them is none. */
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
