/* The input of the rules: the samples of each kind in a recording, its halts, and which events were enabled.
 *
 * Rules are pure functions of it; tests build one by hand. */
#ifndef CANDOR_ANALYSIS_EVIDENCE_H
#define CANDOR_ANALYSIS_EVIDENCE_H

#include "events/halts.h"
#include "events/figures/jvm_info.h"
#include "events/figures/readings.h"
#include "events/recorded.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

/* What a recording may have been asked for. */
enum source {
    SOURCE_CPU,
    SOURCE_WALL,
    SOURCE_LOCKS,  /* how long threads waited for locks */
    SOURCE_OWNERS, /* and their holders, in which cycles, and what the holders did */
    SOURCE_PARKS,  /* of these waits those that are parks */
    SOURCE_PAUSES,
    SOURCE_SAFEPOINTS, /* all of them, however short */
    SOURCE_ASKED,      /* when threads were asked to stop */
    SOURCE_SOCKETS,
    SOURCE_FORCES,
    SOURCE_PINNED,
    SOURCE_ALLOC,
    SOURCE_LIVE, /* which of it is alive */
    SOURCE_THROWS,
    SOURCE_THROWN, /* which exceptions they were, and not only errors */
    SOURCE_WRITES, /* to sockets */
    SOURCE_FILES,  /* reads and writes of them */
    SOURCE_STALLS, /* allocations that wait */
    SOURCE_DEOPTS,
    SOURCE_ERRORS,
    SOURCE_OPERATIONS, /* of the JVM, which stop all threads */
    SOURCE_CONTAINER,  /* what it allows, and what was used of it */
    SOURCE_STATISTICS, /* classes, threads and their switches, by number */
    SOURCE_FULL,       /* memory for code and for classes */
    SOURCE_SUBMITS,    /* virtual threads that could not go on */
    SOURCE_OVERRUNS,   /* collections that had no room */
    SOURCE_REDEFINED,
    SOURCE_PROCESSES,
    SOURCE_LOSSES, /* of the JDK's recorder */
    SOURCE_FLAGS,  /* the JVM's command line */
    SOURCES
};

struct source_info {
    const char *words;
    const char *remedy; /* the command that records it */
};

extern const struct source_info source_infos[SOURCES];

#define SOURCE_BIT(source) (1u << (source))

struct evidence {
    unsigned sources;          /* bits; what follows may be empty all the same */
    const struct profile *cpu; /* NULL = there are no samples of it, here and below */
    const struct profile *wall;
    struct profile *lock; /* locks.h adds strings to it */
    const struct profile *holder;
    const struct profile *alloc;
    const struct profile *live;
    const struct halts *halts; /* NULL = none */
    struct recorded_throws throws;
    const struct reading *readings; /* in order of time */
    uint32_t reading_count;
    const struct jvm_info *jvm; /* NULL = the recording does not tell of it */
    uint32_t processors;        /* of the machine; 0 = unknown */
    uint64_t duration_ns;       /* of the recording */
    int64_t start_ns;           /* since the epoch; 0 = unknown */
    int64_t jvm_start_ns;       /* the same */
};

static inline bool evidence_has(const struct evidence *e, enum source source)
{
    return e->sources & SOURCE_BIT(source);
}

#endif
