/* Chunks written by hand, with whatever types and damage a test wants.
 *
 *   craft_begin -> [ craft_event -> buffer_... -> craft_event_end ]* -> craft_end
 *
 * Type ids are the caller's; 0 (metadata) and 1 (checkpoint) are the format's. */
#ifndef TESTS_JFR_CRAFT_H
#define TESTS_JFR_CRAFT_H

#include "base/buffer.h"
#include "base/time_units.h"

enum { CRAFT_FIELDS_MAX = 12, CRAFT_START_TICKS = 1000, CRAFT_START_NS = 5 * NS_PER_MS };

struct craft_field {
    const char *name;
    unsigned type;
    bool pooled, array;
    const char *annotation; /* the number of an annotation type, or NULL */
    const char *value;      /* and its value, or NULL */
};

struct craft_type {
    unsigned id;
    const char *name, *super;
    struct craft_field fields[CRAFT_FIELDS_MAX + 1];
    unsigned repeated; /* how often the first of them stands there; 0 = once */
};

/* Header and metadata of a chunk that begins where b ends; returns that place. 1 tick is 1 microsecond. */
size_t craft_begin(struct buffer *b, const struct craft_type *types, size_t count);
size_t craft_event(struct buffer *b, unsigned type);
void craft_event_end(struct buffer *b, size_t event);
/* A checkpoint with one pool; the caller puts `count` times key and value, then ends it as an event. */
size_t craft_pool(struct buffer *b, unsigned type, uint64_t count);
void craft_text(struct buffer *b, const char *text); /* as a UTF-8 string value */
void craft_end(struct buffer *b, size_t chunk);

/* A chunk that uses every kind of field, every string encoding and every resolved type; about 1 KiB. */
size_t craft_everything(struct buffer *b);
extern const char *const craft_encoding_texts[]; /* what its text.Encodings event says, in order of its fields */
enum { CRAFT_ENCODINGS = 9 };

#endif
