package candor.context;

import java.nio.ByteBuffer;

/**
 * The functions that the agent offers. Without the agent each of them throws an UnsatisfiedLinkError; when the agent has come, the next
 * call works.
 */
final class Native {
    private Native() {
    }

    /** The memory of all threads' records; null if there is none. */
    static native ByteBuffer memory();

    /**
     * The place of the calling thread's record in that memory; negative: it cannot have one. virtualId: the id of a virtual thread,
     * which then has the record until give(); otherwise 0.
     */
    static native int take(long virtualId);

    static native void give(int at, long virtualId);

    /** The number of a label's key; negative: there are too many keys, or it is not a valid key. */
    static native int key(String name);
}
