/* Healing: after a late attach, code that was compiled before has debug information only at its calls (sparse debug information), so frames
 * in it are approximate. The JVM throws the part of this code away that samples meet, hottest first and within a budget, and compiles it
 * anew with full debug information. When less than HEAL_ENOUGH of the sampled time is approximate, healing ends.
 *
 *   heal_begin -> heal_start -> [ heal_sample, heal_tick, heal_write_books ]*
 *
 * All functions run on the agent's thread. docs/internals/hotspot.md says what each JVM throws away. */
#ifndef CANDOR_AGENT_COLLECT_HEAL_HEAL_H
#define CANDOR_AGENT_COLLECT_HEAL_HEAL_H

#include "agent/record/recording.h"
#include "base/error.h"
#include "jfr/write/writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* HEAL_BY_DEFAULT: no mode was given; options_parse replaces it by paced, or by off without the event cpu. */
enum heal_mode { HEAL_BY_DEFAULT, HEAL_OFF, HEAL_PACED, HEAL_NOW, HEAL_MODES };
extern const char *const heal_mode_names[HEAL_MODES];

#define HEAL_ENOUGH 0.01 /* of the sampled time */
#define HEAL_PAUSE_SHARE                                                                                                                   \
    0.005 /* paced: the part of the time for which all threads may be stopped for healing; the first step does not count */
#define HEAL_CPU_SHARE 0.02 /* paced: the part of the process's CPU time that the compilers may use for healing */

/* Begins healing for the recording. late: the agent was loaded after the JVM's start; if false, healing does nothing. */
void heal_begin(struct recording *recording, enum heal_mode mode, bool late);
/* Starts healing. Call it when it is known which code is older than the agent. In the mode `now`, all of that code is discarded here. */
int heal_start(struct error *e);
/* Sets the mode anew after recordings have begun or ended. mode: that of the most demanding running recording. */
int heal_change(enum heal_mode mode, bool late, struct error *e);
/* Adds a sample of the event cpu: its frames as they are in the record, the time when it was taken, and its weight. */
void heal_sample(const uint64_t *frames, size_t count, uint64_t taken_ns, uint64_t weight);
/* Does the next step of healing if it is due. Call it in every turn of the collector. */
void heal_tick(uint64_t now_ns);
/* Writes the lines of healing's accounts (docs/formats/recording.md). */
void heal_write_books(jfr_write_book *write, uint64_t now_ns);
/* Writes the setting that each chunk repeats. */
void heal_describe(void);

#endif
