/* The recordings that run at the same time. Each is a sink of what the collector samples: it has a file, events, an interval, limits and
 * books of its own. The clocks keep the shortest pace that any of them wants, and the others take an unbiased part of the samples
 * (clock/thin.h).
 *
 *   sinks_begin -> [ sinks_open -> [ sinks_aim, sinks_keep_pace, ... ]* -> sinks_close ]*
 *
 * Samples of the event cpu are written to each sink by itself (drain.c). All other files of the collector write to `whole`, whose writer is
 * aimed at all sinks, or for a moment at one. All on the agent's thread. */
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
    bool has_joined; /* others ran before it: the sums from which its books count stand at its beginning */
    struct collect_options options;
    struct recording recording;
    struct snapshots snapshots; /* of machine code, if it wants that */
    /* The event cpu. */
    struct clock_pace pace;
    struct thin thin;
    struct books_taken taken;
    /* accounts.c: a bit for each account that was written, which is written again when it falls to nothing; the process's CPU time in the
     * last books, and in the last that were flushed. */
    uint32_t told_unseen;
    int64_t written_cpu_ns, flushed_cpu_ns;
    uint64_t samples_before, lost_before; /* of what runs, before it began; samples: of its other events */
    int64_t cpu_before;
};

extern struct sink sinks[COLLECT_AT_ONCE];
#define EACH_SINK(s)                                                                                                                       \
    for (struct sink *s = sinks; s < sinks + COLLECT_AT_ONCE; s++)                                                                         \
        if (s->runs)

/* What they share; all of it stays the caller's. */
struct sinks_of {
    struct recording *whole;
    struct clock *clock;
    const struct books *books;
};

void sinks_begin(const struct sinks_of *them);
/* Opens the recording's file. 0 or a negative errno. */
int sinks_open(uint32_t place, const struct collect_options *options, struct error *e);
/* Forgets it. Its file has been closed. */
void sinks_close(struct sink *s);
/* From here on what is written to the whole goes to this sink only; NULL: to all. */
void sinks_aim(const struct sink *only);

uint32_t sinks_count(void);
unsigned sinks_events(void); /* that one of them has */
bool sinks_want_code(void);
enum heal_mode sinks_heal_mode(void); /* the furthest that one of them wants */
/* Whether its events include the event cpu, so that it has books of CPU time. */
static inline bool sink_has_cpu(const struct sink *s)
{
    return s->options.events & COLLECT_CPU;
}
/* The clock, with the sink's interval. */
struct clock sink_clock(const struct sink *s);

/* The books are open: its pace can be kept from now on. others_ns: what the samples of other events have cost so far. */
void sinks_begin_pace(struct sink *s, uint64_t others_ns);
/* Sets the clocks' interval and pace, by all sinks. Call it when one has come or gone, and every tenth of a second or less often. */
void sinks_keep_pace(uint64_t others_ns, uint64_t now_ns);
uint64_t sinks_pace_ns(void); /* the interval of the clocks at present */
bool sinks_are_tight(void);   /* budget_is_tight */
/* What a sample of this weight weighs in the sink; 0 = it is left out. */
uint64_t sink_weigh(struct sink *s, uint64_t weight_ns);

#endif
