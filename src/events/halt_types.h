/* The table of events that report a halt, in which a thread wanted to continue and could not. Events have their JDK names. An event that
 * a recording does not have is simply missing. */
#ifndef CANDOR_EVENTS_HALT_TYPES_H
#define CANDOR_EVENTS_HALT_TYPES_H

#include <stdbool.h>
#include <stddef.h>

enum halt_kind {
    HALT_SAFEPOINT,
    HALT_VM_OPERATION,
    HALT_GC,
    HALT_GC_PHASE,
    HALT_VM_OPERATION_BESIDE, /* an operation of the VM's thread, while the other threads run */
    HALT_SAFEPOINTS_COUNTED,  /* the JVM's counters over an interval: the number and the duration of safepoints, without their times */
    HALT_MONITOR,
    HALT_WAIT,
    HALT_PARK,
    HALT_SLEEP,
    HALT_PINNED,
    HALT_ALLOCATION,
    HALT_SOCKET_READ,
    HALT_SOCKET_WRITE,
    HALT_FILE_READ,
    HALT_FILE_WRITE,
    HALT_FILE_FORCE,
    HALT_CLASS_LOAD,
    HALT_DEOPTIMIZATION,
    HALT_EXCEPTION,
    HALT_KINDS
};

enum halt_scope {
    HALT_OF_ALL,    /* no thread runs Java code */
    HALT_OF_PART,   /* a part of such a halt, or concurrent with the threads, or at an unknown time: it adds nothing to the time stopped */
    HALT_OF_THREAD, /* one thread waits */
    HALT_OF_MOMENT, /* an event without a duration, which matters if there are many */
};

struct halt_kind_info {
    const char *name; /* "gc_pause": in JSON, and on the command line */
    const char *words;
    enum halt_scope scope;
};

extern const struct halt_kind_info halt_kinds[HALT_KINDS];

enum { HALT_WHAT_MAX = 3 };

/* An event that is a halt by itself. */
struct halt_type {
    const char *event;
    enum halt_kind kind;
    const char *what[HALT_WHAT_MAX]; /* the fields with the halt's purpose; absent fields are left out */
    const char *by;                  /* the field with the thread that caused the wait, or NULL */
    const char *bytes;               /* the field with the number of bytes, or NULL */
};

extern const struct halt_type halt_types[];
extern const size_t halt_type_count;

#endif
