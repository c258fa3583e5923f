/* Estimates which part of the processors that the program could use it got, for rules about the length of a single halt: while other
 * programs have the processors, a collection takes longer, and the program's own work is not the reason. */
#ifndef CANDOR_ANALYSIS_RULES_PACE_H
#define CANDOR_ANALYSIS_RULES_PACE_H

#include "analysis/evidence.h"
#include "analysis/score.h"
#include "events/halts.h"

#include <stddef.h>

/* Returns a factor from 0 to 1: the time that a halt takes on a machine without other programs is at least its time multiplied by it. It is
 * 1 if the program's threads that can run have a processor, if the program itself uses all of them, or if that is unknown. */
double pace(const struct evidence *e);
/* Returns the time of a halt of all threads, with its low end: the time on a machine without other programs. If other programs had
 * processors, the CPU time that the JVM used during the halt is a bound, too: the halt cannot have needed more. */
struct amount pace_halt(const struct evidence *e, const struct halt *halt);
/* Writes a part of a sentence about a halt of which at least `low` is its own: "; other programs had processors meanwhile, ...". It is ""
 * if they had hardly any. Returns text. */
const char *pace_note(char *text, size_t size, const struct amount *halt);

#endif
