package verify;

/** A program whose truth is known. */
interface Case {
    /** One round of about round.budget nanoseconds of CPU time; tells the truth of it to round. */
    void round(Round round) throws Exception;

    /** Why this JVM cannot run it, or null. */
    default String unavailable() {
        return null;
    }
}
