package verify;

/** A program with known true shares. */
interface Case {
    /** Runs one round of about round.budget nanoseconds of CPU time, and reports its true times to round. */
    void round(Round round) throws Exception;

    /** Why this JVM cannot run it, or null. */
    default String unavailable() {
        return null;
    }
}
