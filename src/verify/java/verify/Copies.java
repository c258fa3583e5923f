package verify;

/** Very many copies of 16 to 64 bytes beside as much arithmetic: the time is in the way to the stub and back as much as in it. */
final class Copies extends Mix {
    private static final byte[] SOURCE = new byte[1024];
    private static final byte[] TARGET = new byte[1024];

    Copies() {
        super(1, new String[] {"copy", "arithmetic"}, 1, 1);
    }

    @Override
    long piece(int part, int times) {
        return part == 0 ? copy(times) : arithmetic(times);
    }

    static long copy(int times) {
        for (int i = 0; i < times; i++) {
            System.arraycopy(SOURCE, i & 511, TARGET, i & 31, 16 + i % 49);
        }
        return TARGET[times & 63];
    }

    static long arithmetic(int times) {
        return Work.spin(times, times);
    }
}
