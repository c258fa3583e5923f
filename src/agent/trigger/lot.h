/* Clocks by lot. The kernel stops a perf clock and sets it again whenever its thread is switched out and in; a thread without a clock is
 * switched for nothing. So where threads are switched very often only some have clocks: which, is drawn by lot, anew several times a
 * second. A thread that was drawn with the chance c has a clock that is 1/c times as fast, if that is not faster than 1 ms, and its samples
 * weigh 1/c times what they would. Of what each thread does at any time the expected weight is the CPU time, whatever it does: whether it
 * has a clock then depends on nothing but a number that was drawn before. docs/internals/sampling-math.md has the figures.
 *
 * The chance grows with the CPU time that a thread has used of late. A thread with much of it has its clock for certain; so has a new
 * thread, until the first draw. A thread that has not run since the last draw is left as it is.
 *
 *   lot_begin -> [ lot_draw ]*
 *
 * All on the agent's thread. */
#ifndef CANDOR_AGENT_TRIGGER_LOT_H
#define CANDOR_AGENT_TRIGGER_LOT_H

#include <stdbool.h>
#include <stdint.h>

/* Of the threads that draw: in, what each uses; out, with which chance it is to be drawn. */
struct lot_ticket {
    double use, chance;
    bool drawn;
};

/* Sets the chances: in proportion to use, 1 for those that would have more than a half, LOT_CHANCE_MIN at least, and otherwise so that
 * `wanted` are drawn on average. */
#define LOT_CHANCE_MIN (1.0 / 16)
void lot_chances(struct lot_ticket *tickets, uint32_t count, double wanted);
/* Draws each ticket with its chance. How many are drawn in all is off its mean by less than one. order: room for `count` numbers. */
void lot_draw_tickets(uint64_t *random, struct lot_ticket *tickets, uint32_t count, uint32_t *order);
/* For how many threads of equal use these are as good: (sum of use)^2 / sum of use^2. */
double lot_effective(const struct lot_ticket *tickets, uint32_t count);

void lot_begin(void);
/* Draws, for all threads of the registry (trigger/threads.h): of those that ran since the last draw this part, but at least `least`.
 * pace_ns: the interval of clocks for all. */
void lot_draw(double part, double least, uint64_t pace_ns);

/* CPU time of a thread, of cpu_ns since its arming, in which it had no clock because it was not drawn. */
struct sampled_thread;
uint64_t lot_waited(const struct sampled_thread *t, uint64_t cpu_ns);

#endif
