/* The definitions that the reader's files share:
 *
 *   reader.c    the file and where its chunks are          chunk.c     one chunk: scan, events
 *   metadata.c  types out of the metadata event            layout.c    their sizes; what cannot be decoded
 *   pool.c      constant pools out of the checkpoints      value.c     typed access
 *   text.c      strings                                    resolve.c   threads, methods, stack traces
 *   follow.c    a file that grows */
#ifndef CANDOR_JFR_READ_READER_INTERNAL_H
#define CANDOR_JFR_READ_READER_INTERNAL_H

#include "base/buffer.h"
#include "base/map.h"
#include "base/strtab.h"
#include "compress/intake.h"
#include "jfr/read/input.h"
#include "jfr/read/reader.h"

enum {
    JFR_HEADER_BYTES = 68,
    JFR_TYPES_MAX = UINT16_MAX,
    JFR_DEPTH_MAX = 32, /* depth of structs within structs */
    JFR_SMALL_IDS = 4096,
    JFR_NAME_COMPARED = 64, /* bytes of a field's name that are compared if fields are sorted */
    JFR_METADATA_TYPE = 0,
    JFR_CHECKPOINT_TYPE = 1,
};

struct jfr_extent {
    uint64_t offset, size;
    bool cut; /* its header declares more bytes than there are; this has been reported */
};

struct jfr_file {
    const uint8_t *bytes;
    uint64_t size;
    struct intake intake;
    char *name;
    struct jfr_extent *chunks;
    uint32_t chunk_count, chunk_cap;
};

struct jfr_tally { /* for the events with one type id */
    uint64_t id, events, bytes;
};

/* The types that a chunk's metadata declares. */
struct jfr_types {
    struct jfr_type *list;
    uint32_t count, cap;
    struct jfr_field *fields;            /* of all types */
    const struct jfr_field **by_name;    /* the sorted fields of types that have many; NULL = there is no such type, or no memory */
    struct map by_id;                    /* from an id to an index */
    uint16_t by_small_id[JFR_SMALL_IDS]; /* the same for the small ids that writers use: index + 1, 0 = none */
    struct jfr_type *string;
    struct strtab texts;
    uint64_t seed;   /* like the seed of a chunk */
    uint8_t *source; /* a copy of the declaring bytes; NULL = there is none */
    size_t source_size;
};

struct jfr_method_fields { /* of the type for methods; NULL = the type lacks the field */
    const struct jfr_type *type;
    const struct jfr_field *parts[JFR_METHOD_PARTS], *class_name, *hidden;
};

struct jfr_trace_fields { /* of the type for stack traces, and of the type for their frames */
    const struct jfr_type *type;
    const struct jfr_field *frames, *truncated, *method, *line, *bci, *frame_type;
};

struct jfr_chunk {
    const struct jfr_file *file;
    uint32_t index;
    struct jfr_problems *problems; /* only during jfr_chunk_open */
    struct jfr_chunk_info info;
    const uint8_t *bytes, *end; /* end: of the last complete event */
    bool out_of_memory;
    /* Mixed into the keys of every hash table, so that the author of the file cannot choose keys that collide. */
    uint64_t seed;

    struct jfr_types *types;
    struct jfr_declared *declared; /* may provide the types, and receives them; NULL = the types end with the chunk */
    struct strtab names;           /* converted texts */
    struct map texts;              /* from the offset of a converted string to its id in names */
    struct buffer scratch;
    struct jfr_method_fields method; /* looked up for the first method */
    struct jfr_trace_fields trace;   /* looked up for the first stack trace */

    struct jfr_tally *tallies; /* found by the scan */
    uint32_t tally_count, tally_cap;
    uint64_t *checkpoints; /* offsets of the checkpoint events */
    uint32_t checkpoint_count, checkpoint_cap;
    uint64_t metadata; /* offset of the last metadata event, 0 = none */
};

/* reader.c */
void jfr_problem_add(struct jfr_problems *p, uint32_t chunk, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* chunk.c. Whether anything in the chunk can be read. Returns 0, -EINVAL (a problem was added) or -ENOMEM. */
int jfr_chunk_probe(const struct jfr_file *f, uint32_t index, struct jfr_problems *problems);

/* chunk.c. Adds data that follows the chunk's content, up to `size` bytes. The earlier content keeps its address. Returns 0 or -ENOMEM. */
int jfr_chunk_extend(struct jfr_chunk *c, uint64_t size);

/* metadata.c, layout.c. Reads the types. Returns 0, -EINVAL (not readable, a problem was added) or -ENOMEM. */
int jfr_metadata_read(struct jfr_chunk *c);
struct jfr_types *jfr_types_new(uint64_t seed); /* returns NULL if there is no memory */
void jfr_types_free(struct jfr_types *t);       /* t may be NULL */
void jfr_layout(struct jfr_types *types);
struct jfr_type *jfr_type_by_large_id(const struct jfr_types *t, uint64_t id);

static inline struct jfr_type *jfr_types_by_id(const struct jfr_types *t, uint64_t id)
{
    if (id >= JFR_SMALL_IDS)
        return jfr_type_by_large_id(t, id);
    return t->by_small_id[id] ? &t->list[t->by_small_id[id] - 1] : NULL;
}

static inline struct jfr_type *jfr_type_by_id(const struct jfr_chunk *c, uint64_t id)
{
    return jfr_types_by_id(c->types, id);
}

/* pool.c */
int jfr_pools_read(struct jfr_chunk *c, uint32_t from); /* reads the checkpoints from this one on */
void jfr_pool_free(struct jfr_pool *p);

/* value.c. Returns where the field ends, or NULL. */
const uint8_t *jfr_skip_content(const struct jfr_field *f, const uint8_t *at, const uint8_t *end);
static inline const uint8_t *jfr_skip_field(const struct jfr_field *f, const uint8_t *at, const uint8_t *end)
{
    if (f->varints)
        return input_skip_varint(at, end);
    return f->fixed ? input_skip(at, end, f->fixed) : jfr_skip_content(f, at, end);
}
const uint8_t *jfr_skip_type(const struct jfr_type *type, const uint8_t *at, const uint8_t *end);
struct jfr_value jfr_value_at(struct jfr_chunk *c, const struct jfr_field *f, const uint8_t *at, const uint8_t *end);

/* text.c */
const uint8_t *jfr_skip_string(const uint8_t *at, const uint8_t *end);
struct jfr_text jfr_text_at(struct jfr_chunk *c, const uint8_t *at, const uint8_t *end);
/* Returns the text with dots in place of slashes. It is valid as long as the chunk. */
struct jfr_text jfr_text_dotted(struct jfr_chunk *c, struct jfr_text text);

#endif
