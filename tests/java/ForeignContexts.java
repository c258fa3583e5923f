import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Contexts that a native library publishes (tests/jvm/otel_writer.c, the first argument), and not Candor's. The methods show which context
 * they have: cart and pay have one each, broken has a pointer that leads nowhere, nobody has none. rest sleeps with the context of pay.
 * Work goes on in two threads until a line of input ends it; the second argument is the version of the form that the library claims.
 */
public final class ForeignContexts {
    private static final int STEPS = 600_000;
    private static final String[] KEYS = {"datadog.local_root_span_id", "http.route", "tier", "bad key"};
    static volatile long sink = 1;
    static volatile boolean stop;

    static native void publish(byte[] payload);

    static native void attach(long trace, long span, byte[] attributes);

    static native void detach();

    static native void point(long address);

    private static void spin() {
        long x = sink;
        for (int i = 0; i < STEPS; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        sink = x;
    }

    private static void cart() {
        spin();
    }

    private static void pay() {
        spin();
    }

    private static void broken() {
        spin();
    }

    private static void nobody() {
        spin();
    }

    private static void rest() {
        try {
            Thread.sleep(20);
        } catch (InterruptedException never) {
            throw new IllegalStateException(never);
        }
    }

    /** A field of protobuf whose content is bytes. */
    private static byte[] field(int number, byte[]... content) {
        ByteArrayOutputStream all = new ByteArrayOutputStream(), out = new ByteArrayOutputStream();
        for (byte[] one : content) {
            all.write(one, 0, one.length);
        }
        out.write(number << 3 | 2);
        for (int left = all.size(); ; left >>>= 7) {
            out.write(left > 0x7f ? left & 0x7f | 0x80 : left);
            if (left <= 0x7f) {
                break;
            }
        }
        out.write(all.toByteArray(), 0, all.size());
        return out.toByteArray();
    }

    private static byte[] text(int number, String text) {
        return field(number, text.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] payload(String version) {
        byte[][] names = new byte[KEYS.length][];
        for (int i = 0; i < KEYS.length; i++) {
            names[i] = field(1, text(1, KEYS[i]));
        }
        byte[] resource = field(1, field(1, text(1, "service.name"), field(2, text(1, "other"))));
        byte[] form = field(2, text(1, "threadlocal.schema_version"), field(2, text(1, version)));
        byte[] keys = field(2, text(1, "threadlocal.attribute_key_map"), field(2, field(5, names)));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : new byte[][] {resource, form, keys}) {
            out.write(part, 0, part.length);
        }
        return out.toByteArray();
    }

    /** Pairs of a key's number and a value. */
    private static byte[] attributes(Object... pairs) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < pairs.length; i += 2) {
            byte[] value = ((String) pairs[i + 1]).getBytes(StandardCharsets.ISO_8859_1);
            out.write((Integer) pairs[i]);
            out.write(value.length);
            out.write(value, 0, value.length);
        }
        return out.toByteArray();
    }

    private static void work(int thread) {
        while (!stop) {
            attach(0x1000 + thread, 0x2000 + thread, attributes(0, "00000000000000aa", 1, "/cart", 2, "iron", 2, "gold", 3, "x", 9, "y"));
            cart();
            attach(0x3000 + thread, 0x4000 + thread, attributes(1, "/pay", 2, "\u00ff"));
            pay();
            rest();
            point(thread == 0 ? 0x10 : 0x7ffffffffffeL);
            broken();
            detach();
            nobody();
        }
    }

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        publish(payload(args[1]));
        Thread[] threads = new Thread[2];
        for (int i = 0; i < threads.length; i++) {
            int number = i;
            threads[i] = new Thread(() -> work(number), "worker-" + i);
            threads[i].start();
        }
        System.out.println("ready");
        System.in.read();
        stop = true;
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("done");
    }
}
