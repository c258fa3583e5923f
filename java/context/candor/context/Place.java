package candor.context;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.atomic.AtomicInteger;

/** The state of a thread: its open scope, and its record. Only that thread uses this object. */
final class Place {
    private static final int NONE = -1, NEVER = -2;
    private static final MethodHandle IS_VIRTUAL = findIsVirtual();
    private static final ThreadLocal<Place> PLACES = new ThreadLocal<Place>() {
        @Override
        protected Place initialValue() {
            return new Place(Thread.currentThread());
        }
    };

    final Thread thread;
    private final long virtualId; /* 0 = it is not */
    private final AtomicInteger fence = new AtomicInteger();
    private int at = NONE;
    private Scope current;

    private Place(Thread thread) {
        this.thread = thread;
        virtualId = isVirtual(thread) ? thread.getId() : 0;
    }

    static Place here() {
        return PLACES.get();
    }

    Scope current() {
        return current;
    }

    /** Whether there is a record to write to. A virtual thread has one while a scope is open in it. */
    private boolean hasRecord() {
        if (at == NONE) {
            int taken = Native.take(virtualId);
            at = taken >= 0 ? taken : virtualId != 0 ? NONE : NEVER;
        }
        return at >= 0;
    }

    /** Returns false if the thread cannot have a record. */
    boolean open(Memory memory, Scope scope) {
        if (!hasRecord()) {
            return false;
        }
        current = scope;
        memory.write(at, scope, fence);
        return true;
    }

    /** It has changed. */
    void write(Memory memory, Scope scope) {
        if (scope == current) {
            memory.write(at, scope, fence);
        }
    }

    /** Closes the scope and those that were opened within it. If it is not open, nothing changes. */
    void close(Memory memory, Scope scope) {
        Scope open = current;
        while (open != null && open != scope) {
            open = open.previous;
        }
        if (open == null) {
            return;
        }
        current = scope.previous;
        memory.write(at, current, fence);
        if (current == null && virtualId != 0) {
            int given = at;
            at = NONE;
            Native.give(given, virtualId);
        }
    }

    private static MethodHandle findIsVirtual() {
        try {
            return MethodHandles.publicLookup().findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
        } catch (ReflectiveOperationException before21) {
            return null;
        }
    }

    private static boolean isVirtual(Thread thread) {
        try {
            return IS_VIRTUAL != null && (boolean) IS_VIRTUAL.invokeExact(thread);
        } catch (Throwable never) {
            return false;
        }
    }
}
