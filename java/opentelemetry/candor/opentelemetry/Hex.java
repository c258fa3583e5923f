package candor.opentelemetry;

final class Hex {
    private Hex() {
    }

    /** Sixteen digits from that place on; 0 if there are fewer, or one of them is not a digit. */
    static long parse(String text, int from) {
        long number = 0;
        if (text.length() < from + 16) {
            return 0;
        }
        for (int i = from; i < from + 16; i++) {
            int digit = Character.digit(text.charAt(i), 16);
            if (digit < 0) {
                return 0;
            }
            number = number << 4 | digit;
        }
        return number;
    }
}
