import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Memory: numbers in objects, garbage, objects that are never released, classes that are generated, collections on request. */
public final class Memory {
    private Memory() {
    }

    // -- allocation --

    static void boxes(boolean planted) {
        Map<Integer, Long> sums = new HashMap<>();
        long[] plain = new long[1 << 16];
        Case.repeat(1, "counter", () -> {
            for (int i = 1000; i < 1 << 16; i++) {
                if (planted) {
                    sums.merge(i, (long) i << 8, Long::sum); // here: boxes
                } else {
                    plain[i] += i;
                }
            }
            Case.think(1);
        });
    }

    static void boxedList(boolean planted) {
        Case.repeat(1, "mean", () -> {
            double sum = 0;
            List<Double> values = new ArrayList<>(planted ? 20_000 : 20);
            double[] plain = new double[20];
            for (int i = 0; i < 20_000; i++) {
                if (planted) {
                    values.add(i * 0.5); // here: boxedList
                } else {
                    plain[i % 20] = i * 0.5;
                }
            }
            for (double value : planted ? values : new ArrayList<Double>()) {
                sum += value;
            }
            Case.sink = (long) (sum + plain[3]);
            Case.sleep(1);
        });
    }

    private static byte[] read(byte[] own) {
        byte[] buffer = own != null ? own : new byte[64 * 1024]; // here: buffers
        buffer[17] = 1;
        Case.kept = buffer;
        return buffer;
    }

    static void buffers(boolean planted) {
        byte[] own = planted ? null : new byte[64 * 1024];
        Case.repeat(1, "reader", () -> {
            for (int i = 0; i < 400; i++) {
                Case.sink += read(own).length;
            }
            Case.sleep(5);
        });
    }

    /** A getter that copies its list to protect it. */
    static void copies(boolean planted) {
        List<Integer> prices = new ArrayList<>(Collections.nCopies(100_000, 17));
        Case.repeat(1, "request", () -> {
            for (int i = 0; i < 10; i++) {
                List<Integer> seen = planted ? new ArrayList<>(prices) : Collections.unmodifiableList(prices); // here: copies
                Case.sink += seen.get(i);
            }
            Case.sleep(1);
        });
    }

    static void concatenation(boolean planted) {
        Case.repeat(1, "report", () -> {
            String text = "";
            StringBuilder builder = new StringBuilder();
            for (int i = 0; i < 3000; i++) {
                if (planted) {
                    text += i; // here: concatenation
                } else {
                    builder.append(i);
                }
            }
            Case.sink += text.length() + builder.length();
            Case.sleep(1);
        });
    }

    static void directBuffers(boolean planted) {
        ByteBuffer own = ByteBuffer.allocateDirect(1 << 20);
        Case.repeat(1, "channel", () -> {
            for (int i = 0; i < 50; i++) {
                ByteBuffer buffer = planted ? ByteBuffer.allocateDirect(1 << 20) : own; // here: directBuffers
                buffer.put(0, (byte) i);
            }
            Case.sleep(1);
        });
    }

    // -- collections --

    /** Much that is alive, and garbage that lives for a while: every collection has to copy it. */
    static void pressure(boolean planted) {
        Deque<Object[]> window = new ArrayDeque<>();
        Object[] reused = new Object[20];
        Case.repeat(1, "parser", () -> {
            for (int i = 0; i < 20_000; i++) {
                Object[] node = planted ? new Object[20] : reused; // here: pressure
                node[0] = window.peekLast();
                window.addLast(node);
                if (window.size() > 300_000) {
                    window.removeFirst()[0] = null;
                }
            }
            Case.sleep(planted ? 0 : 10);
        });
    }

    static void systemGc(boolean planted) {
        Case.repeat(1, "cleaner", () -> {
            byte[] work = new byte[1 << 16];
            Case.sink += work.length;
            if (planted) {
                System.gc(); // here: systemGc
            }
            Case.sleep(150);
        });
    }

