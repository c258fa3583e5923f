package verify;

/**
 * Exceptions that are thrown up to twenty calls deep and caught at the top, beside arithmetic. Stacks are hard to walk while they are
 * unwound.
 */
final class Exceptions extends Mix {
    Exceptions() {
        super(1, new int[] {1, 1}, new Throwing(), new Arithmetic());
    }

    private static final class Throwing extends Piece {
        private static final int DEPTH = 20;

        @Override
        void work(Worker worker, int times) {
            long caught = 0;
            for (int i = 0; i < times; i++) {
                try {
                    caught += dive(i % DEPTH);
                } catch (IllegalStateException e) {
                    caught++;
                }
            }
            charge(worker, caught);
        }

        private static int dive(int depth) {
            if (depth == 0) {
                throw new IllegalStateException("at the bottom");
            }
            return dive(depth - 1) + 1;
        }
    }
}
