package verify;

/**
 * A thousand calls deep, with work at the bottom and half way down. A sampler with a limit of depth must keep the inner end of the
 * stack; a sampler that drops such stacks loses the time. The descent belongs to no part.
 */
final class Recursion extends Mix {
    Recursion() {
        super(1, new int[] {3, 2}, new Dive("verify.Recursion$Dive.bottom", 1000), new Dive("verify.Recursion$Dive.halfWay", 500));
    }

    private static final class Dive extends Piece {
        private final int depth;

        Dive(String method, int depth) {
            super(method);
            this.depth = depth;
        }

        @Override
        void work(Worker worker, int times) {
            dive(worker, times, 2);
            worker.pass();
        }

        private void dive(Worker worker, int times, int at) {
            if (at < depth) {
                dive(worker, times, at + 1);
            } else if (depth == 1000) {
                bottom(worker, times);
            } else {
                halfWay(worker, times);
            }
        }

        private void bottom(Worker worker, int times) {
            worker.pass();
            charge(worker, Work.spin(1, times));
        }

        private void halfWay(Worker worker, int times) {
            worker.pass();
            charge(worker, Work.spin(2, times));
        }
    }
}
