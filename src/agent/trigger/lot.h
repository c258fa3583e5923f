/* Clocks by lot. The kernel stops a perf clock and sets it again whenever its thread is switched out and in. A thread without a clock does
 * not have this cost. Therefore, if threads are switched very often, only some of them have clocks. They are drawn by lot, anew several
 * times a second. A thread that was drawn with the chance c has a clock that is 1/c times as fast, if that is not faster than 1 ms, and its
 * samples weigh 1/c times as much. The expected weight of a thread's work at any time is its CPU time, whatever the thread does, because
 * only a number that was drawn before decides whether it has a clock. docs/internals/sampling-math.md has the figures.
 *
 * The chance grows with the CPU time that a thread has used recently. A thread that has used much has its clock for certain, and so has a
 * new thread until the first draw. A thread that has not run since the last draw is left as it is.
 *
 * A single thread may make most of the switches: one that passes the work to others, as a server's poller does. It is *restless*: its clock
 * costs so much that short windows pay, so it is drawn twenty times a second, at exactly one of each eight draws.
 *
 *   lot_begin -> [ lot_draw, lot_draw_restless ]* -> [ lot_take_all ]
 *
 * All functions run on the agent's thread. */
#ifndef CANDOR_AGENT_TRIGGER_LOT_H
#define CANDOR_AGENT_TRIGGER_LOT_H

#include <stdbool.h>
#include <stdint.h>

/* A thread in the draw. Input: what it uses. Output: the chance with which it is drawn, and whether it was. */
struct lot_ticket {
    double use, chance;
    bool drawn;
};

/* Sets the chances in proportion to use. Chances above a half become 1, and none is below LOT_CHANCE_MIN. Otherwise they are such that
 * `wanted` threads are drawn on average. */
#define LOT_CHANCE_MIN (1.0 / 16)
void lot_chances(struct lot_ticket *tickets, uint32_t count, double wanted);
/* Draws each ticket with its chance. The number of drawn tickets differs from its mean by less than one. order: room for `count`
 * numbers. */
void lot_draw_tickets(uint64_t *random, struct lot_ticket *tickets, uint32_t count, uint32_t *order);
/* Returns the number of threads of equal use that these threads correspond to: (sum of use)^2 / sum of use^2. */
double lot_effective(const struct lot_ticket *tickets, uint32_t count);

void lot_begin(void);
/* The turns of a restless thread: one of LOT_TURNS is drawn. */
enum { LOT_TURNS = 8 };
/* Goes on to the next turn. Returns whether it is the drawn one. Both begin as 0. */
bool lot_next_turn(uint64_t *random, uint8_t *turn, uint8_t *drawn_turn);

/* Takes how often a thread had been switched in until this draw; 0 = not read. Determines whether the thread is restless (limit: as in
 * struct lot_wish), and at how many more draws the number is not read. For that, the thread must have been far from restless between two
 * numbers. */
struct thread_lot;
void lot_take_switches(struct thread_lot *l, uint64_t now, double limit);

struct lot_wish {
    double part, least; /* of the threads that ran since the last draw, this part is drawn, but at least `least` */
    double restless;    /* a thread that was switched in this often since the last draw is restless */
    uint64_t pace_ns;   /* the interval of clocks if all threads have one */
};
/* Draws among all threads of the registry (trigger/threads.h) that are not restless. Returns how many windows began: threads that were
 * drawn and do not have their clocks for certain. */
uint32_t lot_draw(const struct lot_wish *wish);
/* Draws for each restless thread. */
void lot_draw_restless(uint64_t pace_ns);
/* Takes the clocks of all threads away, because no recording wants samples any more, and starts `without` (clock_start), a clock of the
 * kind CLOCK_NONE, so that new threads get none. Returns false if a thread keeps its clock, which is in use at this moment: then new
 * threads get clocks, too, and it must be called again later. */
struct clock;
bool lot_take_all(const struct clock *without);

/* Returns the part of cpu_ns, a thread's CPU time since its arming, in which it had no clock because it was not drawn. */
struct sampled_thread;
uint64_t lot_waited(const struct sampled_thread *t, uint64_t cpu_ns);

#endif
