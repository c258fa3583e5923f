/* The books: where every nanosecond of the process's CPU time went, as far as it is known (docs/formats/recording.md).
 *
 *   cpu = complete + truncated + failed(reason) + lost(reason) + unseen(reason) + residual
 *
 * `cpu` is the process CPU clock; complete, truncated and failed are summed from drained records; lost and unseen come from the threads'
 * own counters and clocks. The two sides meet only in `residual`: a record that vanished on the way is missing on the right of the equation
 * and shows there.
 *
 * Recordings that run at the same time share the samples, and therefore these books. Only struct books_taken exists once for each
 * recording. Only the collector uses this file. */
#ifndef CANDOR_AGENT_COLLECT_BOOKS_BOOKS_H
#define CANDOR_AGENT_COLLECT_BOOKS_BOOKS_H

#include "agent/hot/thread/thread.h"
#include "agent/trigger/clocks/clock.h"
#include "base/agreed/reasons.h"

#include <stdint.h>

struct account {
    int64_t ns;
    uint64_t count;
};

/* The samples that one recording has taken. */
struct books_taken {
    struct account outcomes[OUTCOME_COUNT];
    struct account dropped; /* samples that could not be written */
    uint64_t samples;
};

struct books {
    uint64_t cpu_at_start;                       /* process CPU clock */
    uint64_t own_at_start;                       /* the collector's CPU clock */
    uint64_t kernel_at_start, switches_at_start; /* system time and context switches by the kernel's own account */
    uint64_t signal_cost_ns;                     /* the cost of a sample in addition to the handler's time; 0 = unknown */
    uint64_t samples;
    uint64_t cpu_at_fault, own_at_fault; /* the same two clocks when a fault in the agent ended sampling; 0 = there was no fault */
    uint64_t cpu_at_end, own_at_end;     /* the same two clocks when sampling ended */
    /* The accounts of threads that have ended, and of the collector. */
    struct account closed_lost[LOSS_COUNT];
    int64_t closed_unseen[UNSEEN_COUNT];
    struct account closed_slow[SUPPRESSION_COUNT];
    uint64_t closed_handler_ns;
};

struct books_balance {
    int64_t cpu_ns, residual_ns, own_cost_ns;
    uint64_t switches; /* context switches of the process's threads */
    struct account lost[LOSS_COUNT];
    int64_t unseen_ns[UNSEEN_COUNT];
    struct account suppressed[SUPPRESSION_COUNT]; /* not a part of the sum: expiries that did not happen, and their CPU time */
};

/* Returns the CPU time of the collector's thread in ns. */
uint64_t books_own_cpu(void);

void books_open(struct books *b, uint64_t signal_cost_ns);
/* Add a sample that was written, and a sample that could not be written. */
void books_take(struct books_taken *t, enum outcome outcome, uint64_t weight_ns);
void books_drop(struct books_taken *t, uint64_t weight_ns);
/* Takes over the counters of a thread whose slot is about to be freed. */
void books_close_thread(struct books *b, const struct clock *clock, const struct sampled_thread *t);
/* Returns the time in ns that the sampled threads spent in samples, as far as it is known. */
uint64_t books_samples_ns(const struct books *b);
/* Notes a fault in the agent, after which all CPU time of the process is unseen. cpu_ns: the process CPU clock at the fault. */
void books_fault(struct books *b, uint64_t cpu_ns);
/* Notes that sampling has ended. The accounted time ends here, too, because no thread's books contain the work that ends the recording. */
void books_end(struct books *b);
/* Computes the balance of the recording that has taken these samples. clock: the clock with the interval of that recording. */
void books_balance(const struct books *b, const struct books_taken *taken, const struct clock *clock, struct books_balance *out);

#endif
