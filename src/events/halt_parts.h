/* The pieces of halts in the events of a file, before halt_join.c combines them. Only halts_read and its helpers use them. */
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
    bool told_by_agent; /* the agent reported it; it is then a single pause */
    bool used;
};

/* jdk.SafepointBegin, jdk.SafepointStateSynchronization, jdk.SafepointEnd */
struct halt_edge {
    int64_t start_ns;
    uint64_t ns, id;
    enum halt_edge_kind { HALT_EDGE_BEGIN, HALT_EDGE_SYNC, HALT_EDGE_END } kind;
};

/* jdk.SystemGC: a call of System.gc(), from its beginning to its end. */
struct halt_call {
    int64_t start_ns;
    uint64_t ns;
    uint32_t thread, site;
};

/* A time in which the agent recorded waits for monitors, and, if `parks` is set, parks. */
struct halt_watch {
    int64_t from_ns, to_ns;
    int64_t monitors_to_ns, parks_to_ns; /* the latest end of this watch and of those that began before it; set by halt_join.c */
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

/* Interns a thread's name, or "[123]" if it has none. context: struct halts. Returns 0 or -ENOMEM. halt_context does the same for the
 * labels of a context. The id is 0 if there is none. */
int halt_thread(void *context, struct jfr_value thread, uint32_t *id);
int halt_context(void *context, struct jfr_value labels, uint32_t *id);
/* Returns the id that `make` creates from the event's field; *rc becomes -ENOMEM if that fails. known: the ids that this maker has
 * already created for this chunk. */
uint32_t halt_cached(struct halts *h, struct map *known, struct jfr_event *event, const char *field, jfr_make *make, int *rc);
/* Makes texts of places in the program, from the frames of stacks that show them: "shop.Pool.take:42 < shop.Cart.pay:17". */
struct halt_sites {
    struct halts *h;
    struct map known;   /* for the current chunk: key of a stack -> string id */
    struct map methods; /* for the current chunk: key of a method -> whether it is the program's (halt_site.c) */
};

void halt_sites_init(struct halt_sites *s, struct halts *h);
void halt_sites_deinit(struct halt_sites *s);
void halt_sites_new_chunk(struct halt_sites *s);
/* Returns the place of the event's stack, or 0 if it has none; *rc becomes -ENOMEM if that fails. */
uint32_t halt_site(struct halt_sites *s, struct jfr_event *event, int *rc);

/* Interns a text, at most its first HALT_TEXT_MAX bytes; *rc becomes -ENOMEM if that fails. */
uint32_t halt_string(struct halts *h, const char *text, size_t len, int *rc);

/* Appends a halt. Returns 0 or -ENOMEM. */
int halts_add(struct halts *h, const struct halt *one);
void halts_sort(struct halts *h);

/* Completes the halts that were read with data from the parts, and adds the halts that only the parts contain. Returns 0 or -ENOMEM. */
int halt_join(struct halts *h, struct halt_parts *p);

/* Finds the threads that were late at safepoints that took long to reach, with the samples of that time. Reads the file a second time if
 * there is any such safepoint. Returns 0 or a negative code with e. */
int halt_late(struct halts *h, const struct jfr_file *file, struct error *e);

#endif
