/* The collector's part of the event alloc: it turns records of sampled allocations into events with weights, adapts the
 * sampling interval to the requested rate, and keeps the books. It is independent of the clocks' part; sampling.c and its parts
 * call it.
 *
 *   allocations_start -> [ allocations_drain* allocations_tick allocations_write ]* -> allocations_stop
 *
 * Its books (docs/formats/recording.md), in bytes: the weight of the recorded samples, the weight of the lost ones, and a part
 * of the total as the JVM itself counted it, which shows whether this JVM samples correctly. All on the agent's thread. */
#ifndef CANDOR_AGENT_COLLECT_ALLOC_ALLOCATIONS_H
#define CANDOR_AGENT_COLLECT_ALLOC_ALLOCATIONS_H

#include "agent/hot/thread/thread.h"
#include "agent/record/recording.h"
#include "base/error.h"
#include "jfr/write/writer.h"

#include <stdbool.h>
#include <stdint.h>

enum { ALLOCATIONS_RATE_DEFAULT = 100 };

struct alloc_options {
    uint64_t rate;     /* samples per second; 0 = ALLOCATIONS_RATE_DEFAULT */
    uint64_t interval; /* in its place: bytes, always the same; 0 = by the rate */
};

/* Before the threads are armed: 0 or -ENOMEM. */
int allocations_reserve(struct error *e);
/* When they are. 0 or a negative errno; then there is nothing to stop. */
int allocations_start(const struct alloc_options *options, struct recording *r, struct error *e);
bool allocations_running(void);
/* What a recording's chunk says of it. */
void allocations_describe(void);
/* One thread's records; shrink: its queue gives back what it does not need. */
void allocations_drain(const struct sampled_thread *t, bool shrink);
void allocations_tick(void);
void allocations_write(jfr_write_book *write, uint64_t now_ns);
uint64_t allocations_samples(void); /* in the recording */
uint64_t allocations_lost(void);
/* No callback takes another sample; what they have left can still be drained, while the slots are there. */
void allocations_silence(void);
void allocations_stop(void);

#endif
