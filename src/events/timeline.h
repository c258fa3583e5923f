/* What each thread did over a time, cut into columns: running, or what it waited for, from samples and halts.
 *
 *   timeline_make -> read the fields -> timeline_deinit
 *
 * A sample stands for the time before it, back to the thread's previous sample, and no further than its weight; so the drawing
 * between two samples is a guess, as fine as the interval. Halts of single threads are exact, as far as the recording has them.
 * From a chunk with candor.WallSample only these are used, otherwise candor.CpuSample, otherwise jdk.ExecutionSample. Threads
 * with the same name are one row.
 *
 * Memory: about 100 bytes for each thread, and 72 bytes a column for those that are drawn. A file with very many threads is
 * read twice. */
#ifndef CANDOR_EVENTS_TIMELINE_H
#define CANDOR_EVENTS_TIMELINE_H

#include "base/map.h"
#include "events/halt_view.h"

enum timeline_state {
    TIMELINE_UNKNOWN,
    TIMELINE_RUNNING,
    TIMELINE_READY, /* it could run, and had no processor */
    TIMELINE_MONITOR,
    TIMELINE_WAITING, /* in Object.wait */
    TIMELINE_PARKED,
    TIMELINE_SLEEPING,
    TIMELINE_IO,
    TIMELINE_OTHER,
    TIMELINE_STATES
};

struct timeline_state_info {
    const char *name; /* in JSON */
    char letter;
};

extern const struct timeline_state_info timeline_states[TIMELINE_STATES];

struct timeline_row {
    uint32_t name;                  /* string of the halts */
    int64_t seen_ns;                /* its latest sample */
    uint64_t sums[TIMELINE_STATES]; /* ns */
    uint64_t *cells;                /* by column and state: ns; NULL = it is not drawn */
};

struct timeline {
    struct halts *h;
    int64_t from_ns, to_ns;
    uint32_t columns;
    struct timeline_row *rows; /* those that ran longest first */
    uint32_t count, cap;
    uint64_t *stopped; /* of each column, how long all threads were; overlapping halts count once */
    struct map by_name;
    bool is_second; /* way through the file, for the rows to draw alone */
};

enum { TIMELINE_COLUMNS_MAX = 1000 };

/* Makes a timeline of the view's time and threads, with 1 to TIMELINE_COLUMNS_MAX columns. At least the first `top` rows are drawn; 0
 * = all. 0 or a negative code; timeline_deinit in any case. */
int timeline_make(struct timeline *t, struct halts *h, const struct halt_view *v, const struct jfr_file *file, uint32_t columns,
                  uint32_t top, const struct regex *thread, struct error *e);
void timeline_deinit(struct timeline *t);

/* What a cell of a row that is drawn shows: the state that fills most of it. */
enum timeline_state timeline_cell(const struct timeline *t, const struct timeline_row *row, uint32_t column);
/* Whether all threads were stopped for half of a column or more. */
bool timeline_is_stopped(const struct timeline *t, uint32_t column);

#endif
