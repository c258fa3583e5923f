/* Snapshots of the sampled machine code, written into the recording when a sample falls in code that the chunk does not contain yet. A
 * record identifies the code (hot/record.h): a compilation by its number, so that code that was replaced between the sample and its
 * processing is distinguished from the code now at its place; a stub or a part of the interpreter by its address. Code that could not be
 * captured is counted (account "uncaptured"). Only the collector uses this file. */
#ifndef CANDOR_AGENT_COLLECT_SAMPLING_SNAPSHOTS_H
#define CANDOR_AGENT_COLLECT_SAMPLING_SNAPSHOTS_H

#include "agent/collect/books/books.h"
#include "agent/record/recording.h"
#include "base/error.h"
#include "base/map.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    SNAPSHOT_BYTES_MAX = 1 << 20,  /* of the code in one snapshot */
    SNAPSHOT_PLACES_MAX = 1 << 16, /* in one snapshot; the code after the last of them has no place */
    SNAPSHOTS_CHUNK_PARTS = 4      /* all snapshots together may take one part in this many of a chunk's length */
};

#define CAPTURE_SYMBOL(symbol, name, meaning, remedy) CAPTURE_##symbol,
enum capture { CAPTURES_OF_CODE(CAPTURE_SYMBOL) CAPTURES };
extern const char *const capture_names[CAPTURES];

struct snapshots {
    struct recording *recording; /* NULL = the recording wants none */
    struct map by_key;           /* index in list + 1, of the last snapshot with this key */
    struct snapshot *list;
    uint32_t count, cap;
    uint64_t bytes, bytes_max; /* the size of all snapshots in this chunk, and its limit */
    bool named;                /* the stubs have been named in this chunk */
    uint32_t symbols[CAPTURES];
    struct account uncaptured[CAPTURES];
    struct map methods; /* ids by Method*, of the nmethod that is being written */
    struct place *places;
    uint32_t place_count, place_cap;
    uint8_t *buffer; /* room for SNAPSHOT_BYTES_MAX bytes, and for their digits */
};

/* Begins to take snapshots, which needs a JVM whose tables are known. Returns 0 or a negative errno. */
int snapshots_begin(struct snapshots *s, struct recording *r, struct error *e);
void snapshots_end(struct snapshots *s);
/* Notes that a new chunk has begun. Snapshots of the previous chunk must be written again when a sample refers to them. */
void snapshots_new_chunk(struct snapshots *s);
/* Writes a candor.CodeSample, and before it everything that it refers to. compilation: the number in the record. Does nothing if no code
 * was requested. */
void snapshots_sample(struct snapshots *s, const struct jfr_cpu_sample *sample, uint32_t compilation);

#endif
