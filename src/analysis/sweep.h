/* Finds the samples and halts in each window of a recording, for windows that move forward in time.
 *
 *   sweep_init -> sweep_add ... -> sweep_rewind -> sweep_to ... -> sweep_rewind ... -> sweep_deinit
 *
 * A recording has many windows and many samples. Therefore each sample is visited only for the windows that contain it. */
#ifndef CANDOR_ANALYSIS_SWEEP_H
#define CANDOR_ANALYSIS_SWEEP_H

#include <stdint.h>

struct sweep_item {
    int64_t from_ns, to_ns; /* `to_ns` is excluded */
    uint32_t index;
};

struct sweep {
    struct sweep_item *items; /* sorted by their beginning */
    uint32_t *met;            /* indices of the items that overlap the window, in the items' order */
    uint32_t count, next, met_count;
};

/* Makes room for `room` items. Returns 0 or -ENOMEM. Call sweep_deinit in both cases. */
int sweep_init(struct sweep *s, uint32_t room);
void sweep_deinit(struct sweep *s);
void sweep_add(struct sweep *s, uint32_t index, int64_t from_ns, int64_t to_ns);
/* Goes back to the beginning. Call it before the first window, and before a window that begins earlier than the previous one. */
void sweep_rewind(struct sweep *s);
/* Moves to a window that neither begins nor ends earlier than the last one. `met` then has the items that overlap the window. */
void sweep_to(struct sweep *s, int64_t from_ns, int64_t to_ns);

static inline uint32_t sweep_met(const struct sweep *s, uint32_t i)
{
    return s->items[s->met[i]].index;
}

#endif
