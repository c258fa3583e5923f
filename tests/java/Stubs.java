import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.zip.Adler32;
import java.util.zip.CRC32;
import java.util.zip.Checksum;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The JVM's hand-written code, with a thread for each kind: no walker knows what a stub keeps on the stack, or which words it does not
 * write there. Before each call litter() leaves return addresses where the stub's frame will be.
 *
 * go seconds=CPU_SECONDS_PER_THREAD -> done loads=NAME,...; thread "stub-NAME" works in Stubs.NAME only
 */
public final class Stubs {
    private static final int BYTES = 8192;

    static volatile long sink;

    interface Load {
        long run() throws Exception;
    }

    private static int litterOnce(int x) {
        return x * 31 + 7;
    }

    static int litter(int depth, int x) {
        return depth == 0 ? litterOnce(x) : litter(depth - 1, x ^ depth) + litter(depth / 3 - 1 < 0 ? 0 : depth / 3 - 1, x);
    }

    private static final class Names {
        final List<String> names = new ArrayList<>();
        final List<Load> loads = new ArrayList<>();

        void add(String name, Load load) {
            names.add(name);
            loads.add(load);
        }
    }

    private final byte[] bytes = new byte[BYTES], others = new byte[BYTES], copy = new byte[BYTES];
    private final long[] longs = new long[BYTES / 8];
    private final int[] ints = new int[BYTES / 4], intsToo = new int[BYTES / 4];
    private final String[] strings = new String[BYTES / 8], stringsToo = new String[BYTES / 8];
    private final String ascii, text, same;
    private final BigInteger odd, large, exponent;
    private final CRC32 crc32 = new CRC32();
    private final Adler32 adler32 = new Adler32();
    private final Checksum crc32c;
    private final MessageDigest md5 = MessageDigest.getInstance("MD5"), sha1 = MessageDigest.getInstance("SHA-1"),
                                sha256 = MessageDigest.getInstance("SHA-256"), sha512 = MessageDigest.getInstance("SHA-512");
    private final Cipher ecb = Cipher.getInstance("AES/ECB/NoPadding"), cbc = Cipher.getInstance("AES/CBC/NoPadding"),
                         back = Cipher.getInstance("AES/CBC/NoPadding"), ctr = Cipher.getInstance("AES/CTR/NoPadding"),
                         gcm = Cipher.getInstance("AES/GCM/NoPadding");
    private final SecretKeySpec key = new SecretKeySpec(new byte[16], "AES");
    private final Random random = new Random(42);
    private double angle = 0.1;
    private int nonce;

    private Stubs() throws Exception {
        random.nextBytes(bytes);
        for (int i = 0; i < strings.length; i++) {
            strings[i] = "string " + i;
        }
        odd = new BigInteger(1024, random).setBit(0).setBit(1023);
        large = new BigInteger(1000, random);
        exponent = new BigInteger(64, random);
        StringBuilder builder = new StringBuilder();
        for (int i = 0; i < BYTES; i++) {
            builder.append((char) ('a' + i % 26));
        }
        ascii = builder.toString();
        same = builder.toString();
        text = builder.append('\u20ac').toString();
        crc32c = newCrc32c();
        IvParameterSpec start = new IvParameterSpec(new byte[16]);
        ecb.init(Cipher.ENCRYPT_MODE, key);
        cbc.init(Cipher.ENCRYPT_MODE, key, start);
        back.init(Cipher.DECRYPT_MODE, key, start);
        ctr.init(Cipher.ENCRYPT_MODE, key, start);
    }

