package verify;

import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.zip.Adler32;
import java.util.zip.CRC32;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * What the JVM has hand-written code for, which is no Java method: the time belongs to the method that called it. Who cannot
 * walk out of such code loses the time, or gives it to the caller's caller.
 */
final class Intrinsics extends Mix {
    private static final byte[] SOURCE = new byte[16384];
    private static final byte[] TARGET = new byte[SOURCE.length];
    private static final char[] TEXT = new char[1024];

    private final Cipher cipher;

    static {
        for (int i = 0; i < SOURCE.length; i++) {
            SOURCE[i] = (byte) (i * 31 ^ i >>> 5);
        }
        for (int i = 0; i < TEXT.length; i++) {
            TEXT[i] = (char) ('a' + i % 23);
        }
    }

    Intrinsics() {
        super(1, new String[] {"arraycopy", "crc32", "adler32", "fill", "fillDown", "strings", "math", "aes"},
              1, 1, 1, 1, 1, 1, 1, 1);
        try {
            cipher = Cipher.getInstance("AES/CTR/NoPadding");
            cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(new byte[16], "AES"), new IvParameterSpec(new byte[16]));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    long piece(int part, int times) throws Exception {
        switch (part) {
        case 0:
            return arraycopy(times);
        case 1:
            return crc32(times);
        case 2:
            return adler32(times);
        case 3:
            return fill(times);
        case 4:
            return fillDown(times);
        case 5:
            return strings(times);
        case 6:
            return math(times);
        default:
            return aes(cipher, times);
        }
    }

    static long arraycopy(int times) {
        for (int i = 0; i < times; i++) {
            System.arraycopy(SOURCE, i & 63, TARGET, 0, SOURCE.length - 64);
        }
        return TARGET[times & 1023];
    }

    static long crc32(int times) {
        CRC32 sum = new CRC32();
        for (int i = 0; i < times; i++) {
            sum.update(SOURCE, 0, SOURCE.length);
        }
        return sum.getValue();
    }

    static long adler32(int times) {
        Adler32 sum = new Adler32();
        for (int i = 0; i < times; i++) {
            sum.update(SOURCE, 0, SOURCE.length);
        }
        return sum.getValue();
    }

    static long fill(int times) {
        for (int i = 0; i < times; i++) {
            Arrays.fill(TARGET, (byte) i);
        }
        return TARGET[times & 1023];
    }

    static long fillDown(int times) {
        for (int i = 0; i < times; i++) {
            for (int j = TARGET.length - 1; j >= 0; j--) {
                TARGET[j] = (byte) i;
            }
        }
        return TARGET[times & 1023];
    }

    static long strings(int times) {
        String text = new String(TEXT);
        long sum = 0;
        for (int i = 0; i < times; i++) {
            String copy = new String(TEXT);
            sum += copy.hashCode() + copy.indexOf("needle") + copy.compareTo(text) + (copy.equals(text) ? 1 : 0);
        }
        return sum;
    }

    static long math(int times) {
        double sum = 0;
        for (int i = 1; i <= times; i++) {
            sum += Math.sin(i) + Math.exp(i % 5) + Math.log(i) + Math.pow(i, 0.3);
        }
        return (long) sum;
    }

    static long aes(Cipher cipher, int times) throws GeneralSecurityException {
        for (int i = 0; i < times; i++) {
            cipher.update(SOURCE, 0, SOURCE.length, TARGET, 0);
        }
        return TARGET[times & 1023];
    }
}
