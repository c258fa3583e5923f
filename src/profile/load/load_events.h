/* From JFR events to the model, one event at a time; the inside of load_crew.c.
 *
 *   load_new -> for each chunk: load_begin_chunk, load_event ..., load_end_part -> load_free
 *
 * Names and stacks go into the profile of the reading thread, everything else into the chunk's part. Functions return 0 or
 * -ENOMEM. Wrong data in an event becomes a problem of the profile. */
#ifndef CANDOR_PROFILE_LOAD_LOAD_EVENTS_H
#define CANDOR_PROFILE_LOAD_LOAD_EVENTS_H

#include "jfr/read/reader.h"
#include "profile/load/load_context.h"
#include "profile/load/load_part.h"
#include "profile/load/load_stacks.h"
#include "profile/profile.h"

enum { LOAD_LABELS_MAX = 32 };

struct load_fields { /* of a type of samples; NULL = it lacks the field */
    const struct jfr_type *type;
    const struct jfr_field *stack, *thread, *state, *outcome, *weight, *object_class, *object, *context, *window;
    const struct jfr_field *labels[LOAD_LABELS_MAX]; /* fields that the sampler itself knows nothing of */
    uint32_t label_count;
};

enum load_outcome { LOAD_NO_STACK, LOAD_TRUNCATED, LOAD_COMPLETE, LOAD_OUTCOMES };

struct load {
    struct profile *profile;
    struct load_part *part;
    struct load_stacks stacks;
    struct load_context contexts;
    int (**handlers)(struct load *l, struct jfr_event *event); /* by type index; NULL = not ours */
    uint64_t *counts;                                          /* by type index; events of types that show a stack */
    uint64_t types[LOAD_RANKS];                                /* ids of their types in this chunk, 0 = none */
    uint64_t least_weight;                                     /* of a jdk.CPUTimeSample, since the chunk or a period began; 0 = none yet */
    struct load_fields fields;                                 /* of the last sample's type */
    uint32_t outcomes[LOAD_OUTCOMES];                          /* their strings; 0 = none has it yet */
    _Atomic uint64_t *holders_read;                            /* by all that read the recording (load_holders.h) */
};

/* Only the kind of p matters here. holders_read: a counter, 0 at first, which all readers of the same recording share, and which
 * outlives them. */
int load_new(struct load **out, struct profile *p, _Atomic uint64_t *holders_read);
void load_free(struct load *l); /* NULL is fine */
/* Begins a chunk. Reset the part before. */
int load_begin_chunk(struct load *l, struct jfr_chunk *chunk, struct load_part *part);
/* Continues a chunk that has grown. Its part was reset, and receives only the new data. */
void load_go_on(struct load *l, struct jfr_chunk *chunk);
int load_event(struct load *l, struct jfr_event *event);
/* Call it when all events of the part have been given. */
int load_end_part(struct load *l, struct jfr_chunk *chunk);

#endif
