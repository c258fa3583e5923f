import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.text.SimpleDateFormat;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;

/** CPU time that a program can do without: work that it repeats, exceptions for what is expected, threads that spin or are too many. */
public final class Work {
    private static final String LINE = "2026-11-27 12:00:00.123 INFO shop.Cart - 17 items; 3.50 EUR; customer 4711";
    private static final Pattern DIGITS = Pattern.compile("[0-9]+");
    private static final ThreadLocal<SimpleDateFormat> DATES = ThreadLocal.withInitial(() -> new SimpleDateFormat("yyyy-MM-dd HH:mm:ss"));

    private Work() {
    }

    static void regex(boolean planted) {
        Case.repeat(1, "filter", () -> {
            String line = planted ? LINE.replaceAll("[0-9]+", "#") : DIGITS.matcher(LINE).replaceAll("#"); // here: regex
            Case.sink += line.length();
            rest(planted);
        });
    }

    /** Before JDK 9, a repeated group within a repeated group tries every way to divide the text. */
    static void backtracking(boolean planted) {
        Pattern words = Pattern.compile(planted ? "(\\w+\\s?)*:" : "[\\w\\s]*+:");
        Case.repeat(1, "filter", () -> {
            Case.sink += words.matcher("seventeen items ; customer 4711").matches() ? 1 : 0; // here: backtracking
            rest(planted);
        });
    }

    private static void rest(boolean planted) {
        if (!planted) {
            Case.sleep(1);
        }
    }

    static void format(boolean planted) {
        Case.repeat(1, "render", () -> {
            for (int i = 0; i < 100; i++) {
                String text = planted ? String.format("%s: %d of %d", LINE, i, 100) : LINE + ": " + i + " of " + 100; // here: format
                Case.sink += text.length();
            }
            rest(planted);
        });
    }

    static void dates(boolean planted) {
        Case.repeat(1, "stamp", () -> {
            SimpleDateFormat format = planted ? new SimpleDateFormat("yyyy-MM-dd HH:mm:ss") : DATES.get(); // here: dates
            Case.sink += format.format(new Date(Case.sink & 0xffffff)).length();
            rest(planted);
        });
    }

    static void stackWalks(boolean planted) {
        Case.repeat(1, "trace", () -> {
            if (planted) {
                Case.sink += Thread.currentThread().getStackTrace().length; // here: stackWalks
            }
            rest(planted);
        });
    }

    static final class Key {
        private final int id;

        Key(int id) {
            this.id = id;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Key && ((Key) other).id == id;
        }

        @Override
        public int hashCode() {
            return id & 1;
        }
    }

    static void collisions(boolean planted) {
        Map<Object, Integer> stock = new HashMap<>();
        for (int i = 0; i < 400; i++) {
            stock.put(planted ? new Key(i) : (Object) i, i);
        }
        Case.repeat(1, "stock", () -> {
            for (int i = 0; i < 400; i++) {
                Case.sink += stock.get(planted ? new Key(i) : (Object) i); // here: collisions
            }
            rest(planted);
        });
    }

    static void scans(boolean planted) {
        List<Integer> list = new ArrayList<>();
        Set<Integer> set = new HashSet<>();
        for (int i = 0; i < 20_000; i++) {
            list.add(i);
            set.add(i);
        }
        Case.repeat(1, "check", () -> {
            for (int i = 0; i < 20; i++) {
                Case.sink += (planted ? list.contains(i + 19_000) : set.contains(i + 19_000)) ? 1 : 0; // here: scans
            }
            rest(planted);
        });
    }

