/* The interface between the event halt and the code that uses JVMTI (entry/jvmti/jvmti_pauses.c), which fills `gc_events`; and the path of
 * a pause from there to the collector.
 *
 *   gc_events.open -> [ gc_pauses_begin gc_pauses_end ]* | gc_pauses_take* -> close (entry/jvmti/jvmti_pauses.h)
 *
 * begin and end are called by the JVM's thread that has stopped all others. There is one such thread at a time, so it is the only writer.
 * take is called by the agent's thread, which is the only reader. The functions do not wait or allocate, and their only system call reads
 * the time. A pause that finds the ring full is counted and dropped. */
#ifndef CANDOR_AGENT_TRIGGER_JVM_GC_PAUSES_H
#define CANDOR_AGENT_TRIGGER_JVM_GC_PAUSES_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct gc_events {
    /* Called on the agent's thread. Returns 0 or a negative errno with the remedy. */
    int (*open)(struct error *e);
    void (*close)(void);
};

extern struct gc_events gc_events; /* all NULL: there is no JVM */

enum { GC_PAUSES_MAX = 1024, GC_CAUSE_BYTES = 64, GC_NO_COLLECTOR = -1 };

struct gc_pause {
    uint64_t start_ns, end_ns;  /* CLOCK_MONOTONIC */
    int collector;              /* the index in counters.collectors of the collector whose counter rose meanwhile, or GC_NO_COLLECTOR */
    uint64_t operation;         /* the JVM's operation, as in work_operation; 0 = unknown */
    char cause[GC_CAUSE_BYTES]; /* "" = unknown */
};

/* Clears the ring and the losses, before open. No pause may begin or end meanwhile, except late calls after a close. */
void gc_pauses_reset(void);
void gc_pauses_begin(void);
void gc_pauses_end(void);
bool gc_pauses_take(struct gc_pause *out);
void gc_pauses_lost(uint64_t *count, uint64_t *ns);

#endif
