/* The input of the rules: the samples of each kind in a recording, its halts, and the events that were enabled.
 *
 * Rules are pure functions of this input. Tests build it by hand. */
#ifndef CANDOR_ANALYSIS_EVIDENCE_H
#define CANDOR_ANALYSIS_EVIDENCE_H

#include "base/agreed/reasons.h"
#include "events/halts.h"
#include "events/figures/jvm_info.h"
#include "events/figures/readings.h"
#include "events/recorded.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

/* The sources of data that a recording may have. */
enum source {
    SOURCE_CPU,
    SOURCE_WALL,
    SOURCE_LOCKS,  /* the times for which threads waited for locks */
    SOURCE_OWNERS, /* the holders of these locks, cycles of waiting threads, and samples of the holders */
    SOURCE_PARKS,  /* parks among these waits */
    SOURCE_PAUSES,
    SOURCE_SAFEPOINTS, /* all safepoints, however short */
    SOURCE_ASKED,      /* the times when threads were asked to stop */
    SOURCE_SOCKETS,
    SOURCE_FORCES,
    SOURCE_PINNED,
    SOURCE_ALLOC,
    SOURCE_LIVE, /* allocated objects that are alive */
    SOURCE_THROWS,
    SOURCE_THROWN, /* the classes of all exceptions, not only of errors */
    SOURCE_WRITES, /* to sockets */
    SOURCE_FILES,  /* reads and writes of files */
    SOURCE_STALLS, /* allocations that wait */
    SOURCE_DEOPTS,
    SOURCE_ERRORS,
    SOURCE_OPERATIONS, /* operations of the JVM that stop all threads */
    SOURCE_CONTAINER,  /* the container's limits, and their use */
    SOURCE_STATISTICS, /* the number of classes and of threads */
    SOURCE_SWITCHES,   /* the number of context switches of the machine */
    SOURCE_FULL,       /* a full memory for code or classes */
    SOURCE_SUBMITS,    /* virtual threads that could not continue */
    SOURCE_OVERRUNS,   /* collections that ran out of room */
    SOURCE_REDEFINED,
    SOURCE_PROCESSES,
    SOURCE_LOSSES, /* data that the JDK's recorder lost */
    SOURCE_FLAGS,  /* the JVM's command line */
    SOURCE_GROWTH, /* whether live objects grow: old objects were collected in each quarter, or the heap does not grow */
    SOURCES
};

struct source_info {
    const char *words;
    const char *remedy; /* the command that records this source */
};

extern const struct source_info source_infos[SOURCES];

#define SOURCE_BIT(source) (1u << (source))
_Static_assert(SOURCES <= 32, "sources are bits of a word");

struct evidence {
    unsigned sources;          /* bits by enum source; the data of an enabled source may be empty */
    const struct profile *cpu; /* NULL = there are no samples of this kind, here and below */
    const struct profile *wall;
    struct profile *lock; /* locks.h adds strings to it */
    const struct profile *holder;
    const struct profile *alloc;
    const struct profile *live;
    const struct halts *halts; /* NULL = none */
    struct recorded_throws throws;
    uint64_t jvm_errors[JVM_ERROR_COUNT]; /* number of Errors that the JVM itself threw in the whole recording; 0 = none, or unknown */
    const struct reading *readings;       /* in order of time */
    uint32_t reading_count;
    const struct jvm_info *jvm; /* NULL = the recording has no information on it */
    uint32_t processors;        /* number of the machine's processors; 0 = unknown */
    uint64_t duration_ns;       /* of the recording */
    uint64_t jdk_ns;            /* the part of it in which the JDK's recorder took part, if that began late; 0 = all of it */
    int64_t start_ns;           /* since the epoch; 0 = unknown */
    int64_t jvm_start_ns;       /* since the epoch; 0 = unknown */
};

static inline bool evidence_has(const struct evidence *e, enum source source)
{
    return e->sources & SOURCE_BIT(source);
}

/* Returns the time in which the JDK's events could occur. */
static inline double evidence_jdk_ns(const struct evidence *e)
{
    return (double)(e->jdk_ns ? e->jdk_ns : e->duration_ns);
}

#endif
