import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Hashtable;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Programs that know which of their objects are alive.
 *
 * go keep size=small|medium|large bytes=N: allocates objects of that size, N bytes of them, keeps every third, and runs the garbage
 * collector. The answer gives the bytes that are kept, and how many percent of the others are still there.
 *
 * go kind=hashtable|secondIndex|threadLocal|classLoader|listener fixed=0|1 seconds=N: a service that handles requests at a steady pace,
 * and keeps a limited number of things. Every fifth thing, and every class loader, leaves something behind, unless it is fixed. Garbage
 * is collected from time to time. It runs for N seconds, or, if the machine is too busy for that, until each quarter of its time has had
 * its share of requests and collections.
 *
 * go hold kind=... fixed=0|1 requests=N: the same service gets N requests at once, and then garbage is collected. The answer counts what
 * is left behind: the things and the bytes of their arrays.
 *
 * go fill objects=N: N more small objects that stay alive, so that the heap has that many objects, and twice as many references.
 */
final class Leaks {
    static final int SMALL = 96, MEDIUM = 4096, LARGE = 200 << 10;
    static final int PAYLOAD = 1000, PLUGIN = 4000, BOUND = 100, RATE = 2000, COLLECT_MS = 400, LONGER = 8;
    static final int REQUESTS_A_QUARTER = 4000, COLLECTIONS_A_QUARTER = 5;

    static final List<Object> KEPT = new ArrayList<>();

    // ---- objects that are kept ----

    static Object small() {
        return new byte[SMALL - 16];
    }

    static Object medium() {
        return new int[(MEDIUM - 16) / 4];
    }

    static Object large() {
        return new char[(LARGE - 16) / 2];
    }

    static Object one(String size) {
        return size.equals("small") ? small() : size.equals("medium") ? medium() : large();
    }

    static String keep(String size, long bytes) {
        int each = size.equals("small") ? SMALL : size.equals("medium") ? MEDIUM : LARGE;
        long count = bytes / each, kept = 0, held = 0;
        List<WeakReference<Object>> dropped = new ArrayList<>();
        for (long i = 0; i < count; i++) {
            Object object = one(size);
            if (i % 3 == 0) {
                KEPT.add(object);
                kept += each;
            } else if (i % (count / 100 + 1) == 1) {
                dropped.add(new WeakReference<>(object));
            }
        }
        collect();
        for (WeakReference<Object> reference : dropped) {
            held += reference.get() == null ? 0 : 1;
        }
        return "bytes=" + kept + " dropped=" + dropped.size() + " held=" + held;
    }

