/* The last step of waits for locks on their way into the recording: writes events with names and weights. Used for waits that have
 * ended (locks.c), waits that still go on at the end (open_waits.c), and holders of locks that others wait for (lock_holders.c).
 * Collector only. */
#ifndef CANDOR_AGENT_COLLECT_LOCK_LOCK_SAMPLES_H
#define CANDOR_AGENT_COLLECT_LOCK_LOCK_SAMPLES_H

#include "agent/collect/books/books.h"
#include "agent/hot/calls/lock.h"
#include "agent/record/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lock_samples {
    struct recording *recording;
    const uint32_t *outcome_symbols; /* by enum outcome */
    struct account whole, drawn;     /* in the recording: waits recorded for their length, and others, by their weights */
    struct account open[LOCK_KINDS]; /* waits that ended with the recording */
};
extern struct lock_samples lock_samples;

struct lock_sample {
    const struct sampled_thread *thread;
    uint32_t virtual_id; /* the event's id of the virtual thread; 0 = none */
    uint32_t stack, class_name;
    enum outcome outcome;
    const struct lock_wait *wait;
    bool has_class, is_open;
};

void lock_samples_begin(struct recording *r, const uint32_t *outcome_symbols);
void lock_samples_take(const struct lock_sample *s);
/* Names the thread, and interns the frames of a walk. Returns the stack's id. The frames are changed in place, and may become one
 * more. */
uint32_t lock_samples_stack(const struct sampled_thread *t, enum outcome outcome, uint64_t *frames, size_t count);
/* The same for a thread without a stack walk: its stack is one pseudo frame with this name. */
uint32_t lock_samples_pseudo_stack(const struct sampled_thread *t, const char *name);
uint32_t lock_samples_outcome(enum outcome outcome); /* its symbol */
void lock_samples_count_open(enum lock_kind kind, uint64_t ns);

#endif
