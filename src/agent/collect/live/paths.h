/* The collector's part of paths: for some of the objects that the event live watches, it finds their holders. All threads of the program
 * stand still during each walk of the heap. The sum of these times is limited by the user.
 *
 *   [ paths_search -> paths_describe ... ]* -> paths_stop
 *
 * The result stays in the recording's names (record/names/held.h) until the next search: the events that refer to it must be flushed before
 * that. All functions run on the agent's thread. */
#ifndef CANDOR_AGENT_COLLECT_LIVE_PATHS_H
#define CANDOR_AGENT_COLLECT_LIVE_PATHS_H

#include "agent/record/recording.h"
#include "base/time_units.h"
#include "jfr/write/writer.h"

#include <stdint.h>

#define PATHS_BUDGET_DEFAULT_NS (200 * NS_PER_MS)

/* A watched object. */
struct paths_object {
    uintptr_t reference;            /* a weak reference */
    uint64_t group, born_ns, bytes; /* used to choose the objects whose holders are searched for (paths/path_choice.h) */
};

/* Searches for the holders of some of the objects, and writes the result to the recording's log. heap_used: the bytes in use after the last
 * collection; 0 = unknown. */
void paths_search(struct recording *r, const struct paths_object *objects, uint32_t count, uint64_t budget_ns, uint64_t heap_used);
/* Fills in the result of the last search for objects[i]. */
void paths_describe(uint32_t i, struct jfr_old_object *o);
/* Writes the books of all searches. It writes nothing before the first search. */
void paths_write(struct jfr_writer *w, jfr_write_book *write, uint64_t now_ns);
/* Frees what the searches need. Call it at the recording's end. */
void paths_stop(void);

#endif
