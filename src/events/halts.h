/* Reads the halts of a recording: the stops of all threads, and the waits of single threads, each with its time, its cause and the
 * thread that requested it.
 *
 *   halts_read -> read the list, halts_text ... -> halts_deinit
 *
 * Information that the JVM splits over several events is combined here (halt_join.c):
 *
 *   GC pause    its collector and cause, from the collection with the same number; the thread that requested it, from the call of
 *               System.gc() or from the operation that the pause belongs to
 *   safepoint   its time, from the start of the SafepointBegin event to the end of the SafepointEnd event, or, if that was not recorded,
 *               to the end of the last operation in the safepoint; the time until all threads had stopped; and, if the recording has
 *               samples of that time, the late threads and their places (halt_late.c)
 *
 * A halt that both sources report, the JDK's recorder and Candor's agent, counts once. Pauses are taken from the JDK, which knows their
 * parts and the requester. Waits for monitors and parks are taken from the agent if it records them, because it knows the owner and also
 * records short waits. However, a wait that had not ended when the agent's recording ended is taken from the JDK, if the JDK has it. If
 * the JDK's chunks follow Candor's own in a recording, the recording's time is that of Candor's chunks.
 *
 * Memory: about 100 bytes for each such event of the file, plus the texts. */
#ifndef CANDOR_EVENTS_HALTS_H
#define CANDOR_EVENTS_HALTS_H

#include "base/strtab.h"
#include "events/halt_types.h"
#include "jfr/read/pass.h"

#include <stdint.h>

struct halt {
    int64_t start_ns; /* since the epoch */
    uint64_t ns;
    uint64_t id;                     /* number of the collection or the safepoint; 0 = none */
    uint64_t sync_ns;                /* for a safepoint: the time until all threads had stopped */
    uint64_t sync_from_ns;           /* time from its start until the JVM began to ask the threads to stop */
    uint64_t late_ns;                /* CPU time of all late threads in sync_ns, as far as samples weigh it */
    uint64_t late_thread_ns;         /* CPU time of the late thread that ran longest */
    uint64_t bytes;                  /* bytes that were read, written, or requested */
    uint64_t count;                  /* for HALT_SAFEPOINTS_COUNTED the number of safepoints; otherwise 1 */
    uint32_t what;                   /* this and the following: string ids, 0 = unknown */
    uint32_t thread;                 /* the waiting thread */
    uint32_t by;                     /* the thread that requested the halt, or that caused the wait */
    uint32_t context, by_context;    /* what those two threads worked for, if the agent reported the wait: labels, "endpoint=GET /cart;
                                      * trace_id=..." (docs/formats/recording.md) */
    uint32_t site;                   /* the place in the program of the waiting thread, or otherwise of the requesting thread */
    uint32_t late;                   /* for a safepoint: the late threads, which still ran, and their places */
    uint32_t late_thread, late_site; /* the late thread that ran longest, and its place */
    uint8_t kind;                    /* enum halt_kind */
    bool sync_known; /* otherwise sync_ns is the safepoint's whole beginning, including the JVM's work before it asked any thread */
    bool told_by_agent;
    bool is_open; /* a wait that had not ended when the agent's recording ended, reported up to that time */
};

struct halts {
    struct strtab strings;
    struct halt *list; /* by start; among halts with the same start the longest first */
    uint32_t count, cap;
    int64_t start_ns; /* start of the recording */
    uint64_t duration_ns;
    uint32_t told_twice;       /* number of the agent's pauses that the JDK reported, too */
    uint32_t waits_told_twice; /* number of waits for monitors, and parks, that both reported */
    uint32_t unplaced;         /* number of collections that had pauses, but whose pauses were not recorded */
    uint64_t unplaced_ns;      /* total duration of those pauses */
    bool joined;               /* a recording of Candor, followed by the JDK's chunks, which may contain earlier and later times */
    int64_t jdk_start_ns;      /* if so, the start of the first of these chunks, which may be before or after the recording's; 0 = none */
};

/* Reads the halts of a file. Returns 0 or a negative code with e. Call halts_deinit in any case. Damage is added to problems. */
int halts_read(struct halts *h, const struct jfr_file *file, struct jfr_problems *problems, struct error *e);
/* Does the same in one pass with other readers, at most HALTS_OTHERS_MAX. */
enum { HALTS_OTHERS_MAX = 4 };
int halts_read_beside(struct halts *h, const struct jfr_file *file, const struct pass_reader *others, uint32_t count,
                      struct jfr_problems *problems, struct error *e);
/* Does the same in a pass that the caller runs: halts_begin, halts_take for each chunk (struct pass_reader), halts_end in any case. Without
 * halts of single threads, except for those of these kinds (1 << HALT_...), and without who was late at safepoints. Return 0 or -ENOMEM. */
struct halts_reading;
int halts_begin(struct halts_reading **out, struct halts *h, unsigned kinds);
int halts_take(void *reading, struct jfr_chunk *chunk);
int halts_end(struct halts_reading *r);
void halts_deinit(struct halts *h);

static inline const char *halts_text(const struct halts *h, uint32_t string)
{
    return strtab_text(&h->strings, string);
}

static inline enum halt_scope halt_scope(const struct halt *h)
{
    return halt_kinds[h->kind].scope;
}

static inline int64_t halt_end(const struct halt *h)
{
    return h->start_ns + (int64_t)h->ns;
}

#endif
