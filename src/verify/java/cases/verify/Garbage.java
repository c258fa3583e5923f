package verify;

/**
 * Two threads that do little but allocate, in two methods, and are stopped by the garbage collector all the time. Samplers that need the
 * heap or the stacks to be at rest lose these samples.
 */
final class Garbage extends Mix {
    private static volatile Object kept;

    Garbage() {
        super(2, new int[] {3, 2}, new Nodes(), new Arrays());
    }

    private static final class Node {
        final Node next;
        final long value;

        Node(Node next, long value) {
            this.next = next;
            this.value = value;
        }
    }

    /** A list of up to a thousand. */
    private static final class Nodes extends Piece {
        @Override
        void work(Worker worker, int times) {
            Node head = null;
            for (int i = 0; i < times; i++) {
                head = new Node((i & 1023) == 0 ? null : head, i);
            }
            kept = head;
            charge(worker, head.value);
        }
    }

    private static final class Arrays extends Piece {
        @Override
        void work(Worker worker, int times) {
            int[][] living = new int[64][];
            for (int i = 0; i < times; i++) {
                living[i & 63] = new int[1 + i % 200];
            }
            kept = living;
            charge(worker, living.length);
        }
    }
}
