/* Allocations: the work of the JVM's callback for a sampled allocation, on the thread that allocated. It walks the stack from
 * the thread's last Java frame and appends one record to the thread's lane (hot/thread/lane.h).
 *
 *     0        time, CLOCK_MONOTONIC ns
 *     1        size of the object, bytes
 *     2        the sampling interval with which the JVM drew where this sample falls, bytes
 *     3        bytes that the thread allocated since its previous sample, as the JVM counts them; 0 = unknown
 *     4        a weak reference to the object, which becomes the collector's; 0 = none
 *     5        if there is a reference: how many collections the JVM had begun at the allocation (trigger/jvm/live_objects.h)
 *     6..      frames, leaf first, as in hot/record.h
 *     ..       the class's signature ("Ljava/util/Map;"), 8 bytes a word, filled up with 0
 *     ..       the virtual thread, if it was one, as in hot/record.h
 *     ..n-2    the thread's context, if it has one, as there
 *     n-1      outcome in bits 0-15, words of the context in bits 16-31, of the virtual thread in bits 32-47, of the class in bits 48-63
 *
 * Wait-free except for the JVM's own part. */
#ifndef CANDOR_AGENT_HOT_CALLS_ALLOC_H
#define CANDOR_AGENT_HOT_CALLS_ALLOC_H

#include "agent/hot/record.h"
#include "agent/hot/thread/lane.h"
#include "agent/hot/thread/thread.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ALLOC_HEAD = 6,
    ALLOC_BUFFERED_MAX = 16 << 10, /* objects up to this size mostly come out of their thread's buffer */
    ALLOC_WORDS_MAX = ALLOC_HEAD + FRAMES_MAX + 1 + LANE_CLASS_WORDS_MAX + RECORD_VIRTUAL_MAX + CONTEXT_WORDS_MAX + 1
};

struct alloc_lane {
    struct lane lane;
    uint32_t beginning; /* of the config, as of the last sample: what is below is older otherwise */
    uint64_t interval;  /* with which the next sample's place was drawn; 0 = before the recording */
    uint64_t counted;   /* by the JVM at the last sample; 0 = unknown */
};

/* Shared by all callbacks. The collector writes it before it sets `on`, except for the atomic members. */
struct alloc_config {
    _Atomic bool on;
    uint32_t beginning;                  /* how often it has begun */
    bool is_bounded;                     /* by the tokens */
    bool shortens_gaps;                  /* the JVM (before 17) draws too little after a sampled object */
    _Atomic bool with_references;        /* to the objects */
    uint64_t first_interval;             /* of the JVM before the recording: what threads had drawn with until then */
    _Atomic uint64_t interval;           /* of the JVM now */
    _Atomic int64_t tokens;              /* samples that may be taken until the collector's next turn */
    _Atomic uint64_t drawn, drawn_bytes; /* by the JVM, and what they weigh; taken or lost */
    _Atomic uint64_t lost[ALLOCATION_LOSS_COUNT], lost_bytes[ALLOCATION_LOSS_COUNT]; /* the weights of samples that were not taken */
};
extern struct alloc_config alloc_config;

/* One sampled allocation, as the JVM reports it. */
struct alloc_event {
    uintptr_t java_thread;
    int64_t thread_id;     /* java.lang.Thread's, of the virtual thread if one runs; 0 = unknown */
    const char *signature; /* of the object's class */
    uint64_t size;
    uintptr_t reference;  /* to the object, weak; 0 = none */
    uint32_t collections; /* that had begun by then; of one without a reference 0 */
};

/* For the callback: whether to make a reference for the next event. alloc_take may still refuse it. */
bool alloc_wants_reference(void);
/* For the callback. False: the event's reference, if any, is still the caller's. errno is preserved. */
bool alloc_take(const struct alloc_event *event);

/* The bytes that a sample stands for: an object of `size` is drawn with the chance 1 - e^(-size/interval), or a little more where the
 * JVM shortens gaps (docs/internals/sampling-math.md). The size itself when the interval is 0, which draws all. */
uint64_t alloc_weight(uint64_t size, uint64_t interval);
/* Counts a sample that was not taken, or that could not be recorded. Any thread. */
void alloc_lose(enum allocation_loss why, uint64_t weight);

/* Of struct alloc_lane. */
extern struct lane_table alloc_lanes;
void alloc_lane_open(const struct sampled_thread *t, struct candor_pool *pool);

#endif
