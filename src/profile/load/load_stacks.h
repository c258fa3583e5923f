/* Reads stacks, threads and states from a chunk's constant pools, each entry once, into the profile; used only by load_events.c. The
 * pools' keys are valid within one chunk only. Functions return 0 or -ENOMEM. */
#ifndef CANDOR_PROFILE_LOAD_LOAD_STACKS_H
#define CANDOR_PROFILE_LOAD_LOAD_STACKS_H

#include "base/map.h"
#include "profile/load/load_part.h"
#include "profile/load/load_walk.h"

struct load_stacks {
    struct profile *profile;
    struct load_part *part;
    struct map stacks, threads, states; /* pool key -> id */
    struct load_walk walk;
};

int load_stacks_init(struct load_stacks *s, struct profile *p);
void load_stacks_deinit(struct load_stacks *s);
void load_stacks_new_chunk(struct load_stacks *s, struct load_part *part);

/* Reads the stack in field f of the event; the id is 0 if there is none. *truncated says whether the root is missing. In that case
 * profile_truncation_frame is at the root. */
int load_stack(struct load_stacks *s, struct jfr_event *event, const struct jfr_field *f, uint32_t *stack, bool *truncated);
/* Makes a stack for a sample without one: a pseudo frame with the reason. */
int load_no_stack(struct load_stacks *s, const char *reason, uint32_t *stack);
int load_thread(struct load_stacks *s, struct jfr_event *event, const struct jfr_field *f, uint32_t *thread);
int load_state(struct load_stacks *s, struct jfr_event *event, const struct jfr_field *f, uint8_t *state);

#endif
