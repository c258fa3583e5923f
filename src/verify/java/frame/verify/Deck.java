package verify;

import java.util.SplittableRandom;

/**
 * Parts in random order. In each pass through the deck a part comes as often as its weight says: the shares are as intended, and there
 * is no phase with which a clock could be in step.
 */
final class Deck {
    private final int[] cards;
    private final SplittableRandom random;
    private int next;

    Deck(long seed, int... weights) {
        random = new SplittableRandom(seed);
        int size = 0;
        for (int weight : weights) {
            size += weight;
        }
        cards = new int[size];
        for (int part = 0, i = 0; part < weights.length; part++) {
            for (int j = 0; j < weights[part]; j++) {
                cards[i++] = part;
            }
        }
    }

    int size() {
        return cards.length;
    }

    int next() {
        if (next == 0) {
            for (int i = cards.length - 1; i > 0; i--) {
                int j = random.nextInt(i + 1);
                int card = cards[i];
                cards[i] = cards[j];
                cards[j] = card;
            }
            next = cards.length;
        }
        return cards[--next];
    }
}
