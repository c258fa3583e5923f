/* The halts in a part of a recording: which ones, how long, why, and how much of that time they explain.
 *
 *   halt_view_make -> read the fields -> halt_view_deinit
 *
 * The time between from_ns and to_ns is split in three parts, which add up to it exactly:
 *
 *   stopped_ns       all threads were (halts within halts count once)
 *   waited_ns        they were not, and one thread or more waited for something; all_waited_ns of it all did that are told to have waited
 *                    at any time between the two
 *   unexplained_ns   the rest: nothing in the recording says that anybody could not have run
 */
#ifndef CANDOR_EVENTS_HALT_VIEW_H
#define CANDOR_EVENTS_HALT_VIEW_H

#include "events/halts.h"
#include "regex/regex.h"

/* Durations are whole, whatever part of them lies in the range; total_ns is that part. */
struct halt_sums {
    uint64_t count, total_ns;
    uint64_t by_agent;                       /* of the count: told of by the agent, the others by the JDK */
    uint64_t p50_ns, p90_ns, p99_ns, max_ns; /* by nearest rank: each is the duration of one of them */
};

struct halt_cause {
    enum halt_kind kind;
    uint32_t what, site; /* strings of the halts; site only of moments */
    uint64_t count, total_ns, max_ns;
};

struct halt_view {
    const struct halts *h;
    int64_t from_ns, to_ns;
    uint32_t *rows; /* in h->list, in its order */
    uint32_t count, cap;
    struct halt_sums kinds[HALT_KINDS];
    struct halt_cause *causes; /* those of a kind together; the longest first, of moments the most frequent */
    uint32_t cause_count, cause_cap;
    uint64_t stopped_ns, waited_ns, all_waited_ns, unexplained_ns;
    uint32_t threads;      /* that waited for something at some time */
    uint32_t most_waiting; /* at once, while not all were stopped */
};

/* thread: among the halts of single threads, take only those of threads with such a name; NULL = all. from_ns <= to_ns. 0 or -ENOMEM;
 * halt_view_deinit in any case. */
int halt_view_make(struct halt_view *v, const struct halts *h, int64_t from_ns, int64_t to_ns, const struct regex *thread);
void halt_view_deinit(struct halt_view *v);

/* The part of a halt within the view's time. */
uint64_t halt_overlap(const struct halt_view *v, const struct halt *one);

/* The halts of one scope with the longest part in the view, at most `top` (0 = all), in the order of time. Returns how many, or
 * -ENOMEM. The caller frees *out. */
int64_t halt_view_longest(const struct halt_view *v, enum halt_scope scope, uint32_t top, uint32_t **out);

#endif
