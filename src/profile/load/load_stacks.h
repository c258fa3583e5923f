/* Reads stacks from a chunk's constant pools, each entry once, into a profile. Readers of several kinds of sample may share it: then the
 * profile has the stacks of all of them. The pools' keys are valid within one chunk only. It may go on with the chunks of another recording
 * (struct load_kept): what it knows is compared before it is used. Functions return 0 or -ENOMEM. */
#ifndef CANDOR_PROFILE_LOAD_LOAD_STACKS_H
#define CANDOR_PROFILE_LOAD_LOAD_STACKS_H

#include "base/map.h"
#include "profile/load/load_walk.h"

struct load_stacks {
    struct profile *profile;
    struct map stacks; /* pool key -> id */
    struct load_walk walk;
};

/* Call load_stacks_deinit even after a failure. */
int load_stacks_init(struct load_stacks *s, struct profile *p);
void load_stacks_deinit(struct load_stacks *s);
void load_stacks_new_chunk(struct load_stacks *s);

/* Reads the stack in field f of the event; the id is 0 if there is none. *truncated says whether the root is missing. In that case
 * profile_truncation_frame is at the root. */
int load_stack(struct load_stacks *s, struct jfr_event *event, const struct jfr_field *f, uint32_t *stack, bool *truncated);
/* Makes a stack for a sample without one: a pseudo frame with the reason. */
int load_no_stack(struct load_stacks *s, const char *reason, uint32_t *stack);

/* Stacks of several recordings, which are read one after the other. Recordings of one program have mostly the same methods, frames and
 * stacks, and a method or frame that was met before costs a fraction. After a failure, only load_kept_deinit may follow. */
struct load_kept {
    struct profile names;
    struct load_stacks stacks; /* reads into `names` */
};
int load_kept_init(struct load_kept *k); /* call load_kept_deinit even after a failure */
void load_kept_deinit(struct load_kept *k);
/* Forgets the stacks. Methods and frames stay. */
void load_kept_drop_stacks(struct load_kept *k);
size_t load_kept_bytes(const struct load_kept *k); /* of memory */

#endif
