/* Whether threads have their clocks by lot (trigger/lot.h), how many of them, and when lots are drawn: several times a second, at
 * random distances.
 *
 * A switch of a thread with a clock costs LOTS_SWITCH_NS more. With `auto` a recording begins with clocks for all, and draws lots once
 * this is more than a hundredth of the process's CPU time, two times in succession. Then it is brought down to a four-hundredth, but at
 * least LOTS_LEAST threads of equal use have clocks. With `lot` it draws from the beginning, however often threads are switched: a
 * quarter of what runs has clocks.
 *
 *   lots_begin -> [ lots_tick ]*
 *
 * All on the agent's thread. */
#ifndef CANDOR_AGENT_COLLECT_CLOCK_LOTS_H
#define CANDOR_AGENT_COLLECT_CLOCK_LOTS_H

#include <stdbool.h>
#include <stdint.h>

enum lots_mode { LOTS_ALL, LOTS_AUTO, LOTS_LOT, LOTS_MODES };
extern const char *const lots_mode_names[LOTS_MODES];

enum { LOTS_SWITCH_NS = 1500, LOTS_LEAST = 8 };

/* Cumulative, of the process. */
struct lots_usage {
    uint64_t wall_ns, cpu_ns, switches;
};

/* The decision, apart from what it reads. */
struct lots {
    enum lots_mode mode;
    bool draws;
    uint32_t dear; /* measurements in succession in which switches were dear */
    double share;  /* of the process's CPU time that clocks for all would cost at switches, of late */
    struct lots_usage last;
};

void lots_measure(struct lots *l, const struct lots_usage *now);
/* Which part of the threads, by their use, has clocks; and how many at least. */
double lots_part(const struct lots *l);
double lots_least(const struct lots *l);

void lots_begin(enum lots_mode mode);
/* Call it often. Draws when it is time; samples stand for pace_ns each. True: it has just begun to draw. */
bool lots_tick(uint64_t now_ns, uint64_t pace_ns);
/* How the recording's threads have their clocks at present: "all" or "lot"; and why it is not what was asked for, or "". */
const char *lots_word(void);
const char *lots_reason(void);

#endif
