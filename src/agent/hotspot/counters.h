/* The JVM's performance counters, which jstat shows from outside, read directly in our own process. The JVM is not involved,
 * and it never frees their memory (docs/internals/hotspot.md).
 *
 *   counters_find [counters_find_at] -> counters_value, counters_copy ...
 *
 * One thread finds them, before others look; afterwards they are read-only for us, and any thread may read. The JVM writes
 * meanwhile: a number is read whole; a text may be cut by the next one unless the reader is the thread that writes it. */
#ifndef CANDOR_AGENT_HOTSPOT_COUNTERS_H
#define CANDOR_AGENT_HOTSPOT_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COUNTERS_COLLECTORS = 8, COUNTERS_SPACES = 32 };

struct counters_text {
    const char *bytes; /* NULL = there is none such */
    size_t room;
};

/* The numbers, a row each. COUNTER(field, name): a member of struct counters, NULL = this JVM has none such. */
#define COUNTER_ROWS(COUNTER)                                                                                                              \
    COUNTER(safepoints, "sun.rt.safepoints")                                                                                               \
    COUNTER(safepoint_ticks, "sun.rt.safepointTime")                                                                                       \
    COUNTER(synchronizing_ticks, "sun.rt.safepointSyncTime")

#define COUNTER_FIELD(field, name) const int64_t *field;

struct counters {
    bool found;
    const uint8_t *memory;
    size_t size;
    uint64_t ticks_per_second; /* 0 = not known, see counters_find_clock */
    COUNTER_ROWS(COUNTER_FIELD)
    struct counters_text cause, last_cause; /* of a collection: under way, and the latest that is over */
    struct {
        struct counters_text name;
        const int64_t *collections;
    } collectors[COUNTERS_COLLECTORS];
    const int64_t *spaces_used[COUNTERS_SPACES]; /* bytes, of each space of each generation of the heap */
    uint32_t space_count;
};

extern struct counters counters;

/* Finds them, once; libjvm: a dlopen handle. */
void counters_find(void *libjvm);
/* For use if they were not found: by the address of the pointer to them, which comes from a symbol; 0 = unknown. */
void counters_find_at(uintptr_t start);
/* The inside of it: memory of `size` bytes. False when these are no counters. */
bool counters_parse(struct counters *c, const uint8_t *memory, size_t size);

/* The JVM publishes the frequency of their clock late in its start, after it has notified agents: looks again until it is known,
 * and returns whether it is. On the agent's thread, the only user. */
bool counters_find_clock(void);

/* 0 of none. */
uint64_t counters_value(const int64_t *counter);
/* Copies up to size - 1 bytes and ends them with a zero. */
void counters_copy(const struct counters_text *text, char *out, size_t size);
/* Ticks of the counters' clock as ns; 0 while it is not known. */
uint64_t counters_ns(uint64_t ticks);

#endif
