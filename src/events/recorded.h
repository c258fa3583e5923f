/* Finds out which events were enabled in a recording. The absence of a type means something only if it was enabled. */
#ifndef CANDOR_EVENTS_RECORDED_H
#define CANDOR_EVENTS_RECORDED_H

#include "base/text/time_range.h"
#include "jfr/read/pass.h"

#include <stdbool.h>
#include <stdint.h>

enum { RECORDED_MAX = 64 };

/* The difference between two events jdk.ExceptionStatistics: the number of all exceptions thrown, caught or not, and the time between
 * the events. */
struct recorded_throws {
    uint64_t count, ns;
};

/* What one pass over a file finds (jfr/read/pass.h). The caller sets the first three members, and clears `in`, which has event_count
 * elements. */
struct recorded {
    const char *const *events;
    uint32_t event_count; /* at most RECORDED_MAX */
    bool *in;             /* in[i]: events[i] was recorded, as below */
    uint32_t processors;
    struct recorded_count *counts; /* of all exceptions */
    uint32_t count, cap, chunk;
};

int recorded_take(void *recorded, struct jfr_chunk *chunk);
/* Returns the sum, over all chunks, of the differences between the first and the last count within that time. */
struct recorded_throws recorded_throws_within(const struct recorded *r, const struct time_range *within);
void recorded_deinit(struct recorded *r);

/* Does all of that. Sets in[i] if events[i] was recorded: a chunk has such events, or a jdk.ActiveSetting says that they were enabled.
 * count is at most RECORDED_MAX. throws: the difference between the first and the last count within that time. processors: the number of
 * the machine's processors according to jdk.CPUInformation; 0 = unknown. Returns 0 or a negative code with e. */
int recorded_events(const struct jfr_file *file, const char *const *events, uint32_t count, const struct time_range *within, bool *in,
                    struct recorded_throws *throws, uint32_t *processors, struct error *e);

#endif
