package verify;

import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** Packing and unpacking by a native library, beside arithmetic: its time belongs to the Java methods that called it. */
final class Zlib extends Mix {
    private final byte[] plain = new byte[4096];
    private final byte[] packed = new byte[2 * plain.length];
    private final int packedSize;
    private final Deflater deflater = new Deflater(Deflater.BEST_SPEED);
    private final Inflater inflater = new Inflater();

    Zlib() {
        super(1, new String[] {"deflate", "inflate", "compute"}, 1, 1, 1);
        for (int i = 0; i < plain.length; i++) {
            plain[i] = (byte) (i * 31 ^ i >>> 5);
        }
        deflater.setInput(plain);
        deflater.finish();
        packedSize = deflater.deflate(packed);
    }

    @Override
    long piece(int part, int times) throws DataFormatException {
        switch (part) {
        case 0:
            return deflate(times);
        case 1:
            return inflate(times);
        default:
            return compute(times);
        }
    }

    private long deflate(int times) {
        long bytes = 0;
        for (int i = 0; i < times; i++) {
            deflater.reset();
            deflater.setInput(plain);
            deflater.finish();
            bytes += deflater.deflate(packed);
        }
        return bytes;
    }

    private long inflate(int times) throws DataFormatException {
        long bytes = 0;
        for (int i = 0; i < times; i++) {
            inflater.reset();
            inflater.setInput(packed, 0, packedSize);
            bytes += inflater.inflate(plain);
        }
        return bytes;
    }

    private static long compute(int times) {
        return Work.spin(times, times);
    }
}
