package verify;

import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.zip.Adler32;
import java.util.zip.CRC32;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Code that the JVM has written by hand, which is not a Java method: its time belongs to the method that called it. A profiler that
 * cannot walk out of such code loses the time, or assigns it to the caller's caller.
 */
final class Intrinsics extends Mix {
    private static final byte[] SOURCE = new byte[16384];
    private static final byte[] TARGET = new byte[SOURCE.length];
    private static final char[] TEXT = new char[1024];

    static {
        for (int i = 0; i < SOURCE.length; i++) {
            SOURCE[i] = (byte) (i * 31 ^ i >>> 5);
        }
        for (int i = 0; i < TEXT.length; i++) {
            TEXT[i] = (char) ('a' + i % 23);
        }
    }

    Intrinsics() throws GeneralSecurityException {
        super(1, new int[] {1, 1, 1, 1, 1, 1, 1, 1}, new Arraycopy(), new Crc32(), new Adler(), new Fill(), new FillDown(),
              new Strings(), new Functions(), new Aes());
    }

    private static final class Arraycopy extends Piece {
        @Override
        void work(Worker worker, int times) {
            for (int i = 0; i < times; i++) {
                System.arraycopy(SOURCE, i & 63, TARGET, 0, SOURCE.length - 64);
            }
            charge(worker, TARGET[times & 1023]);
        }
    }

    private static final class Crc32 extends Piece {
        @Override
        void work(Worker worker, int times) {
            CRC32 sum = new CRC32();
            for (int i = 0; i < times; i++) {
                sum.update(SOURCE, 0, SOURCE.length);
            }
            charge(worker, sum.getValue());
        }
    }

    private static final class Adler extends Piece {
        @Override
        void work(Worker worker, int times) {
            Adler32 sum = new Adler32();
            for (int i = 0; i < times; i++) {
                sum.update(SOURCE, 0, SOURCE.length);
            }
            charge(worker, sum.getValue());
        }
    }

    private static final class Fill extends Piece {
        @Override
        void work(Worker worker, int times) {
            for (int i = 0; i < times; i++) {
                Arrays.fill(TARGET, (byte) i);
            }
            charge(worker, TARGET[times & 1023]);
        }
    }

    private static final class FillDown extends Piece {
        @Override
        void work(Worker worker, int times) {
            for (int i = 0; i < times; i++) {
                for (int j = TARGET.length - 1; j >= 0; j--) {
                    TARGET[j] = (byte) i;
                }
            }
            charge(worker, TARGET[times & 1023]);
        }
    }

    private static final class Strings extends Piece {
        @Override
        void work(Worker worker, int times) {
            String text = new String(TEXT);
            long sum = 0;
            for (int i = 0; i < times; i++) {
                String copy = new String(TEXT);
                sum += copy.hashCode() + copy.indexOf("needle") + copy.compareTo(text) + (copy.equals(text) ? 1 : 0);
            }
            charge(worker, sum);
        }
    }

    private static final class Functions extends Piece {
        @Override
        void work(Worker worker, int times) {
            double sum = 0;
            for (int i = 1; i <= times; i++) {
                sum += Math.sin(i) + Math.exp(i % 5) + Math.log(i) + Math.pow(i, 0.3);
            }
            charge(worker, (long) sum);
        }
    }

    private static final class Aes extends Piece {
        private final Cipher cipher = Cipher.getInstance("AES/CTR/NoPadding");

        Aes() throws GeneralSecurityException {
            cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(new byte[16], "AES"), new IvParameterSpec(new byte[16]));
        }

        @Override
        void work(Worker worker, int times) throws GeneralSecurityException {
            for (int i = 0; i < times; i++) {
                cipher.update(SOURCE, 0, SOURCE.length, TARGET, 0);
            }
            charge(worker, TARGET[times & 1023]);
        }
    }
}
