/* The contexts of the samples in a chunk, each once, as the writer needs them (struct jfr_context). An endless recording has
 * endlessly many contexts, so only those of one chunk are kept, at most CONTEXTS_MAX. Later ones lose the ids of their trace and
 * span, and share an entry with others that are otherwise equal. Texts of endpoints and labels are kept for the whole recording,
 * CONTEXT_TEXTS_MAX of them; others become "(other)". Losses are counted (context_lost in hot/context.h). Collector only. */
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
    struct map by_hash;     /* of the chunk's contexts: -> number */
    struct jfr_context *all;
    uint32_t count, cap;
    struct map texts; /* hash -> string id */
};

void contexts_init(struct contexts *c, struct strtab *strings);
void contexts_deinit(struct contexts *c);
/* Forgets the contexts, as a new chunk begins; their texts stay. */
void contexts_new_chunk(struct contexts *c);
/* The id that events of this chunk use for the context in a record's words (hot/context.h); 0 = there were no words, or the context
 * is empty. */
uint32_t contexts_add(struct contexts *c, const uint64_t *words, size_t count);
/* By id. */
void contexts_get(const struct contexts *c, uint32_t id, struct jfr_context *out);

#endif