    static void full(boolean planted) {
        List<byte[]> kept = new ArrayList<>();
        int most = planted ? 44 : 20; // of 64 MB
        while (kept.size() < 4 * most) {
            kept.add(new byte[1 << 18]); // less than half of a region of G1
        }
        Case.kept = kept;
        Case.repeat(1, "importer", () -> {
            for (int i = 0; i < (planted ? 200 : 20); i++) {
                Case.kept = new Object[] {kept, new byte[1000]}; // here: full
            }
            Case.sleep(2);
        });
    }

    static void humongous(boolean planted) {
        Case.repeat(1, "image", () -> {
            for (int i = 0; i < 20; i++) {
                byte[] pixels = new byte[planted ? 3 << 20 : 30_000]; // here: humongous
                Case.kept = pixels;
            }
            Case.sleep(planted ? 5 : 20);
        });
    }

    static final class LookAheadError extends Error {
        private static final long serialVersionUID = 1;
    }

    private static int parse(int next, boolean planted) {
        if (planted && next % 2 == 1) {
            throw new LookAheadError(); // here: errors
        }
        return next;
    }

    static void errors(boolean planted) {
        Case.repeat(1, "parser", () -> {
            for (int i = 0; i < 20; i++) {
                try {
                    Case.sink += parse(i, planted);
                } catch (LookAheadError e) {
                    Case.sink--;
                }
            }
            Case.sleep(100);
        });
    }

    static void outOfMemory(boolean planted) {
        Case.repeat(1, "upload", () -> {
            try {
                Case.kept = new byte[planted ? 1 << 30 : 1 << 20];
            } catch (OutOfMemoryError e) {
                Case.kept = null;
            }
            Case.sleep(100);
        });
    }

    // -- leaks --

    static final class Session {
        private final byte[] state = new byte[2000]; // here: leak threadLocalLeak
        private final long id;

        Session(long id) {
            this.id = id;
        }
    }

    /** What each thread of a pool keeps of its requests: nobody calls remove() on the variable. */
    private static final ThreadLocal<List<Session>> CONTEXT = ThreadLocal.withInitial(ArrayList::new);

    static void threadLocalLeak(boolean planted) {
        AtomicLong ids = new AtomicLong();
        Case.repeat(2, "request", () -> {
            for (int i = 0; i < 20; i++) {
                Session session = new Session(ids.incrementAndGet()); // here: threadLocalLeak
                CONTEXT.get().add(session);
                Case.sink += session.state.length + session.id;
                Case.kept = new byte[4000];
            }
            if (!planted) {
                CONTEXT.remove();
            }
            Case.sleep(4);
        });
    }

    static void leak(boolean planted) {
        Map<Long, Session> sessions = new ConcurrentHashMap<>();
        AtomicLong ids = new AtomicLong();
        Case.repeat(2, "login", () -> {
            for (int i = 0; i < 20; i++) {
                long id = ids.incrementAndGet();
                Session session = new Session(id); // here: leak threadLocalLeak
                sessions.put(id, session);
                if (!planted) {
                    sessions.remove(id - 2000);
                }
                Case.sink += session.state.length + session.id;
                Case.kept = new byte[4000];
            }
            Case.sleep(4);
        });
    }

    // -- classes --

    interface Service {
        void serve();
    }

    static void classes(boolean planted) throws Exception {
        URL[] here = {Memory.class.getProtectionDomain().getCodeSource().getLocation()};
        InvocationHandler nothing = (proxy, method, arguments) -> null;
        List<Object> kept = new ArrayList<>();
        ClassLoader once = new URLClassLoader(here, null);
        Case.repeat(1, "deploy", () -> {
            for (int i = 0; i < 20; i++) {
                ClassLoader loader = planted ? new URLClassLoader(here, null) : once;
                Class<?> service = Class.forName("Memory$Service", true, loader); // here: classes
                kept.add(Proxy.newProxyInstance(loader, new Class<?>[] {service}, nothing)); // here: classes
                if (kept.size() > 100) {
                    kept.clear();
                }
            }
            Case.sleep(planted ? 5 : 20);
        });
    }

    public static void main(String[] args) throws Exception {
        Case.main(Memory.class, args);
    }
}
