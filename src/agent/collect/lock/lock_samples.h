/* Writes waits for locks into the recording, as events with names and weights. Four files use this: locks.c for waits that have ended,
 * open_waits.c and open_virtual_waits.c for waits that have not ended at the recording's end, and lock_holders.c for holders of locks that
 * other threads wait for. Only the collector calls these functions. */
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
    const uint32_t *outcome_symbols; /* indexed by enum outcome */
    struct account whole, drawn;     /* recorded waits that count with their length, and recorded waits that count with a weight */
    struct account open[LOCK_KINDS]; /* waits that had not ended at the recording's end */
};
extern struct lock_samples lock_samples;

struct lock_sample {
    const struct sampled_thread *thread; /* NULL: a virtual thread without a carrier */
    uint32_t virtual_id;                 /* the virtual thread's id in the event; 0 = none */
    uint32_t stack, class_name;
    uint32_t context, owner_context; /* 0 = none */
    enum outcome outcome;
    const struct lock_wait *wait;
    bool has_class, is_open;
};

void lock_samples_begin(struct recording *r, const uint32_t *outcome_symbols);
void lock_samples_take(const struct lock_sample *s);
/* Names the thread, and interns the frames of a walk. Returns the stack's id. The function changes the frames in place, and may add one
 * frame. */
uint32_t lock_samples_stack(const struct sampled_thread *t, enum outcome outcome, uint64_t *frames, size_t count);
/* Does the same for a thread without a stack walk: its stack is one pseudo frame with this name. */
uint32_t lock_samples_pseudo_stack(const struct sampled_thread *t, const char *name);
uint32_t lock_samples_outcome(enum outcome outcome); /* returns its symbol */
void lock_samples_count_open(enum lock_kind kind, uint64_t ns);

#endif
