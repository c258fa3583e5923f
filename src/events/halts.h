/* The halts of a recording: what stopped all threads, and what single threads waited for, each with its time, its cause and the
 * requester.
 *
 *   halts_read -> halts_count | halts_cover, halt_text ... -> halts_deinit
 *
 * Information that the JVM splits over several events is combined here (halt_join.c):
 *
 *   GC pause    its collector and cause, from the collection with the same number; who asked, from the call of System.gc() or from the
 *               operation that it is a part of
 *   safepoint   from the begin of its begin to the end of its end, or of the last operation in it, if the end was not recorded; how long
 *               it took until all threads stood, and, where the recording has samples of that time, of whom and where (halt_late.c)
 *
 * Halts that both sources report, the JDK's recorder and our agent, count once. Pauses are taken from the JDK, which knows
 * their parts and the requester. Waits for monitors and parks are taken from the agent if it records them, because it knows the
 * owner and has short ones too; but a wait that went on at the agent's end is taken from the JDK, if it has it. If the JDK's
 * chunks follow our own in a recording, its time is that of our chunks.
 *
 * Memory: about 90 bytes for each such event of the file, and the texts. */
#ifndef CANDOR_EVENTS_HALTS_H
#define CANDOR_EVENTS_HALTS_H

#include "base/strtab.h"
#include "events/halt_types.h"
#include "jfr/read/reader.h"

#include <stdint.h>

struct halt {
    int64_t start_ns; /* since the epoch */
    uint64_t ns;
    uint64_t id;                     /* of the collection or the safepoint; 0 = none */
    uint64_t sync_ns;                /* of a safepoint: until all threads stood */
    uint64_t sync_from_ns;           /* since its start: when the JVM began to ask them to */
    uint64_t late_ns;                /* of it: the CPU time of all that were late, as far as samples weigh it */
    uint64_t late_thread_ns;         /* and of the one that ran longest */
    uint64_t bytes;                  /* read, written, or asked for */
    uint64_t count;                  /* HALT_SAFEPOINTS_COUNTED: how many; else 1 */
    uint32_t what;                   /* this and the next: ids of strings, 0 = unknown */
    uint32_t thread;                 /* the waiting thread */
    uint32_t by;                     /* the thread that asked for it, or holds it up */
    uint32_t site;                   /* the place in the program: of the waiting thread, or otherwise of the one that asked */
    uint32_t late;                   /* for a safepoint: the threads that still ran meanwhile, and where */
    uint32_t late_thread, late_site; /* of these, the one that ran longest */
    uint8_t kind;                    /* enum halt_kind */
    bool sync_known; /* otherwise sync_ns is the safepoint's whole beginning, including the JVM's work before it asked any thread */
    bool told_by_agent;
    bool is_open; /* a wait that went on when the agent's recording ended, reported up to that time */
};

struct halts {
    struct strtab strings;
    struct halt *list; /* by start; of those that start together the longest first */
    uint32_t count, cap;
    int64_t start_ns; /* of the recording */
    uint64_t duration_ns;
    uint32_t told_twice;       /* pauses from the agent that the JDK reported, too */
    uint32_t waits_told_twice; /* monitors and parks that both reported */
    uint32_t unplaced;         /* collections whose pauses were not recorded, though there were some */
    uint64_t unplaced_ns;      /* and those pauses together */
    bool joined;               /* a recording of ours, with the JDK's chunks behind it, which may tell of times before ours and after */
};

/* 0 or a negative code; halts_deinit in any case. Damage goes into problems. */
int halts_read(struct halts *h, const struct jfr_file *file, struct jfr_problems *problems, struct error *e);
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
