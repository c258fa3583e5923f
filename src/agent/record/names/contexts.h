/* The contexts of the samples in a chunk, each once, as the writer needs them (struct jfr_context). A recording without an end may have any
 * number of contexts, so only those of one chunk are kept, at most CONTEXTS_MAX. Later ones lose the ids of their trace and span, and share
 * an entry with others that are otherwise equal. Texts of endpoints and labels are kept for the whole recording, CONTEXT_TEXTS_MAX of them;
 * others become "(other)". Losses are counted (context_lost in hot/context.h). Only the collector uses this file. */
#ifndef CANDOR_AGENT_RECORD_NAMES_CONTEXTS_H
#define CANDOR_AGENT_RECORD_NAMES_CONTEXTS_H

#include "base/map.h"
#include "base/strtab.h"
#include "jfr/write/writer.h"

#include <stddef.h>
#include <stdint.h>

enum { CONTEXTS_MAX = 1 << 16, CONTEXT_TEXTS_MAX = 20000 };

struct contexts {
    struct strtab *strings; /* borrowed */
    struct map by_hash;     /* from a hash to the number of a context in this chunk */
    struct jfr_context *all;
    uint32_t count, cap;
    struct map texts; /* from a hash to a string id */
};

void contexts_init(struct contexts *c, struct strtab *strings);
void contexts_deinit(struct contexts *c);
/* Forgets the contexts when a new chunk begins. Their texts stay. */
void contexts_new_chunk(struct contexts *c);
/* Returns the id that events of this chunk use for the context in a record's words (hot/context.h); 0 = there were no words, or the context
 * is empty. */
uint32_t contexts_add(struct contexts *c, const uint64_t *words, size_t count);
/* Fills *out with the context that has this id. */
void contexts_get(const struct contexts *c, uint32_t id, struct jfr_context *out);

#endif
