package verify;

/**
 * Very many copies of 16 to 64 bytes, beside the same amount of arithmetic: entering and leaving the stub takes as much time as the stub
 * itself.
 */
final class Copies extends Mix {
    Copies() {
        super(1, new int[] {1, 1}, new Copy(), new Arithmetic());
    }

    private static final class Copy extends Piece {
        private final byte[] source = new byte[1024];
        private final byte[] target = new byte[1024];

        @Override
        void work(Worker worker, int times) {
            for (int i = 0; i < times; i++) {
                System.arraycopy(source, i & 511, target, i & 31, 16 + i % 49);
            }
            charge(worker, target[times & 63]);
        }
    }
}
