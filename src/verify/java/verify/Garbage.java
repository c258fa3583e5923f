package verify;

/**
 * Two threads that do little but allocate, in two methods, and are stopped by the garbage collector all the time. Samplers that
 * need the heap or the stacks at rest lose what they meet here.
 */
final class Garbage extends Mix {
    private static volatile Object kept;

    private static final class Node {
        final Node next;
        final long value;

        Node(Node next, long value) {
            this.next = next;
            this.value = value;
        }
    }

    Garbage() {
        super(2, new String[] {"nodes", "arrays"}, 3, 2);
    }

    @Override
    long piece(int part, int times) {
        return part == 0 ? nodes(times) : arrays(times);
    }

    /** A list of up to a thousand. */
    static long nodes(int times) {
        Node head = null;
        for (int i = 0; i < times; i++) {
            head = new Node((i & 1023) == 0 ? null : head, i);
        }
        kept = head;
        return head.value;
    }

    static long arrays(int times) {
        int[][] living = new int[64][];
        for (int i = 0; i < times; i++) {
            living[i & 63] = new int[1 + i % 200];
        }
        kept = living;
        return living.length;
    }
}
