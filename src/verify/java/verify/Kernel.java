package verify;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;

/**
 * Reads of zeros and writes into a file that has no name any more, whose time is the kernel's, beside arithmetic. Who samples
 * only what runs in user mode, or only threads in Java code, does not see them.
 */
final class Kernel extends Mix {
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(64 << 10);
    private final FileChannel zeros;
    private final FileChannel file;

    Kernel() {
        super(1, new String[] {"read", "write", "compute"}, 1, 1, 1);
        try {
            zeros = FileChannel.open(Paths.get("/dev/zero"));
            Path path = Files.createTempFile("candor-verify-", "");
            file = FileChannel.open(path, StandardOpenOption.WRITE);
            Files.delete(path);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    long piece(int part, int times) throws IOException {
        switch (part) {
        case 0:
            return read(zeros, buffer, times);
        case 1:
            return write(file, buffer, times);
        default:
            return compute(times);
        }
    }

    static long read(FileChannel from, ByteBuffer buffer, int times) throws IOException {
        for (int i = 0; i < times; i++) {
            buffer.clear();
            from.read(buffer);
        }
        return buffer.position();
    }

    /** Always the same place. */
    static long write(FileChannel to, ByteBuffer buffer, int times) throws IOException {
        for (int i = 0; i < times; i++) {
            buffer.clear();
            to.write(buffer, 0);
        }
        return buffer.position();
    }

    static long compute(int times) {
        return Work.spin(times, times);
    }
}