    static void linkedList(boolean planted) {
        List<Integer> list = planted ? new LinkedList<>() : new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            list.add(i);
        }
        Case.repeat(1, "page", () -> {
            for (int i = 4000; i < 4100; i++) {
                Case.sink += list.get(i); // here: linkedList
            }
            rest(planted);
        });
    }

    static void growth(boolean planted) {
        Integer one = 1;
        List<Integer> kept = new ArrayList<>();
        Case.repeat(1, "collect", () -> {
            List<Integer> all = planted ? new ArrayList<>() : kept;
            all.clear();
            for (int i = 0; i < 200_000; i += planted ? 1 : 100) {
                all.add(one); // here: growth
            }
            Case.sink += all.size();
            rest(planted);
        });
    }

    static void copyOnWrite(boolean planted) {
        List<Integer> listeners = new CopyOnWriteArrayList<>();
        Set<Integer> set = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < 20_000; i++) {
            set.add(i);
        }
        listeners.addAll(set);
        Case.repeat(1, "subscribe", () -> {
            if (planted) {
                listeners.set(17, 18); // here: copyOnWrite
                listeners.add(19); // here: copyOnWrite
                listeners.remove(20_000); // here: copyOnWrite
            } else {
                set.add(20_001);
                set.remove(20_001);
            }
            rest(planted);
        });
    }

    static final class Order implements Serializable {
        private static final long serialVersionUID = 1;
        private final List<String> items = new ArrayList<>(Arrays.asList("shoe", "sock", "hat"));
        private final Date date = new Date();
    }

    static void serialization(boolean planted) {
        Order order = new Order();
        Case.repeat(1, "cache", () -> {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            if (planted) {
                try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                    out.writeObject(order); // here: serialization
                }
                Case.kept = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject(); // here: serialization
            } else {
                bytes.write((order.items + " " + order.date.getTime()).getBytes());
            }
            Case.sink += bytes.size();
            rest(planted);
        });
    }

    static void console(boolean planted) throws Exception {
        PrintStream out = new PrintStream(new FileOutputStream("/dev/null"), planted);
        Case.repeat(1, "print", () -> {
            for (int i = 0; i < 100; i++) {
                out.println(LINE); // here: console
            }
            if (!planted) {
                Case.sleep(5);
            }
        });
    }

    static void bytes(boolean planted) throws Exception {
        Case.repeat(1, "copy", () -> {
            byte[] block = new byte[1 << 16];
            try (InputStream in = new FileInputStream("/dev/zero")) {
                for (int i = 0; i < 50_000; i++) {
                    Case.sink += planted || i == 0 ? planted ? in.read() : in.read(block) : 0; // here: bytes
                }
            }
            rest(planted);
        });
    }

    static void spinning(boolean planted) {
        AtomicBoolean ready = new AtomicBoolean();
        Case.repeat(1, "spin", () -> {
            while (!ready.getAndSet(false)) {
                if (planted) {
                    Thread.yield(); // here: spinning
                } else {
                    Case.sleep(1);
                }
            }
        });
        Case.repeat(1, "signal", () -> {
            ready.set(true);
            Case.sleep(20);
        });
    }

    static void secureRandom(boolean planted) {
        SecureRandom secure = new SecureRandom();
        Random plain = new Random();
        Case.repeat(1, "token", () -> {
            byte[] token = new byte[32];
            (planted ? secure : plain).nextBytes(token); // here: secureRandom
            Case.sink += token[3];
            rest(planted);
        });
    }

    static void threadLocals(boolean planted) {
        ThreadLocal<int[]> one = ThreadLocal.withInitial(() -> new int[4]);
        Case.repeat(1, "local", () -> {
            List<ThreadLocal<int[]>> own = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                ThreadLocal<int[]> local = planted ? ThreadLocal.withInitial(() -> new int[4]) : one;
                Case.sink += local.get().length; // here: threadLocals
                own.add(local);
            }
            Case.kept = own;
            rest(planted);
        });
    }

    static void intern(boolean planted) {
        Map<String, String> names = new HashMap<>();
        Case.repeat(1, "names", () -> {
            for (int i = 0; i < 500; i++) {
                String name = "customer-" + i;
                Case.sink += (planted ? name.intern() : names.computeIfAbsent(name, key -> key)).length(); // here: intern
            }
            rest(planted);
        });
    }

    static final class Handle {
        private final int[] memory = new int[4];

        @Override
        protected void finalize() {
            Case.sink += memory.length;
        }
    }

    static void finalizers(boolean planted) {
        Case.repeat(1, "open", () -> {
            for (int i = 0; i < 2000; i++) {
                Case.kept = planted ? new Handle() : new int[4]; // here: finalizers
            }
            Case.sleep(4);
        });
    }

    static void processes(boolean planted) {
        Case.repeat(2, "shell", () -> {
            if (planted) {
                new ProcessBuilder("/bin/true").start().waitFor(); // here: processes
            } else {
                Case.sleep(100);
            }
        });
    }

    static final class NotFound extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private static int find(int key, boolean planted) {
        if (planted && key > 1) {
            throw new NotFound(); // here: exceptions
        }
        return planted ? key : -1;
    }

    private static int below(int depth, int key, boolean planted) {
        return depth == 0 ? find(key, planted) : below(depth - 1, key, planted) + 0;
    }

    static void exceptions(boolean planted) {
        Case.repeat(1, "find", () -> {
            for (int i = 0; i < 200; i++) {
                try {
                    Case.sink += below(30, i, planted);
                } catch (NotFound e) {
                    Case.sink--;
                }
            }
            Case.sleep(1);
        });
    }

    static void parsing(boolean planted) {
        Case.repeat(1, "parse", () -> {
            for (int i = 0; i < 500; i++) {
                try {
                    Case.sink += Integer.parseInt(planted ? "none" : "17"); // here: parsing
                } catch (NumberFormatException e) {
                    Case.sink--;
                }
            }
            Case.sleep(2);
        });
    }

    private static int descend(int depth, int most) {
        return depth < most ? descend(depth + 1, most) + 1 : depth; // here: overflow
    }

    static void overflow(boolean planted) {
        Case.repeat(1, "tree", () -> {
            try {
                Case.sink += descend(0, planted ? Integer.MAX_VALUE : 100);
            } catch (StackOverflowError e) {
                Case.sink--;
            }
            Case.sleep(5);
        });
    }

    static void properties(boolean planted) throws Exception {
        File file = File.createTempFile("shop", ".properties");
        file.deleteOnExit();
        Properties read = new Properties();
        for (int i = 0; i < 200; i++) {
            read.setProperty("shop.key." + i, LINE + i);
        }
        try (OutputStream out = new FileOutputStream(file)) {
            read.store(out, null);
        }
        Case.repeat(2, "request", () -> {
            Properties now = read;
            if (planted) {
                now = new Properties();
                try (InputStream in = new FileInputStream(file)) {
                    now.load(in); // here: properties
                }
            }
            Case.sink += now.getProperty("shop.key.7").length();
            rest(planted);
        });
    }

    static void parsers(boolean planted) throws Exception {
        byte[] text = "<cart><item count='1'>book</item></cart>".getBytes(StandardCharsets.UTF_8);
        DocumentBuilder once = DocumentBuilderFactory.newInstance().newDocumentBuilder();
        Case.repeat(1, "request", () -> {
            DocumentBuilder builder = planted ? DocumentBuilderFactory.newInstance().newDocumentBuilder() : once; // here: parsers
            Case.kept = builder.parse(new ByteArrayInputStream(text));
            rest(planted);
        });
    }

    static void sharedRandom(boolean planted) {
        Random shared = new Random(17);
        Case.repeat(2, "dice", () -> {
            Random own = planted ? shared : ThreadLocalRandom.current();
            for (int i = 0; i < 1000; i++) {
                Case.sink += own.nextInt(6); // here: sharedRandom
            }
            rest(planted);
        });
    }

    static void keys(boolean planted) throws Exception {
        KeyPair once = KeyPairGenerator.getInstance("RSA").generateKeyPair();
        Case.repeat(1, "login", () -> {
            KeyPair pair = planted ? KeyPairGenerator.getInstance("RSA").generateKeyPair() : once; // here: keys
            Case.sink += pair.getPublic().hashCode();
            Case.sleep(5);
        });
    }

    static void opens(boolean planted) throws Exception {
        File file = File.createTempFile("shop", ".flag");
        file.deleteOnExit();
        Case.repeat(1, "request", () -> {
            for (int i = 0; i < 100; i++) {
                Case.sink += !planted || file.exists() ? 1 : 0; // here: opens
            }
            rest(planted);
        });
    }

    static void polling(boolean planted) {
        ConcurrentLinkedQueue<Long> polled = new ConcurrentLinkedQueue<>();
        BlockingQueue<Long> taken = new LinkedBlockingQueue<>();
        Case.repeat(1, "sensor", () -> {
            (planted ? polled : taken).add(System.nanoTime());
            Case.sleep(5);
        });
        Case.repeat(1, "consumer", () -> {
            Long next = planted ? polled.poll() : taken.take(); // here: polling
            Case.sink += next == null ? 0 : next;
        });
    }

    /** More threads than processors that compute. */
    static void saturation(boolean planted) {
        BitSet primes = new BitSet();
        Case.repeat(planted ? 16 : 1, "compute", () -> {
            Case.compute(5000); // here: saturation
            Case.kept = primes;
            rest(planted);
        });
    }

    static void churn(boolean planted) {
        Case.repeat(2, "dispatch", () -> {
            Runnable task = () -> Case.compute(20);
            if (planted) {
                Thread thread = new Thread(task);
                thread.start(); // here: churn
                thread.join();
            } else {
                task.run();
            }
            Case.sleep(1);
        });
    }

    public static void main(String[] args) throws Exception {
        Case.main(Work.class, args);
    }
}
