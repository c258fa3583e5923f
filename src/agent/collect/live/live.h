/* The collector's part of the event live: it watches sampled objects with weak references, and records the ones that are alive at the end.
 * It builds on the event alloc, whose samples bring the references.
 *
 * The number of references is bounded: by the number of objects that may be watched, as many again that wait to be released, and the
 * samples in the threads' queues. The JVM clears references as it collects; after a collection, and at most once a second, the agent's
 * thread checks which were cleared.
 *
 * The books (docs/formats/recording.md) count bytes of allocation samples: the objects of samples with a reference are watched, were found
 * dead, or were displaced. All functions run on the agent's thread. */
#ifndef CANDOR_AGENT_COLLECT_LIVE_LIVE_H
#define CANDOR_AGENT_COLLECT_LIVE_LIVE_H

#include "agent/collect/part.h"

#include <stddef.h>
#include <stdint.h>

enum { LIVE_MAX_DEFAULT = 1024 };

struct live_options {
    uint32_t max;      /* the most objects that are watched; 0 = LIVE_MAX_DEFAULT */
    uint64_t paths_ns; /* stopped time for the search for holders, at the recording's end; 0 = no search */
};

extern const struct part live_part;

/* Words of an allocation's record: of the virtual thread that allocated (hot/record.h), and then of the context (hot/context.h). */
struct live_words {
    size_t of_virtual, of_context; /* 0 = there are none */
    const uint64_t *words;
};

/* Adds a sampled allocation. The function takes over the reference; 0 = there is none. collections: live_collections at the time of the
 * allocation, which may be long ago. */
void live_take(const struct jfr_allocation_sample *s, uintptr_t reference, uint32_t collections, const struct live_words *more);

#endif
