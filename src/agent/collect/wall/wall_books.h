/* The books of the event wall: where the lifetime of Java threads went, running or not (docs/formats/recording.md).
 *
 *   wall_time = wall_running(state) + wall_waiting(state) + wall_failed(reason) + wall_lost(reason) + wall_pending
 *             + wall_unseen(reason) + wall_residual
 *
 * wall_time is summed from the beginning and end of each thread, and from each time of a virtual thread without a carrier; running,
 * waiting and failed are the weights of recorded samples. The difference is the residual. A round stands for the time since the previous
 * one; wall_unseen is the error for threads that began or ended in between: it may be negative, and is 0 on average. All figures are as of
 * the last round.
 *
 * Recordings that run at the same time share the rounds, and therefore these books. Only struct wall_taken exists once for each recording.
 * Only the collector uses this file. */
#ifndef CANDOR_AGENT_COLLECT_WALL_WALL_BOOKS_H
#define CANDOR_AGENT_COLLECT_WALL_WALL_BOOKS_H

#include "agent/collect/books/books.h"
#include "agent/collect/wall/unmounted.h"
#include "agent/collect/wall/wait_state.h"
#include "agent/hot/thread/thread.h"
#include "base/agreed/reasons.h"
#include "jfr/schema.h"
#include "jfr/write/writer.h"

#include <stdbool.h>
#include <stdint.h>

enum wall_how { WALL_ASKED, WALL_STILL, WALL_SAME, WALL_MOVED, WALL_HOWS }; /* how a look at a thread ended */

/* The rows of reasons.h. */
enum unmount { UNMOUNT_LEFT, UNMOUNT_WATCHED, UNMOUNT_NO_ROOM, UNMOUNT_REFUSED, UNMOUNTS };

/* The samples that one recording has taken. */
struct wall_taken {
    struct account states[JFR_STATES], failed[OUTCOME_COUNT];
    struct account guessed; /* the part of the states that was guessed */
    struct account dropped; /* samples that could not be written */
    uint64_t samples;
    bool collector_is_counted; /* the event cpu has books, too, and counts the collector's CPU time there */
};

struct wall_books {
    uint64_t opened_ns;          /* by the monotonic clock; earlier time of threads does not count */
    uint64_t rounds, longest_ns; /* longest_ns: the longest time between two rounds */
    uint64_t last_round;         /* by the monotonic clock; opened_ns before the first round */
    uint64_t not_chosen;
    uint64_t own_at_start;            /* the collector's CPU clock */
    bool stopping;                    /* the recording ends: requests that threads have not answered are lost */
    struct unmounted_books unmounted; /* virtual threads without a carrier: a part of wall_time, with its own measure */
    struct account ended;
    struct account closed_lost[LOSS_COUNT];
    uint64_t looks[WALL_HOWS];
    uint64_t closed_ns, closed_answer_ns, closed_answers; /* for threads that have ended: lifetimes; time and number of their handlers */
    struct account closed_ended, began;                   /* the two parts of wall_unseen; `began`, the excess, has the opposite sign */
};

/* The state of the books for one thread. The array is indexed by slot. */
struct wall_life {
    uint32_t uid;     /* the thread's; a different one means that the slot has a new thread */
    uint64_t seen_ns; /* the last round that counted the thread; 0 = none has */
};

void wall_books_open(struct wall_books *b, uint64_t now);
/* Begins a round at `now`. Then call wall_books_alive for each thread that lives at that time, whether it was chosen or not. */
void wall_books_round(struct wall_books *b, uint64_t now, uint32_t alive, uint32_t chosen);
void wall_books_alive(struct wall_books *b, struct wall_life *life, const struct sampled_thread *t, uint64_t now, uint64_t before);
/* Add the weight of a sample that was recorded, and of one that could not be recorded. */
void wall_books_sample(struct wall_taken *taken, enum jfr_thread_state state, enum evidence evidence, enum outcome outcome, uint64_t ns);
void wall_books_drop(struct wall_taken *taken, uint64_t ns);
void wall_books_ended(struct wall_books *b, uint64_t ns);
/* Closes the books of a thread whose slot is about to be freed. */
void wall_books_close_thread(struct wall_books *b, const struct wall_life *life, const struct sampled_thread *t);
uint64_t wall_books_lost(const struct wall_books *b, const struct wall_taken *taken); /* returns the number of lost samples */
/* Returns the CPU time of the handlers that answered, for threads with a slot below `limit` and for threads that have ended. */
uint64_t wall_books_cost_ns(const struct wall_books *b, uint32_t limit);
/* Writes all lines of a recording as of now. lives: indexed by slot; `limit` slots are in use. */
void wall_books_write(const struct wall_books *b, const struct wall_taken *taken, const struct wall_life *lives, uint32_t limit,
                      struct jfr_writer *w, jfr_write_book *write);

#endif
