import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;

/**
 * Programs that know what they keep alive.
 *
 * go keep size=small|medium|large bytes=N: allocates objects of that size, N bytes of them, keeps each third, and has the
 * garbage collected. The answer counts the bytes that are kept, and of those that are not, how many of a hundred are still
 * there.
 *
 * go kind=hashtable|secondIndex|threadLocal|classLoader|listener fixed=0|1 seconds=N: a service that handles some hundred
 * requests a second, and has a bounded number of things at hand. Of each tenth thing something stays behind, unless it is
 * fixed. Garbage is collected now and then.
 */
final class Leaks {
    static final int SMALL = 96, MEDIUM = 4096, LARGE = 200 << 10;
    static final int PAYLOAD = 1000, PLUGIN = 4000, BOUND = 500, COLLECT_MS = 400;

    static final List<Object> KEPT = new ArrayList<>();

    // ---- what is kept ----

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

    /** Of a collector that works beside the program the first may have begun before the last objects came. */
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
        return !fixed && number % 10 == 0;
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

    static final ThreadLocal<List<byte[]>> CACHE = new ThreadLocal<>();

    static void threadLocal(int number) {
        if (CACHE.get() == null) {
            CACHE.set(new ArrayList<byte[]>());
        }
        List<byte[]> cache = CACHE.get();
        cache.add(new byte[PAYLOAD]);
        if (!staysBehind(number)) {
            cache.remove(cache.size() - 1);
        }
    }

    /** What each of its class loaders has of its own. */
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
    static final List<Object> PLUGINS = new ArrayList<>();

    static void classLoader(int number) throws Exception {
        if (number % 10 != 0) {
            return;
        }
        Object plugin = new Loader(pluginCode).load();
        if (!fixed) {
            PLUGINS.add(plugin);
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

    static final List<Listener> LISTENERS = new ArrayList<>();

    static void listener(int number) {
        View view = new View(new byte[PAYLOAD]);
        LISTENERS.add(view);
        view.changed();
        if (!staysBehind(number)) {
            LISTENERS.remove(LISTENERS.size() - 1);
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

    static String serve(String kind, double seconds) throws Exception {
        Service service = service(kind);
        long begin = System.nanoTime(), collected = begin;
        int number = 0;
        while (System.nanoTime() - begin < seconds * 1e9) {
            service.request(number++);
            if (System.nanoTime() - collected > COLLECT_MS * 1000000L) {
                System.gc();
                collected = System.nanoTime();
            }
            Thread.sleep(1);
        }
        collect();
        return "requests=" + number;
    }

    public static void main(String[] arguments) throws Exception {
        Rounds.serve(new Rounds.Round() {
            @Override
            public String run(Rounds.Options options) throws Exception {
                if (options.word().equals("keep")) {
                    return keep(options.text("size", "small"), (long) options.number("bytes", 1 << 20));
                }
                fixed = options.number("fixed", 0) != 0;
                return serve(options.text("kind", "hashtable"), options.number("seconds", 10));
            }
        });
    }
}
