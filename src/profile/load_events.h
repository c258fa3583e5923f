/* From JFR events to the model, one event at a time; the inside of load_jfr.c.
 *
 *   load_new -> for each chunk: load_begin_chunk, load_event ... -> load_free
 *
 * Functions return 0 or -ENOMEM. What an event says wrongly becomes a problem of the profile. */
#ifndef CANDOR_PROFILE_LOAD_EVENTS_H
#define CANDOR_PROFILE_LOAD_EVENTS_H

#include "jfr/reader.h"
#include "profile/load_stacks.h"
#include "profile/profile.h"

/* The kinds of sample, the better ones behind: a better one drives out the others. */
enum load_rank { LOAD_NOTHING, LOAD_EXECUTION, LOAD_SAFEPOINT, LOAD_CPU_TIME, LOAD_CANDOR };

struct load {
    struct profile *profile;
    struct load_stacks stacks;
    int (**handlers)(struct load *l, struct jfr_event *event); /* by type index; NULL = not ours */
    uint64_t execution_type;                                   /* type ids in this chunk, 0 = none */
    uint64_t cpu_time_type;

    uint64_t *cpus; /* the last CPU time of each thread of the agent */
    uint32_t cpu_count, cpu_cap;
    struct map cpu_places; /* (pool key, thread) -> place in cpus */

    enum load_rank rank;
    uint64_t execution_period; /* from jdk.ActiveSetting, 0 = unknown */
    uint64_t cpu_time_period;  /* the same, or the smallest weight of a jdk.CPUTimeSample */
    uint64_t native_samples;   /* not used: jdk.NativeMethodSample */
    uint64_t lost_samples;     /* that jdk.CPUTimeSamplesLost tells of */
    uint64_t refused;          /* samples with an impossible weight */
};

int load_new(struct load **out, struct profile *p);
void load_free(struct load *l); /* NULL is fine */
int load_begin_chunk(struct load *l, struct jfr_chunk *chunk);
int load_event(struct load *l, struct jfr_event *event);

#endif
