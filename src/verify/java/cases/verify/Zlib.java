package verify;

import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** Packing and unpacking by a native library, beside arithmetic: its time belongs to the Java methods that called it. */
final class Zlib extends Mix {
    private static final byte[] PLAIN = new byte[4096];

    static {
        for (int i = 0; i < PLAIN.length; i++) {
            PLAIN[i] = (byte) (i * 31 ^ i >>> 5);
        }
    }

    Zlib() {
        super(1, new int[] {1, 1, 1}, new Deflate(), new Inflate(), new Arithmetic());
    }

    private static int pack(Deflater deflater, byte[] packed) {
        deflater.reset();
        deflater.setInput(PLAIN);
        deflater.finish();
        return deflater.deflate(packed);
    }

    private static final class Deflate extends Piece {
        private final Deflater deflater = new Deflater(Deflater.BEST_SPEED);
        private final byte[] packed = new byte[2 * PLAIN.length];

        @Override
        void work(Worker worker, int times) {
            long bytes = 0;
            for (int i = 0; i < times; i++) {
                bytes += pack(deflater, packed);
            }
            charge(worker, bytes);
        }
    }

    private static final class Inflate extends Piece {
        private final Inflater inflater = new Inflater();
        private final byte[] unpacked = new byte[PLAIN.length];
        private final byte[] packed = new byte[2 * PLAIN.length];
        private final int size = pack(new Deflater(), packed);

        @Override
        void work(Worker worker, int times) throws DataFormatException {
            long bytes = 0;
            for (int i = 0; i < times; i++) {
                inflater.reset();
                inflater.setInput(packed, 0, size);
                bytes += inflater.inflate(unpacked);
            }
            charge(worker, bytes);
        }
    }
}
