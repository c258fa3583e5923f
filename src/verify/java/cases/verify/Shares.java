package verify;

/** Half, three tenths and a fifth of the time in three methods. A profiler that is wrong here is wrong everywhere. */
final class Shares extends Mix {
    Shares(int threads) {
        super(threads, new int[] {5, 3, 2}, new Fifty(), new Thirty(), new Twenty());
    }

    private static final class Fifty extends Piece {
        @Override
        void work(Worker worker, int times) {
            long x = 88172645463325252L;
            for (int i = 0; i < times; i++) {
                x ^= x << 13;
                x ^= x >>> 7;
                x ^= x << 17;
            }
            charge(worker, x);
        }
    }

    private static final class Thirty extends Piece {
        @Override
        void work(Worker worker, int times) {
            long x = 1;
            for (int i = 0; i < times; i++) {
                x = x * 6364136223846793005L + 1442695040888963407L;
            }
            charge(worker, x);
        }
    }

    private static final class Twenty extends Piece {
        @Override
        void work(Worker worker, int times) {
            double x = 1;
            for (int i = 0; i < times; i++) {
                x = 1 / (1 + x);
            }
            charge(worker, Double.doubleToRawLongBits(x));
        }
    }
}
