/** A program that is in order, for cases whose problem is in the command line of the JVM. */
public final class Flags {
    private Flags() {
    }

    static void calm(boolean planted) {
        Case.repeat(2, "worker", () -> {
            Case.compute(100);
            Case.think(10);
        });
    }

    public static void main(String[] args) throws Exception {
        Case.main(Flags.class, args);
    }
}
