/* The recordings that run at the same time. Each is a sink of the collector's samples: it has its own file, events, interval, limits and
 * books. The clocks keep the shortest pace that a sink wants, and the other sinks take an unbiased part of the samples (clock/thin.h).
 *
 *   sinks_begin -> [ sinks_open -> [ sinks_aim, sinks_keep_pace, ... ]* -> sinks_close ]*
 *
 * Samples of the event cpu are written to each sink by itself (drain.c). All other files of the collector write to `whole`, whose writer is
 * aimed at all sinks, or temporarily at one sink. All functions run on the agent's thread. */
#ifndef CANDOR_AGENT_COLLECT_SAMPLING_SINKS_H
#define CANDOR_AGENT_COLLECT_SAMPLING_SINKS_H

#include "agent/collect/books/books.h"
#include "agent/collect/clock/thin.h"
#include "agent/collect/sampling/clock_pace.h"
#include "agent/collect/sampling/snapshots.h"
#include "agent/collect/session/session.h"
#include "agent/record/recording.h"
#include "agent/trigger/clocks/clock.h"

#include <stdbool.h>
#include <stdint.h>

struct sink {
    bool runs;
    uint32_t place;
    bool has_joined; /* others ran before it: the chunk begins with the sums from which this sink's books count */
    struct collect_options options;
    struct recording recording;
    struct snapshots snapshots; /* snapshots of machine code, if the recording wants them */
    /* State of the event cpu. */
    struct clock_pace pace;
    struct thin thin;
    struct books_taken taken;
    /* State of accounts.c. told_unseen has a bit for each account that was written, because it is written again when it falls to nothing.
     * Then the process's CPU time in the last books, and in the last books that were flushed. */
    uint32_t told_unseen;
    int64_t written_cpu_ns, flushed_cpu_ns;
    uint64_t samples_before, lost_before; /* totals from before this sink began; `samples` counts those of all events except cpu */
    int64_t cpu_before;
};

extern struct sink sinks[COLLECT_AT_ONCE];
#define EACH_SINK(s)                                                                                                                       \
    for (struct sink *s = sinks; s < sinks + COLLECT_AT_ONCE; s++)                                                                         \
        if (s->runs)

/* The data that all sinks share. All of it remains the caller's property. */
struct sinks_of {
    struct recording *whole;
    struct clock *clock;
    const struct books *books;
};

void sinks_begin(const struct sinks_of *them);
/* Opens the recording's file. Returns 0 or a negative errno. */
int sinks_open(uint32_t place, const struct collect_options *options, struct error *e);
/* Forgets the sink. Its file has been closed. */
void sinks_close(struct sink *s);
/* Aims the whole recording's writer at one sink: from now on it writes to this sink only. NULL: it writes to all sinks. */
void sinks_aim(const struct sink *only);

uint32_t sinks_count(void);
unsigned sinks_events(void); /* returns the events that at least one sink has */
bool sinks_want_code(void);
enum heal_mode sinks_heal_mode(void); /* returns the most demanding mode that a sink wants */
/* Whether the sink has the event cpu, and therefore books of CPU time. */
static inline bool sink_has_cpu(const struct sink *s)
{
    return s->options.events & COLLECT_CPU;
}
/* Returns the clock with the sink's interval. */
struct clock sink_clock(const struct sink *s);

/* Begins to keep the sink's pace. The books must be open. */
void sinks_begin_pace(struct sink *s);
/* Sets the clocks' interval and pace from the paces of all sinks. Call it when a sink has come or gone, and otherwise every tenth of a
 * second or less often. other_ns: what samples of other events have cost (parts_cost_ns). */
void sinks_keep_pace(uint64_t other_ns, uint64_t now_ns);
uint64_t sinks_pace_ns(void); /* returns the present interval of the clocks */
bool sinks_are_tight(void);   /* see budget_is_tight */
/* Returns the weight in the sink of a sample of this weight; 0 = the sink leaves it out. */
uint64_t sink_weigh(struct sink *s, uint64_t weight_ns);

#endif