    /** If the collector works while the program runs, the first collection may have begun before the last objects were allocated. */
    static void collect() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
    }

    // ---- what leaks ----

    interface Service {
        void request(int number) throws Exception;
    }

    static boolean fixed;

    static boolean staysBehind(int number) {
        return !fixed && number % 5 == 0;
    }

    static final Map<Integer, byte[]> TABLE = new Hashtable<>();

    static void hashtable(int number) {
        TABLE.put(number, new byte[PAYLOAD]);
        if (!staysBehind(number - BOUND)) {
            TABLE.remove(number - BOUND);
        }
    }

    static final class Customer {
        final byte[] data;

        Customer(byte[] data) {
            this.data = data;
        }
    }

    static final Map<Integer, Customer> BY_ID = new HashMap<>();
    static final Map<String, Customer> BY_PHONE = new HashMap<>();

    static void secondIndex(int number) {
        Customer customer = new Customer(new byte[PAYLOAD]);
        BY_ID.put(number, customer);
        BY_PHONE.put("+" + number, customer);
        int old = number - BOUND;
        BY_ID.remove(old);
        if (!staysBehind(old)) {
            BY_PHONE.remove("+" + old);
        }
    }

    static final ThreadLocal<Map<Integer, byte[]>> CACHE = new ThreadLocal<>();

    static void threadLocal(int number) {
        if (CACHE.get() == null) {
            CACHE.set(new HashMap<Integer, byte[]>());
        }
        Map<Integer, byte[]> cache = CACHE.get();
        cache.put(number, new byte[PAYLOAD]);
        if (!staysBehind(number - BOUND)) {
            cache.remove(number - BOUND);
        }
    }

    /** The data that each of its class loaders has. */
    public static final class Plugin {
        static final byte[] STATE = new byte[PLUGIN];

        public Plugin() {
        }
    }

    static final class Loader extends ClassLoader {
        private final byte[] code;

        Loader(byte[] code) {
            super(Leaks.class.getClassLoader());
            this.code = code;
        }

        Object load() throws Exception {
            return defineClass("Leaks$Plugin", code, 0, code.length).getConstructor().newInstance();
        }
    }

    static byte[] pluginCode;
    static final int REQUESTS_A_PLUGIN = 20;
    static final Map<Integer, Object> PLUGINS = new HashMap<>();

    static void classLoader(int number) throws Exception {
        if (number % REQUESTS_A_PLUGIN != 0) {
            return;
        }
        PLUGINS.put(number, new Loader(pluginCode).load());
        if (fixed) {
            PLUGINS.remove(number - BOUND);
        }
    }

    interface Listener {
        void changed();
    }

    static final class View implements Listener {
        final byte[] buffer;

        View(byte[] buffer) {
            this.buffer = buffer;
        }

        @Override
        public void changed() {
            buffer[0]++;
        }
    }

    static final Set<Listener> LISTENERS = new LinkedHashSet<>();
    static final Listener[] SHOWN = new Listener[BOUND];

    static void listener(int number) {
        Listener view = new View(new byte[PAYLOAD]), old = SHOWN[number % BOUND];
        SHOWN[number % BOUND] = view;
        LISTENERS.add(view);
        view.changed();
        if (!staysBehind(number)) {
            LISTENERS.remove(old);
        }
    }

    static byte[] readPlugin() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (InputStream in = Leaks.class.getResourceAsStream("Leaks$Plugin.class")) {
            for (int b = in.read(); b >= 0; b = in.read()) {
                out.write(b);
            }
        }
        return out.toByteArray();
    }

    static Service service(final String kind) throws Exception {
        pluginCode = readPlugin();
        return new Service() {
            @Override
            public void request(int number) throws Exception {
                switch (kind) {
                    case "hashtable":
                        hashtable(number);
                        break;
                    case "secondIndex":
                        secondIndex(number);
                        break;
                    case "threadLocal":
                        threadLocal(number);
                        break;
                    case "classLoader":
                        classLoader(number);
                        break;
                    default:
                        listener(number);
                }
            }
        };
    }

    /**
     * The times at which garbage was collected, in nanoseconds since the beginning, and the number of requests up to then. It is not a
     * list, because a list would grow.
     */
    static final long[] COLLECTED_AT = new long[10000], REQUESTS_BY_THEN = new long[10000];
    static int collections;

    static boolean hasFullQuarters(long time) {
        long before = 0;
        for (int k = 1; k <= 4; k++) {
            long count = 0, requests = before;
            for (int i = 0; i < collections; i++) {
                if (COLLECTED_AT[i] > time / 4 * (k - 1) && COLLECTED_AT[i] <= time / 4 * k) {
                    count++;
                    requests = REQUESTS_BY_THEN[i];
                }
            }
            if (count < COLLECTIONS_A_QUARTER || requests - before < REQUESTS_A_QUARTER) {
                return false;
            }
            before = requests;
        }
        return true;
    }

    static String serve(String kind, double seconds) throws Exception {
        Service service = service(kind);
        long begin = System.nanoTime(), time = 0, collected = 0;
        int number = 0;
        while (time < seconds * 1e9 || (time < LONGER * seconds * 1e9 && !hasFullQuarters(time))) {
            for (; number < time / 1e9 * RATE; number++) {
                service.request(number);
            }
            if (time - collected > COLLECT_MS * 1000000L) {
                System.gc();
                collected = System.nanoTime() - begin;
                COLLECTED_AT[collections] = collected;
                REQUESTS_BY_THEN[collections++] = number;
            }
            Thread.sleep(1);
            time = System.nanoTime() - begin;
        }
        boolean full = hasFullQuarters(time);
        collect();
        return "requests=" + number + " seconds=" + time / 1000000000 + " full=" + (full ? 1 : 0);
    }

    static String hold(String kind, int requests) throws Exception {
        Service service = service(kind);
        for (int number = 0; number < requests; number++) {
            service.request(number);
        }
        collect();
        boolean plugins = kind.equals("classLoader");
        int each = plugins ? REQUESTS_A_PLUGIN : 5, size = plugins ? PLUGIN : PAYLOAD;
        int left = fixed ? (plugins ? BOUND / REQUESTS_A_PLUGIN : BOUND) : requests / each;
        return "left=" + left + " bytes=" + (long) left * size;
    }

    static final List<Object[]> FILLING = new ArrayList<>();

    static String fill(int count) {
        for (int i = 0; i < count; i += 2) {
            FILLING.add(new Object[] {new Object()});
        }
        collect();
        return "objects=" + 2 * FILLING.size();
    }

    public static void main(String[] arguments) throws Exception {
        Rounds.serve(new Rounds.Round() {
            @Override
            public String run(Rounds.Options options) throws Exception {
                if (options.word().equals("keep")) {
                    return keep(options.text("size", "small"), (long) options.number("bytes", 1 << 20));
                }
                if (options.word().equals("fill")) {
                    return fill((int) options.number("objects", 1000000));
                }
                fixed = options.number("fixed", 0) != 0;
                if (options.word().equals("hold")) {
                    return hold(options.text("kind", "hashtable"), (int) options.number("requests", 20000));
                }
                return serve(options.text("kind", "hashtable"), options.number("seconds", 10));
            }
        });
    }
}
