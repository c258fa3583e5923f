package verify;

/** Exceptions thrown twenty calls deep, caught at the top, beside plain arithmetic. Stacks are hard to walk while they unwind. */
final class Exceptions extends Mix {
    private static final int DEPTH = 20;

    Exceptions() {
        super(1, new String[] {"throwing", "plain"}, 1, 1);
    }

    @Override
    long piece(int part, int times) {
        return part == 0 ? throwing(times) : plain(times);
    }

    static long throwing(int times) {
        long caught = 0;
        for (int i = 0; i < times; i++) {
            try {
                caught += dive(i % DEPTH);
            } catch (IllegalStateException e) {
                caught++;
            }
        }
        return caught;
    }

    private static int dive(int depth) {
        if (depth == 0) {
            throw new IllegalStateException("at the bottom");
        }
        return dive(depth - 1) + 1;
    }

    static long plain(int times) {
        return Work.spin(times, times);
    }
}
