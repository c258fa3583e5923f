package candor.context;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The values of one key, each encoded once. There are no more than MOST of them; further values all become "(other)". So values that, by
 * mistake, differ in each request do not fill the memory.
 */
final class Texts {
    static final int MOST = 1000;
    private static final int BYTES_MAX = 200;

    /** An attribute in the format of a record: number of the key, length, text; in longs of the memory's byte order, padded with 0. */
    static final class Encoded {
        final long[] words;
        final int bytes;

        Encoded(int key, String text) {
            byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
            int length = whole(utf8, Math.min(utf8.length, BYTES_MAX));
            bytes = 2 + length;
            words = new long[(bytes + 7) / 8];
            ByteBuffer b = ByteBuffer.allocate(8 * words.length).order(ByteOrder.nativeOrder());
            b.put((byte) key).put((byte) length).put(utf8, 0, length);
            for (int i = 0; i < words.length; i++) {
                words[i] = b.getLong(8 * i);
            }
        }

        /** No character is cut in the middle. */
        private static int whole(byte[] utf8, int length) {
            while (length > 0 && length < utf8.length && (utf8[length] & 0xc0) == 0x80) {
                length--;
            }
            return length;
        }
    }

    private final int key;
    private final ConcurrentHashMap<String, Encoded> known = new ConcurrentHashMap<>();
    private final Encoded other;

    Texts(int key) {
        this.key = key;
        other = new Encoded(key, "(other)");
    }

    /** Null for null and for the empty text. */
    Encoded get(String text) {
        if (text == null || text.isEmpty()) {
            return null;
        }
        Encoded encoded = known.get(text);
        return encoded != null ? encoded : add(text);
    }

    /** If threads add values at the same time, there may be a few more than MOST. */
    private Encoded add(String text) {
        if (known.size() >= MOST) {
            return other;
        }
        Encoded mine = new Encoded(key, text);
        Encoded first = known.putIfAbsent(text, mine);
        return first != null ? first : mine;
    }
}
