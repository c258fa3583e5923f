/* Reads the labels of a sample's context (candor.types.Context, docs/formats/recording.md), which describe the work that the thread did.
 * Each entry of the constant pool enters the profile once. The pool's keys are valid within one chunk only. */
#ifndef CANDOR_PROFILE_LOAD_LOAD_CONTEXT_H
#define CANDOR_PROFILE_LOAD_LOAD_CONTEXT_H

#include "base/map.h"
#include "jfr/read/reader.h"
#include "profile/profile.h"

struct load_context {
    struct profile *profile;
    struct map sets, owners; /* pool key -> set of labels; of lock owners, with their own keys */
};

void load_context_init(struct load_context *c, struct profile *p);
void load_context_deinit(struct load_context *c);
void load_context_new_chunk(struct load_context *c);

/* Returns the field of an event type that has this name and holds a context, or NULL. */
const struct jfr_field *load_context_field(const struct jfr_type *type, const char *name);
/* Reads the set of labels in field f of the event. The set is 0 if the event has no context, or if f is NULL. Returns 0 or -ENOMEM. */
int load_context(struct load_context *c, struct jfr_event *event, const struct jfr_field *f, uint32_t *labels);
/* Adds the trace, span and endpoint of the context in field f to a set of labels. The context is that of a lock's owner, so the keys of
 * these labels begin with "owner_". If f is NULL, nothing is added. Returns 0 or -ENOMEM. */
int load_context_of_owner(struct load_context *c, struct jfr_event *event, const struct jfr_field *f, uint32_t *labels);

#endif
