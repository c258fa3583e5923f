/* The names that writer and readers of a Candor recording share. The events and their fields are described in
 * docs/formats/recording.md; the tables that spell them out for the file's metadata are in schema.c. */
#ifndef CANDOR_JFR_SCHEMA_H
#define CANDOR_JFR_SCHEMA_H

#include "base/agreed/recorded_events.h"

#include <stdbool.h>
#include <stdint.h>

/* The types of frames (jdk.types.FrameType), with the description that other tools show. */
enum jfr_frame_type {
    JFR_FRAME_INTERPRETED, /* "Interpreted" */
    JFR_FRAME_C1,          /* "C1 compiled" */
    JFR_FRAME_C2,          /* "JIT compiled" */
    JFR_FRAME_INLINED,     /* "Inlined" */
    JFR_FRAME_NATIVE,      /* "Native" */
    JFR_FRAME_STUB,        /* "Stub" */
    JFR_FRAME_KERNEL,      /* "Kernel" */
    JFR_FRAME_FAILED,      /* "Failed": a pseudo frame; the class is the reason, the method the symbol of the pc */
    JFR_FRAME_PSEUDO,      /* "Pseudo": the work of one of the JVM's own threads, at its root; the class is "JVM", the method the work */
    /* Approximate frames, in the order of those above. Their code has debug information only for calls. The true line, and the method that
     * was inlined there, may be different. */
    JFR_FRAME_C1_APPROXIMATE,      /* "C1 compiled (approximate)" */
    JFR_FRAME_C2_APPROXIMATE,      /* "JIT compiled (approximate)" */
    JFR_FRAME_INLINED_APPROXIMATE, /* "Inlined (approximate)" */
    JFR_FRAME_JAVA,                /* "Java": a method of which it is unknown whether it is compiled */
    JFR_FRAME_TYPES
};

/* How a type is stored: by its key in the file's pool of types and, if several types share the key, by a mark above the bits of the
 * bytecodeIndex. Keys up to 6 mean the same as in recordings of async-profiler, whose converter uses the number. */
struct jfr_frame_form {
    uint8_t key, mark; /* mark: 0 = none; then the pool has the type's name */
};
enum { JFR_BCI_BITS = 16 };
extern const struct jfr_frame_form jfr_frame_forms[JFR_FRAME_TYPES];

/* jdk.types.ThreadState. */
enum jfr_thread_state {
    JFR_STATE_UNKNOWN,  /* "STATE_UNKNOWN" */
    JFR_STATE_JAVA,     /* "STATE_RUNNABLE": running Java code */
    JFR_STATE_NATIVE,   /* "STATE_IN_NATIVE": a Java thread in native code */
    JFR_STATE_VM,       /* "STATE_IN_VM": a Java thread inside the JVM */
    JFR_STATE_BLOCKED,  /* "STATE_BLOCKED" */
    JFR_STATE_NOT_JAVA, /* "STATE_NOT_JAVA": a thread that Java does not know (GC, JIT, native) */
    JFR_STATE_MONITOR,  /* "STATE_BLOCKED_ON_MONITOR_ENTER" */
    JFR_STATE_WAITING,  /* "STATE_IN_OBJECT_WAIT" */
    JFR_STATE_PARKED,   /* "STATE_PARKED" */
    JFR_STATE_SLEEPING, /* "STATE_SLEEPING" */
    JFR_STATE_READY,    /* "STATE_WAITING_FOR_CPU": it can run, but has no processor */
    JFR_STATE_IO,       /* "STATE_IN_NATIVE_IO": it waits in a native method that reads, writes or polls */
    JFR_STATES
};

/* Whether a thread was running, and whether it was waiting, for samples of the events safepoint and wall, which include both. In samples of
 * the event safepoint, a running thread is one that the JVM considers running. */
static inline bool jfr_state_runs(enum jfr_thread_state state)
{
    return state == JFR_STATE_JAVA || state == JFR_STATE_NATIVE || state == JFR_STATE_VM;
}

static inline bool jfr_state_waits(enum jfr_thread_state state)
{
    return state == JFR_STATE_BLOCKED || (state >= JFR_STATE_MONITOR && state <= JFR_STATE_IO);
}

/* Events that a recording will not have, and whose types it therefore does not declare (schema_table.h), because each chunk repeats the
 * declarations. The JDK's recorder may append events of the same names, and Mission Control renames a type whose fields differ from those
 * in the chunk before. */
#define JFR_WITHOUT_BIT(symbol, name) JFR_WITHOUT_##symbol = 1 << RECORDING_EVENT_##symbol,
enum jfr_without {
    RECORDING_EVENT_ROWS(JFR_WITHOUT_BIT)            /* one for each event */
    JFR_WITHOUT_COUNTS = 1 << RECORDING_EVENT_COUNT, /* candor.EventSample */
    JFR_WITHOUT_CODE = JFR_WITHOUT_COUNTS << 1,
    JFR_WITHOUT_BASES = JFR_WITHOUT_COUNTS << 2,
    JFR_WITHOUT_EVENTS = JFR_WITHOUT_COUNTS - 1 /* all events of recorded_events.h */
};

/* The descriptor of frames that are not Java methods. `jfr print` of the JDK stops with an exception at a descriptor without parentheses.
 * This one belongs to no real method, and async-profiler writes it, so tools can handle it. */
#define JFR_NO_DESCRIPTOR "()L;"

extern const char *const jfr_frame_type_names[JFR_FRAME_TYPES];
/* Returns the type of a frame with this bytecodeIndex, whose type in the pool is `type`. */
enum jfr_frame_type jfr_frame_type_marked(enum jfr_frame_type type, int32_t bci);
/* Returns a bytecodeIndex without its mark. */
static inline int32_t jfr_frame_bci(int32_t bci)
{
    return bci > 0 ? bci & ((1 << JFR_BCI_BITS) - 1) : bci;
}
extern const char *const jfr_thread_state_names[JFR_STATES];

#endif
