package verify;

/**
 * The work of one part of a Mix. Its method is compiled by itself, since it is called where many classes are: whatever a compiler
 * notes wrongly of the instructions in there, they are still this method's.
 */
abstract class Piece {
    private final String method;
    private int part;

    /** The part is the method work() of the class. */
    Piece() {
        method = getClass().getName() + ".work";
    }

    /** The part is another method, which takes nearly all the time of work(). */
    Piece(String method) {
        this.method = method;
    }

    /** Repeats the work so often; ends with charge(). */
    abstract void work(Worker worker, int times) throws Exception;

    /** Reads the clock within work(), for that takes time as well. The result goes where no compiler takes the work away. */
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
