/* Which events report a halt, in which a thread wanted to continue and could not. By their JDK names; events that a recording
 * does not have are simply missing. */
#ifndef CANDOR_EVENTS_HALT_TYPES_H
#define CANDOR_EVENTS_HALT_TYPES_H

#include <stdbool.h>
#include <stddef.h>

enum halt_kind {
    HALT_SAFEPOINT,
    HALT_VM_OPERATION,
    HALT_GC,
    HALT_GC_PHASE,
    HALT_VM_OPERATION_BESIDE, /* of the VM's thread, while the others run */
    HALT_SAFEPOINTS_COUNTED,  /* the JVM's counters over a while: how many there were and how long, not when */
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
    HALT_OF_PART,   /* a part of such a halt, or beside the threads, or at no known place: it adds nothing to the time stopped */
    HALT_OF_THREAD, /* one thread waits */
    HALT_OF_MOMENT, /* it has no duration; many of them are a storm */
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
    const char *what[HALT_WHAT_MAX]; /* the fields that say what for; those that are absent are left out */
    const char *by;                  /* the field with the thread that holds it up, or NULL */
    const char *bytes;               /* the field with how many, or NULL */
};

extern const struct halt_type halt_types[];
extern const size_t halt_type_count;

#endif
