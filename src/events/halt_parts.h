/* The pieces of halts in the events of a file, before halt_join.c combines them. The inside of halts_read. */
#ifndef CANDOR_EVENTS_HALT_PARTS_H
#define CANDOR_EVENTS_HALT_PARTS_H

#include "base/map.h"
#include "events/halts.h"
#include "jfr/read/once.h"

/* Times and durations within these limits can be added without overflow. */
#define HALT_MOMENT_MAX (INT64_MAX / 2)
#define HALT_SPAN_MAX   (INT64_MAX / 4)

static inline int64_t halt_moment(int64_t ns)
{
    return ns < -HALT_MOMENT_MAX ? -HALT_MOMENT_MAX : ns > HALT_MOMENT_MAX ? HALT_MOMENT_MAX : ns;
}

static inline uint64_t halt_span(int64_t from, int64_t to)
{
    uint64_t ns = to > from ? (uint64_t)to - (uint64_t)from : 0;
    return ns < HALT_SPAN_MAX ? ns : HALT_SPAN_MAX;
}

/* jdk.GarbageCollection */
struct halt_collection {
    int64_t start_ns;
    uint64_t ns, id, pauses_ns;
    uint32_t name, cause;
    bool told_by_agent; /* then it is one pause */
    bool used;
};

/* jdk.SafepointBegin, jdk.SafepointStateSynchronization, jdk.SafepointEnd */
struct halt_edge {
    int64_t start_ns;
    uint64_t ns, id;
    enum halt_edge_kind { HALT_EDGE_BEGIN, HALT_EDGE_SYNC, HALT_EDGE_END } kind;
};

/* jdk.SystemGC: a call of it, from its beginning to its end. */
struct halt_call {
    int64_t start_ns;
    uint64_t ns;
    uint32_t thread, site;
};

/* When the agent recorded waits for monitors, and with parks those, too. */
struct halt_watch {
    int64_t from_ns, to_ns;
    int64_t monitors_to_ns, parks_to_ns; /* how far this one reaches, or one that began before it; by halt_join.c */
    bool parks;
};

enum { HALT_TEXT_MAX = 4096 };

struct halt_parts {
    struct halt_collection *collections;
    struct halt_edge *edges;
    struct halt_call *calls;
    struct halt_watch *watches;
    uint32_t collection_count, collection_cap, edge_count, edge_cap, call_count, call_cap, watch_count, watch_cap;
};

void halt_parts_deinit(struct halt_parts *p);

/* A thread's name, or "[123]" if it has none; and the frames of a stack that show the place in the program: "shop.Pool.take:42 <
 * shop.Cart.pay:17". The id is 0 if there is none. context: struct halts. 0 or -ENOMEM. */
int halt_thread(void *context, struct jfr_value thread, uint32_t *id);
int halt_site(void *context, struct jfr_value stack, uint32_t *id);
/* The id that `make` makes of the event's field; *rc becomes -ENOMEM if it cannot. known: the values that this maker has already made
 * for this chunk. */
uint32_t halt_cached(struct halts *h, struct map *known, struct jfr_event *event, const char *field, jfr_make *make, int *rc);
/* Interns a text, at most its first HALT_TEXT_MAX bytes; *rc becomes -ENOMEM if it cannot. */
uint32_t halt_string(struct halts *h, const char *text, size_t len, int *rc);

/* Appends; 0 or -ENOMEM. */
int halts_add(struct halts *h, const struct halt *one);
void halts_sort(struct halts *h);

/* Completes the halts that were read with data from the parts, and adds the halts that only the parts contain. 0 or -ENOMEM. */
int halt_join(struct halts *h, struct halt_parts *p);

/* Which threads were late at safepoints that took long to reach, from the samples of that time. Reads the file a second time if
 * there is any such safepoint. 0 or a negative code. */
int halt_late(struct halts *h, const struct jfr_file *file, struct error *e);

#endif
