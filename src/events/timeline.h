/* Shows for each thread and each column of time whether the thread was running, or what it waited for. The data comes from samples and
 * halts.
 *
 *   timeline_make -> read the fields -> timeline_deinit
 *
 * A sample represents the time before it, back to the thread's previous sample, but at most its weight. So the display between two
 * samples is a guess, as fine as the interval. Halts of single threads are exact, if the recording has them. If a chunk has
 * candor.WallSample, only these samples are used; otherwise candor.CpuSample, and otherwise jdk.ExecutionSample. Threads with the same
 * name are one row.
 *
 * Memory: about 100 bytes for each thread, and 72 bytes for each column of a displayed thread. A file with very many threads is read
 * twice. */
#ifndef CANDOR_EVENTS_TIMELINE_H
#define CANDOR_EVENTS_TIMELINE_H

#include "base/map.h"
#include "events/halt_view.h"

enum timeline_state {
    TIMELINE_UNKNOWN,
    TIMELINE_RUNNING,
    TIMELINE_READY, /* it could run, but had no processor */
    TIMELINE_MONITOR,
    TIMELINE_WAITING, /* in Object.wait */
    TIMELINE_PARKED,
    TIMELINE_SLEEPING,
    TIMELINE_IO,
    TIMELINE_OTHER,
    TIMELINE_STATES
};

struct timeline_state_info {
    const char *name; /* the name in JSON */
    char letter;
};

extern const struct timeline_state_info timeline_states[TIMELINE_STATES];

struct timeline_row {
    uint32_t name;                  /* string id of the halts */
    int64_t seen_ns;                /* time of its latest sample */
    uint64_t sums[TIMELINE_STATES]; /* ns */
    uint64_t *cells;                /* ns by column and state; NULL = the row is not displayed */
};

struct timeline {
    struct halts *h;
    int64_t from_ns, to_ns;
    uint32_t columns;
    struct timeline_row *rows; /* the rows that ran longest first */
    uint32_t count, cap;
    uint64_t *stopped; /* for each column the time in which all threads were stopped; overlapping halts count once */
    struct map by_name;
    bool is_second; /* this is the second pass over the file, only for the rows to display */
};

enum { TIMELINE_COLUMNS_MAX = 1000 };

/* Makes a timeline of the view's time and threads, with 1 to TIMELINE_COLUMNS_MAX columns. At least the first `top` rows are displayed;
 * 0 = all. Returns 0 or a negative code with e. Call timeline_deinit in any case. */
int timeline_make(struct timeline *t, struct halts *h, const struct halt_view *v, const struct jfr_file *file, uint32_t columns,
                  uint32_t top, const struct regex *thread, struct error *e);
void timeline_deinit(struct timeline *t);

/* Returns the state that fills most of a cell. The row must be displayed. */
enum timeline_state timeline_cell(const struct timeline *t, const struct timeline_row *row, uint32_t column);
/* Whether all threads were stopped for at least half of a column. */
bool timeline_is_stopped(const struct timeline *t, uint32_t column);

#endif
