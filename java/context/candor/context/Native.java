package candor.context;

import java.nio.ByteBuffer;

/** What the agent offers. Without it each of these ends in an UnsatisfiedLinkError, also once it has come, until it is called again. */
final class Native {
    private Native() {
    }

    /** The memory of all threads' records; null when there is none. */
    static native ByteBuffer memory();

    /**
     * Where in it the calling thread's record lies; negative: it can have none. virtualId: the thread's id if it is virtual, which then has
     * the record until give; else 0.
     */
    static native int take(long virtualId);

    static native void give(int at, long virtualId);

    /** The number of a label's key; negative: there are too many, or it is no key. */
    static native int key(String name);
}
