/* Reads the labels of a sample's context (candor.types.Context, docs/formats/recording.md), which describe the work that the thread did.
 * Each entry of the constant pool enters the profile once. The pool's keys are valid within one chunk only. */
#ifndef CANDOR_PROFILE_LOAD_LOAD_CONTEXT_H
#define CANDOR_PROFILE_LOAD_LOAD_CONTEXT_H

#include "base/map.h"
#include "jfr/read/reader.h"
#include "profile/profile.h"

struct load_context {
    struct profile *profile;
    struct map sets; /* pool key -> set of labels */
};

void load_context_init(struct load_context *c, struct profile *p);
void load_context_deinit(struct load_context *c);
void load_context_new_chunk(struct load_context *c);

/* Returns the field of an event type that holds a context, or NULL. */
const struct jfr_field *load_context_field(const struct jfr_type *type);
/* Reads the set of labels in field f of the event. The set is 0 if the event has no context, or if f is NULL. Returns 0 or -ENOMEM. */
int load_context(struct load_context *c, struct jfr_event *event, const struct jfr_field *f, uint32_t *labels);

#endif
