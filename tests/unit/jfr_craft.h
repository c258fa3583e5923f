/* Chunks written by hand, with any types and any damage that a test needs.
 *
 *   craft_begin -> [ craft_event -> buffer_... -> craft_event_end ]* -> craft_end
 *
 * The caller chooses type ids; 0 (metadata) and 1 (checkpoint) belong to the format. */
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
    const char *value;      /* and the annotation's value, or NULL */
};

struct craft_type {
    unsigned id;
    const char *name, *super;
    struct craft_field fields[CRAFT_FIELDS_MAX + 1];
    unsigned repeated; /* how often the first of them is repeated; 0 = once */
};

/* Header and metadata of a chunk that begins at the end of b; returns that position. 1 tick is 1 microsecond. */
size_t craft_begin(struct buffer *b, const struct craft_type *types, size_t count);
size_t craft_event(struct buffer *b, unsigned type);
void craft_event_end(struct buffer *b, size_t event);
/* A checkpoint with one pool. The caller appends key and value `count` times, then ends it as an event. */
size_t craft_pool(struct buffer *b, unsigned type, uint64_t count);
void craft_text(struct buffer *b, const char *text); /* encoded as a UTF-8 string value */
void craft_end(struct buffer *b, size_t chunk);

/* A chunk that uses every kind of field, every string encoding and every resolved type; about 1 KiB. */
size_t craft_everything(struct buffer *b);
extern const char *const craft_encoding_texts[]; /* the contents of its text.Encodings event, in the order of its fields */
enum { CRAFT_ENCODINGS = 9 };

#endif
