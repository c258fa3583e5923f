/* The definitions that the writer's files share: writer.c (file, chunks, flushes), writer_pools.c (checkpoints), writer_events.c. */
#ifndef CANDOR_JFR_WRITE_WRITER_INTERNAL_H
#define CANDOR_JFR_WRITE_WRITER_INTERNAL_H

#include "base/buffer.h"
#include "jfr/write/id_set.h"
#include "jfr/write/key_set.h"
#include "jfr/write/writer.h"

enum {
    JFR_FRAMES_MAX = 4096,        /* most frames of one stack */
    JFR_PIECE_BYTES = 1024 * 1024 /* when a checkpoint is longer than this, it is written and the next one begins */
};

/* The header of the current chunk, as it is in the file. */
struct jfr_chunk_head {
    uint64_t at; /* its offset in the file */
    uint64_t ticks, epoch_ns;
    uint64_t last_checkpoint, metadata; /* offsets within the chunk */
    uint64_t flush_ticks;
};

/* The chunks of a recording that may discard its oldest ones (writer_ring.h). */
struct jfr_ring {
    struct jfr_chunk_head *ended; /* chunks, the oldest first, without the present one */
    uint32_t count, cap;
    uint64_t front; /* offset of the first chunk that is kept; the bytes before it are filler */
};

/* A checkpoint under construction in `out`. */
struct checkpoint {
    bool open;
    uint32_t class; /* of the present pool, 0 = none */
    uint64_t start; /* offset within the chunk */
    size_t start_at, pools_at, entries_at;
    uint32_t pools, entries;
};

/* The destinations of a writer that has no file. */
struct jfr_tee {
    struct jfr_writer *writers[JFR_TEE_MAX];
    uint32_t count;
};

struct jfr_writer {
    struct jfr_tee *tee; /* NULL = it writes a file, and uses all other members; otherwise it uses only `dropped` */
    int fd;
    int failed; /* the lasting error, 0 = none */
    bool named; /* the file had a name when the writer began */
    struct error error;
    struct jfr_writer_options options;
    struct jfr_pools answers;

    /* Positions in the file (writer_tail.h). */
    uint64_t gap;  /* the end of the published data, where the tail begins */
    uint64_t end;  /* the place of the next byte, in the tail */
    uint64_t size; /* of the file, which is the end of the tail */
    struct jfr_chunk_head head;
    struct buffer scratch; /* for writer_tail.c */
    struct jfr_ring ring;

    /* The content of the next header. */
    uint64_t metadata;        /* offsets within the chunk */
    uint64_t last_checkpoint; /* 0 = none yet */
    uint64_t flush_ticks;
    bool last_chunk;
    uint64_t birth_bytes; /* size of a chunk that has just begun */

    struct buffer events; /* since the last flush */
    uint64_t dropped;
    struct buffer out; /* the next data for the file */
    struct checkpoint checkpoint;

    /* The content of the chunk's pools. */
    struct key_set stacks, methods, classes;
    struct key_set threads; /* written with their ids, because these are the same in all chunks */
    struct id_set symbols, strings, contexts;
    struct id_set references, objects, arrays, fields, roots; /* for paths, by the id of the held object */
    struct jfr_frame frames[JFR_FRAMES_MAX];
};

/* Converts to ticks of the file's clock. */
static inline uint64_t jfr_file_ticks(const struct jfr_writer *w, uint64_t ticks)
{
    return ticks / w->options.grain;
}

/* Call it with the result of a step, 0 or a negative code: an error becomes the writer's lasting error. Returns the lasting error, or
 * 0. */
int jfr_writer_settle(struct jfr_writer *w, int rc, struct error *e);
/* Appends the events, then `out`, to the file and empties both. Returns 0 or a negative code, which is then the lasting error. */
int jfr_writer_drain(struct jfr_writer *w);
/* Encodes a string with its leading byte: NULL, empty or UTF-8. */
void jfr_put_string(struct buffer *b, const char *bytes, size_t len);
/* Returns the id of a class in its pool's set, by the symbol id of its name. */
uint32_t jfr_class_id(uint32_t name);
/* Writes the entries that every chunk has: frame types and thread states. */
int jfr_pools_write_fixed(struct jfr_writer *w);
/* Writes the pool entries to which events since the last flush refer, and which the chunk does not have yet, into `out`. Beyond
 * JFR_PIECE_BYTES, the entries and the events before them are written to the file. */
int jfr_pools_gather(struct jfr_writer *w);
void jfr_pools_clear(struct jfr_writer *w);
void jfr_pools_deinit(struct jfr_writer *w);

#endif
