package verify;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;

/**
 * Reads of zeros, and writes into a deleted file, whose time is spent in the kernel, beside arithmetic. A profiler that samples only
 * user mode, or only threads in Java code, does not see them.
 */
final class Kernel extends Mix {
    private static final int SIZE = 64 << 10;

    Kernel() throws IOException {
        super(1, new int[] {1, 1, 1}, new Read(), new Write(), new Arithmetic());
    }

    private static final class Read extends Piece {
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(SIZE);
        private final FileChannel zeros = FileChannel.open(Paths.get("/dev/zero"));

        Read() throws IOException {
        }

        @Override
        void work(Worker worker, int times) throws IOException {
            for (int i = 0; i < times; i++) {
                buffer.clear();
                zeros.read(buffer);
            }
            charge(worker, buffer.position());
        }
    }

    private static final class Write extends Piece {
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(SIZE);
        private final FileChannel file;

        Write() throws IOException {
            Path path = Files.createTempFile("candor-verify-", "");
            file = FileChannel.open(path, StandardOpenOption.WRITE);
            Files.delete(path);
        }

        /** Always to the same place in the file. */
        @Override
        void work(Worker worker, int times) throws IOException {
            for (int i = 0; i < times; i++) {
                buffer.clear();
                file.write(buffer, 0);
            }
            charge(worker, buffer.position());
        }
    }
}
