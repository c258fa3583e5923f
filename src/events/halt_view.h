/* Selects the halts in a part of a recording, and computes their number, duration and causes, and how much of the time they explain.
 *
 *   halt_view_make -> read the fields -> halt_view_deinit
 *
 * The time between from_ns and to_ns is split into three parts, which add up to it exactly:
 *
 *   stopped_ns       all threads were stopped (halts within halts count once)
 *   waited_ns        the threads were not stopped, and at least one thread waited. all_waited_ns is the part of waited_ns in which
 *                    all threads waited that are known to have waited at any time between from_ns and to_ns
 *   unexplained_ns   the rest: the recording shows no thread that could not run */
#ifndef CANDOR_EVENTS_HALT_VIEW_H
#define CANDOR_EVENTS_HALT_VIEW_H

#include "events/halts.h"
#include "regex/regex.h"

/* Sums over halts. Durations are those of whole halts, even if only a part is in the range. total_ns counts only the part in the range. */
struct halt_sums {
    uint64_t count, total_ns;
    uint64_t by_agent;                       /* the part of the count that the agent reported; the JDK reported the others */
    uint64_t p50_ns, p90_ns, p99_ns, max_ns; /* percentiles by nearest rank, so each is the duration of some halt */
};

struct halt_cause {
    enum halt_kind kind;
    uint32_t what, site; /* string ids of the halts; only halts without a duration have a site */
    uint64_t count, total_ns, max_ns;
};

struct halt_view {
    const struct halts *h;
    int64_t from_ns, to_ns;
    uint32_t *rows; /* indices in h->list, in its order */
    uint32_t count, cap;
    struct halt_sums kinds[HALT_KINDS];
    struct halt_cause *causes; /* grouped by kind; the longest first, and halts without a duration by their number */
    uint32_t cause_count, cause_cap;
    uint64_t stopped_ns, waited_ns, all_waited_ns, unexplained_ns;
    uint32_t threads;      /* number of threads that waited at any time */
    uint32_t most_waiting; /* the most threads that waited at once, while not all threads were stopped */
};

/* Makes a view. thread: a pattern for the threads' names, which selects among the halts of single threads; NULL = all. from_ns <= to_ns.
 * Returns 0 or -ENOMEM. Call halt_view_deinit in any case. */
int halt_view_make(struct halt_view *v, const struct halts *h, int64_t from_ns, int64_t to_ns, const struct regex *thread);
void halt_view_deinit(struct halt_view *v);

/* Returns the part of a halt within the view's time, in ns. */
uint64_t halt_overlap(const struct halt_view *v, const struct halt *one);

/* Finds the halts of one scope with the longest part in the view, at most `top` (0 = all), in order of time. Returns their number, or
 * -ENOMEM. The caller frees *out. */
int64_t halt_view_longest(const struct halt_view *v, enum halt_scope scope, uint32_t top, uint32_t **out);

#endif
