package verify;

/**
 * The work of one part of a Mix. Its method is compiled by itself, because it is called at a place with many classes. So even if a
 * compiler records wrong methods for the instructions in it, they still belong to this method.
 */
abstract class Piece {
    private final String method;
    private int part;

    /** The part is the method work() of the class. */
    Piece() {
        method = getClass().getName() + ".work";
    }

    /** The part is another method, which takes nearly all of the time of work(). */
    Piece(String method) {
        this.method = method;
    }

    /** Repeats the work this often; ends with charge(). */
    abstract void work(Worker worker, int times) throws Exception;

    /** Reads the clock within work(), because reading it takes time as well. The result is stored so that no compiler removes the work. */
    final void charge(Worker worker, long result) {
        Work.sink = result;
        worker.charge(part);
    }

    final String method() {
        return method;
    }

    final void number(int part) {
        this.part = part;
    }
}
