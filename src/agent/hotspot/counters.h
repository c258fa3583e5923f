/* The JVM's performance counters, which jstat shows from outside. They are read directly, in the JVM's own process. The JVM is not
 * involved, and it never frees their memory (docs/internals/hotspot.md).
 *
 *   counters_find [counters_find_at] -> counters_value, counters_copy ...
 *
 * One thread finds the counters before other threads read them. Afterwards the agent does not change them, and any thread may read. The JVM
 * writes meanwhile. A number is always read whole. A text may be mixed with the next one, unless the reader is the thread that writes
 * it. */
#ifndef CANDOR_AGENT_HOTSPOT_COUNTERS_H
#define CANDOR_AGENT_HOTSPOT_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COUNTERS_COLLECTORS = 8, COUNTERS_SPACES = 32 };

struct counters_text {
    const char *bytes; /* NULL = there is no such text */
    size_t room;
};

/* The counters that are numbers, one per row. COUNTER(field, name): a member of struct counters; NULL = this JVM has no such counter. */
#define COUNTER_ROWS(COUNTER)                                                                                                              \
    COUNTER(safepoints, "sun.rt.safepoints")                                                                                               \
    COUNTER(safepoint_ticks, "sun.rt.safepointTime")                                                                                       \
    COUNTER(synchronizing_ticks, "sun.rt.safepointSyncTime")                                                                               \
    COUNTER(classes_loaded, "java.cls.loadedClasses")                                                                                      \
    COUNTER(classes_shared, "java.cls.sharedLoadedClasses")                                                                                \
    COUNTER(classes_unloaded, "java.cls.unloadedClasses")                                                                                  \
    COUNTER(shared_unloaded, "java.cls.sharedUnloadedClasses")                                                                             \
    COUNTER(threads_live, "java.threads.live")                                                                                             \
    COUNTER(threads_daemon, "java.threads.daemon")                                                                                         \
    COUNTER(threads_started, "java.threads.started")                                                                                       \
    COUNTER(threads_peak, "java.threads.livePeak")

#define COUNTER_FIELD(field, name) const int64_t *field;

struct counters {
    bool found;
    const uint8_t *memory;
    size_t size;
    uint64_t ticks_per_second; /* 0 = unknown, see counters_find_clock */
    COUNTER_ROWS(COUNTER_FIELD)
    struct counters_text cause, last_cause; /* of the present collection, and of the latest one that is over */
    struct {
        struct counters_text name;
        const int64_t *collections;
    } collectors[COUNTERS_COLLECTORS];
    const int64_t *spaces_used[COUNTERS_SPACES]; /* bytes in use, for each space of each generation of the heap */
    uint32_t space_count;
    const volatile int32_t *stack_overflows, *out_of_memory; /* Errors that the JVM threw; NULL = it has no such counter */
};

extern struct counters counters;

/* Finds the counters. Call it once. libjvm: a dlopen handle. */
void counters_find(void *libjvm);
/* Finds the counters by the address of the pointer to them, which comes from a symbol; 0 = unknown. It is for use if counters_find did not
 * find them. */
void counters_find_at(uintptr_t start);
/* Sets the counters of Errors: variables of the JVM, whose addresses come from symbols. 0 = unknown. */
void counters_find_errors(uintptr_t stack_overflows, uintptr_t out_of_memory);
/* Reads the counters in memory of `size` bytes. Returns false if the memory contains no counters. */
bool counters_parse(struct counters *c, const uint8_t *memory, size_t size);

/* Whether the frequency of the counters' clock is known. The JVM publishes it late in its start, after it has notified agents, so the
 * function looks again until it is known. Only the agent's thread calls it, and only that thread uses the result. */
bool counters_find_clock(void);

/* Returns the counter's value, or 0 if counter is NULL. */
uint64_t counters_value(const int64_t *counter);
/* Copies up to size - 1 bytes and ends them with a zero. */
void counters_copy(const struct counters_text *text, char *out, size_t size);
/* Returns ticks of the counters' clock as ns; 0 while the frequency is not known. */
uint64_t counters_ns(uint64_t ticks);

#endif
