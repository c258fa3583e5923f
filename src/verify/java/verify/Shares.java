package verify;

/** Half, three tenths and a fifth of the time in methods of like work. Who is wrong here is wrong everywhere. */
final class Shares extends Mix {
    Shares(int threads) {
        super(threads, new String[] {"fifty", "thirty", "twenty"}, 5, 3, 2);
    }

    @Override
    long piece(int part, int times) {
        switch (part) {
        case 0:
            return fifty(times);
        case 1:
            return thirty(times);
        default:
            return twenty(times);
        }
    }

    static long fifty(int times) {
        long x = 88172645463325252L;
        for (int i = 0; i < times; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    static long thirty(int times) {
        long x = 1;
        for (int i = 0; i < times; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
        }
        return x;
    }

    static long twenty(int times) {
        double x = 1;
        for (int i = 0; i < times; i++) {
            x = 1 / (1 + x);
        }
        return Double.doubleToRawLongBits(x);
    }
}
