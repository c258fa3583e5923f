/* The labels of a sample's context (candor.types.Context, docs/formats/recording.md): the work that the thread did. Each entry
 * of the constant pool is taken into the profile once; keys of the pool are valid within one chunk only. */
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

/* The field of an event type that holds a context, or NULL. */
const struct jfr_field *load_context_field(const struct jfr_type *type);
/* The set of labels in field f of the event: 0 when it has no context, or f is NULL. 0 or -ENOMEM. */
int load_context(struct load_context *c, struct jfr_event *event, const struct jfr_field *f, uint32_t *labels);

#endif
