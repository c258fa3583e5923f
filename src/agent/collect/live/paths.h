/* The collector's part of paths: for some of the objects that the event live watches, it finds their holders. All threads of
 * the program stand still for each walk of the heap, in all for no longer than the user allowed.
 *
 *   [ paths_search -> paths_describe ... ]* -> paths_stop
 *
 * The result stays in the recording's names (record/names/held.h) until the next search: flush the events that refer to it before
 * that. On the agent's thread. */
#ifndef CANDOR_AGENT_COLLECT_LIVE_PATHS_H
#define CANDOR_AGENT_COLLECT_LIVE_PATHS_H

#include "agent/record/recording.h"
#include "base/time_units.h"
#include "jfr/write/writer.h"

#include <stdint.h>

#define PATHS_BUDGET_DEFAULT_NS (200 * NS_PER_MS)

/* A watched object. */
struct paths_object {
    uintptr_t reference;            /* weak */
    uint64_t group, born_ns, bytes; /* for the choice of whom to search for (paths/path_choice.h) */
};

/* heap_used: after the last collection; 0 = unknown. The recording's log has the result. */
void paths_search(struct recording *r, const struct paths_object *objects, uint32_t count, uint64_t budget_ns, uint64_t heap_used);
/* Fills in the result of the last search for objects[i]. */
void paths_describe(uint32_t i, struct jfr_old_object *o);
/* The books of all searches; nothing before the first. */
void paths_write(struct jfr_writer *w, jfr_write_book *write, uint64_t now_ns);
/* At the recording's end. */
void paths_stop(void);

#endif
