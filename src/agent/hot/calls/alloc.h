/* Takes samples of allocations. The JVM's callback calls this code on the thread that allocated. It walks the stack from the thread's last
 * Java frame and appends one record to the thread's lane (hot/thread/lane.h).
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
 * The code is wait-free except for the JVM's own part. */
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
    ALLOC_BUFFERED_MAX = 16 << 10, /* most objects up to this size are allocated in their thread's buffer */
    ALLOC_WORDS_MAX = ALLOC_HEAD + FRAMES_MAX + 1 + LANE_CLASS_WORDS_MAX + RECORD_VIRTUAL_MAX + CONTEXT_WORDS_MAX + 1
};

struct alloc_lane {
    struct lane lane;
    uint32_t beginning; /* config.beginning at the last sample; if it differs, the two members below are outdated */
    uint64_t interval;  /* the interval with which the JVM drew the next sample's place; 0 = it was drawn before the recording */
    uint64_t counted;   /* bytes that the JVM had counted at the last sample; 0 = unknown */
};

/* The state that all callbacks share. The collector writes it before it sets `on`, except for the atomic members. */
struct alloc_config {
    _Atomic bool on;
    uint32_t beginning;                  /* how often the event has begun */
    bool is_bounded;                     /* by `tokens` */
    bool shortens_gaps;                  /* the JVM (before 17) draws the next gap too short after a sampled object */
    _Atomic bool with_references;        /* make references to the objects */
    uint64_t first_interval;             /* the JVM's interval before the recording, with which threads had drawn until then */
    _Atomic uint64_t interval;           /* the JVM's present interval */
    _Atomic int64_t tokens;              /* samples that may be taken until the collector's next turn */
    _Atomic uint64_t drawn, drawn_bytes; /* samples that the JVM drew, taken or lost, and their weight */
    _Atomic uint64_t lost[ALLOCATION_LOSS_COUNT], lost_bytes[ALLOCATION_LOSS_COUNT]; /* samples that were not taken, and their weight */
};
extern struct alloc_config alloc_config;

/* One sampled allocation, as the JVM reports it. */
struct alloc_event {
    uintptr_t java_thread;
    int64_t thread_id;     /* the id of the java.lang.Thread; if a virtual thread runs, its id; 0 = unknown */
    const char *signature; /* the signature of the object's class */
    uint64_t size;
    uintptr_t reference;  /* a weak reference to the object; 0 = none */
    uint32_t collections; /* number of collections that had begun by then; 0 if there is no reference */
};

/* Whether the callback must make a reference for the next event. alloc_take may still refuse that reference. */
bool alloc_wants_reference(void);
/* Takes the sample. It is called by the callback, and preserves errno. If it returns false, the event's reference, if any, still belongs to
 * the caller. */
bool alloc_take(const struct alloc_event *event);

/* Returns the number of bytes that a sample stands for. An object of `size` bytes is drawn with the probability 1 - e^(-size/interval), or
 * a little more if the JVM shortens gaps (docs/internals/sampling-math.md). If the interval is 0, all objects are drawn, and the result is
 * the size itself. */
uint64_t alloc_weight(uint64_t size, uint64_t interval);
/* Counts a sample that was not taken, or that could not be recorded. Any thread may call it. */
void alloc_lose(enum allocation_loss why, uint64_t weight);

/* The lanes, each a struct alloc_lane. */
extern struct lane_table alloc_lanes;
void alloc_lane_open(const struct sampled_thread *t, struct candor_pool *pool);

#endif
