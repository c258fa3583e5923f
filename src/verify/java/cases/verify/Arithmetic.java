package verify;

/** Beside work of other kinds. */
final class Arithmetic extends Piece {
    @Override
    void work(Worker worker, int times) {
        charge(worker, Work.spin(times, times));
    }
}