    /** JDK 9 has it. */
    private static Checksum newCrc32c() throws Exception {
        try {
            return (Checksum) Class.forName("java.util.zip.CRC32C").getDeclaredConstructor().newInstance();
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    long crc32() {
        crc32.update(bytes, 0, BYTES);
        return crc32.getValue();
    }

    long crc32c() {
        crc32c.update(bytes, 0, BYTES);
        return crc32c.getValue();
    }

    long adler32() {
        adler32.update(bytes, 0, BYTES);
        return adler32.getValue();
    }

    long md5() {
        return md5.digest(bytes)[0];
    }

    long sha1() {
        return sha1.digest(bytes)[0];
    }

    long sha256() {
        return sha256.digest(bytes)[0];
    }

    long sha512() {
        return sha512.digest(bytes)[0];
    }

    long ecb() throws Exception {
        return ecb.update(bytes, 0, BYTES, copy, 0);
    }

    long cbc() throws Exception {
        return cbc.update(bytes, 0, BYTES, copy, 0);
    }

    long decrypt() throws Exception {
        return back.update(bytes, 0, BYTES, copy, 0);
    }

    long ctr() throws Exception {
        return ctr.update(bytes, 0, BYTES, copy, 0);
    }

    long gcm() throws Exception {
        byte[] start = new byte[12];
        start[0] = (byte) ++nonce;
        start[1] = (byte) (nonce >> 8);
        start[2] = (byte) (nonce >> 16);
        gcm.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(128, start));
        return gcm.doFinal(bytes)[0];
    }

    long multiply() {
        return large.multiply(odd).bitLength();
    }

    long square() {
        return large.multiply(large).bitLength();
    }

    long power() {
        return large.modPow(exponent, odd).bitLength();
    }

    long base64() {
        return Base64.getDecoder().decode(Base64.getEncoder().encode(bytes))[0];
    }

    long math() {
        double sum = 0;
        for (int i = 0; i < 50; i++) {
            angle += 0.001;
            sum += Math.sin(angle) + Math.cos(angle) + Math.tan(angle) + Math.exp(angle % 3) + Math.log(angle) + Math.log10(angle)
                   + Math.pow(angle, 1.7);
        }
        return (long) sum;
    }

    long copies() {
        System.arraycopy(bytes, 0, copy, 1, BYTES - 1);
        System.arraycopy(copy, 0, copy, 3, BYTES - 3);
        System.arraycopy(ints, 1, intsToo, 0, ints.length - 1);
        System.arraycopy(strings, 0, stringsToo, 0, strings.length);
        Object[] objects = stringsToo;
        System.arraycopy(strings, 0, objects, 1, strings.length - 1);
        return copy[5];
    }

    long clones() {
        return bytes.clone()[3] + strings.clone().length + Arrays.copyOf(ints, ints.length + 5).length;
    }

    long fills() {
        Arrays.fill(others, (byte) 3);
        Arrays.fill(longs, 5L);
        return others[7] + longs[3];
    }

    long comparisons() {
        System.arraycopy(bytes, 0, copy, 0, BYTES);
        return (Arrays.equals(bytes, copy) ? 1 : 0) + (ascii.equals(same) ? 1 : 0) + ascii.compareTo(same) + text.hashCode();
    }

    long searches() {
        return ascii.indexOf("zyx") + text.indexOf('\u20ac') + text.indexOf("a\u20ac");
    }

    long encodings() {
        return ascii.getBytes(StandardCharsets.UTF_8).length + text.getBytes(StandardCharsets.UTF_8).length
            + new String(bytes, StandardCharsets.ISO_8859_1).length();
    }

    private static Names all(Stubs s) {
        Names all = new Names();
        all.add("crc32", s::crc32);
        if (s.crc32c != null) {
            all.add("crc32c", s::crc32c);
        }
        all.add("adler32", s::adler32);
        all.add("md5", s::md5);
        all.add("sha1", s::sha1);
        all.add("sha256", s::sha256);
        all.add("sha512", s::sha512);
        all.add("ecb", s::ecb);
        all.add("cbc", s::cbc);
        all.add("decrypt", s::decrypt);
        all.add("ctr", s::ctr);
        all.add("gcm", s::gcm);
        all.add("multiply", s::multiply);
        all.add("square", s::square);
        all.add("power", s::power);
        all.add("base64", s::base64);
        all.add("math", s::math);
        all.add("copies", s::copies);
        all.add("clones", s::clones);
        all.add("fills", s::fills);
        all.add("comparisons", s::comparisons);
        all.add("searches", s::searches);
        all.add("encodings", s::encodings);
        return all;
    }

    private static void work(Load load, long budget) throws Exception {
        long sum = 0;
        for (long begin = Rounds.cpu(); Rounds.cpu() - begin < budget;) {
            for (int i = 0; i < 20; i++) {
                sum += litter(9, i);
                sum += load.run();
            }
        }
        sink = sum;
    }

    static String round(Rounds.Options options) throws Exception {
        long budget = (long) (options.number("seconds", 1) * 1e9);
        List<String> names = all(new Stubs()).names;
        for (int i = 0; i < names.size(); i++) { // one after the other: two at once would wait for each other on two processors
            Load load = all(new Stubs()).loads.get(i);
            Rounds.together(new Thread(() -> {
                try {
                    work(load, budget);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }, "stub-" + names.get(i)));
        }
        return "loads=" + String.join(",", names);
    }

    public static void main(String[] args) throws Exception {
        Rounds.serve(Stubs::round);
    }
}
