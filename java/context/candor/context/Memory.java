package candor.context;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Writes the records of all threads, in the format of OpenTelemetry's thread context (OTEP 4947); the agent reads them. */
final class Memory {
    private static final int SPAN = 16, VALID = 24, FLAGS = 25, SIZE = 26, ATTRIBUTES = 28, BYTES = 640;
    private static final int ROOT_KEY = 1, ROOT_BYTES = 18;
    private static final long RETRY_NS = TimeUnit.SECONDS.toNanos(5);

    private static volatile Memory connected;
    private static volatile long nextTry = System.nanoTime();

    private final ByteBuffer plain, bigEndian;

    private Memory(ByteBuffer memory) {
        plain = memory.duplicate().order(ByteOrder.nativeOrder());
        bigEndian = memory.duplicate().order(ByteOrder.BIG_ENDIAN);
    }

    /** Null while there is no agent. The agent may come later, so this class looks for it every few seconds. */
    static Memory get() {
        Memory memory = connected;
        return memory != null || System.nanoTime() - nextTry < 0 ? memory : connect();
    }

    /** A thread that comes while another one tries waits for the result. The next try is delayed only after a failed one. */
    private static synchronized Memory connect() {
        if (connected == null && System.nanoTime() - nextTry >= 0) {
            ByteBuffer memory = ask();
            if (memory != null) {
                connected = new Memory(memory);
            } else {
                nextTry = System.nanoTime() + RETRY_NS;
            }
        }
        return connected;
    }

    private static ByteBuffer ask() {
        try {
            return Native.memory();
        } catch (UnsatisfiedLinkError absent) {
            return null;
        }
    }

    /**
     * Makes the record at that place describe the scope; null: nothing. A signal of this thread may come at any instant, so the record
     * says that it is invalid while it is not complete. The stores stay in order, because each lazySet is ordered after the stores
     * before it. The last one keeps them before the code that follows: otherwise a compiler may move them behind a loop.
     */
    void write(int at, Scope scope, AtomicInteger fence) {
        plain.put(at + VALID, (byte) 0);
        fence.lazySet(0);
        if (scope == null) {
            writeIds(at, 0, 0, 0);
            plain.putShort(at + SIZE, (short) 0);
        } else {
            writeIds(at, scope.traceHigh, scope.traceLow, scope.span);
            plain.putShort(at + SIZE, (short) writeAttributes(at + ATTRIBUTES, scope));
        }
        fence.lazySet(0);
        plain.put(at + VALID, (byte) 1);
        fence.lazySet(0);
    }

    private void writeIds(int at, long traceHigh, long traceLow, long span) {
        bigEndian.putLong(at, traceHigh);
        bigEndian.putLong(at + 8, traceLow);
        bigEndian.putLong(at + SPAN, span);
        plain.put(at + FLAGS, (byte) 0);
    }

    /** Returns the number of bytes. */
    private int writeAttributes(int at, Scope scope) {
        int size = 0;
        if (scope.endpoint != null) {
            size = writeText(at, 0, scope.endpoint);
        }
        if (scope.rootSpan != 0) {
            plain.put(at + size, (byte) ROOT_KEY);
            plain.put(at + size + 1, (byte) 16);
            bigEndian.putLong(at + size + 2, hex((int) (scope.rootSpan >>> 32)));
            bigEndian.putLong(at + size + 10, hex((int) scope.rootSpan));
            size += ROOT_BYTES;
        }
        for (Texts.Encoded label : scope.labels) {
            size = writeText(at, size, label);
        }
        return size;
    }

    /** A value that does not fit is left out. Up to seven bytes after the text are written, too: there is room after the record. */
    private int writeText(int at, int size, Texts.Encoded text) {
        if (ATTRIBUTES + size + text.bytes > BYTES) {
            return size;
        }
        long[] words = text.words;
        for (int i = 0; i < words.length; i++) {
            plain.putLong(at + size + 8 * i, words[i]);
        }
        return size + text.bytes;
    }

    /** Eight hexadecimal digits, the first in the highest byte. */
    static long hex(int number) {
        long x = number & 0xffffffffL;
        x = (x | x << 16) & 0x0000ffff0000ffffL;
        x = (x | x << 8) & 0x00ff00ff00ff00ffL;
        x = (x | x << 4) & 0x0f0f0f0f0f0f0f0fL;
        long letters = (x + 0x0606060606060606L) >>> 4 & 0x0101010101010101L;
        return x + 0x3030303030303030L + letters * ('a' - '0' - 10);
    }
}
