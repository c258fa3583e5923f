/* Converts JFR events to the model, one event at a time; used only by load_crew.c and live.c.
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
#include "profile/load/load_threads.h"
#include "profile/profile.h"

enum { LOAD_LABELS_MAX = 32, LOAD_FIELDS_KEPT = 16 /* a power of two */ };

struct load_fields { /* fields of one type of samples; NULL = the type lacks the field */
    const struct jfr_type *type;
    const struct jfr_field *stack, *thread, *state, *outcome, *weight, *object_class, *object, *context, *owner_context, *window, *chance,
        *same_wait;
    const struct jfr_field *lock_class, *owner, *address, *finished, *timeout, *until; /* of waits for locks */
    const struct jfr_field *labels[LOAD_LABELS_MAX];                                   /* fields that are not the sampler's own */
    uint32_t label_count;
};

enum load_outcome { LOAD_NO_STACK, LOAD_TRUNCATED, LOAD_COMPLETE, LOAD_OUTCOMES };

struct load {
    struct profile *profile;
    struct load_part *part;
    struct load_stacks *stacks; /* borrowed */
    struct load_threads threads;
    struct load_context contexts;
    int (**handlers)(struct load *l, struct jfr_event *event); /* by type index; NULL = events of this type are ignored */
    uint64_t *counts;                                          /* by type index: number of events, for types that have a stack */
    uint64_t types[LOAD_RANKS];                                /* type ids of the ranks' events in this chunk; 0 = not in the chunk */
    uint64_t least_weight;                                     /* least weight of a jdk.CPUTimeSample in the chunk or period; 0 = none */
    struct load_fields fields[LOAD_FIELDS_KEPT];               /* by the last bits of the type's index */
    struct map classes;                                        /* pool key -> string id of the class for users */
    uint32_t outcomes[LOAD_OUTCOMES];                          /* string ids; 0 = no sample has had this outcome yet */
    uint32_t last_outcome;                                     /* string id: what the last event with an outcome had */
    _Atomic uint64_t *holders_read;                            /* shared by all readers of the recording (load_holders.h) */
};

/* Creates a reader. Of p, only the kind matters here. stacks: receives the stacks of the samples, in p or in another profile. At each
 * chunk the caller begins it anew, before this reader. holders_read: a counter, initially 0, that all readers of one recording share. Both
 * must outlive the reader. */
int load_new(struct load **out, struct profile *p, struct load_stacks *stacks, _Atomic uint64_t *holders_read);
void load_free(struct load *l); /* NULL is fine */
/* Begins a chunk. Reset the part first. */
int load_begin_chunk(struct load *l, struct jfr_chunk *chunk, struct load_part *part);
/* Continues a chunk that has grown. Its part has been reset, and receives only the new data. */
void load_go_on(struct load *l, struct jfr_chunk *chunk);
int load_event(struct load *l, struct jfr_event *event);
/* Ends the part. Call it after the part's last event. */
int load_end_part(struct load *l, struct jfr_chunk *chunk);

#endif
