/* A whole input as one piece of memory, unpacked if its content shows that it is packed, whatever its name.
 *
 *   intake_open -> bytes, size -> intake_close
 *
 * A plain file of INTAKE_MAP_FROM bytes or more is mapped; everything else is read into a spool (spool.h), so that memory stays
 * bounded for any input. Several packed streams in sequence are one input, as for gzip and zstd.
 *
 * Packed input that is cut off or damaged gives the bytes up to that point, and `damage` says so. Input that unpacks to nothing
 * usable or to more than the limit is refused, with one line. The limit is INTAKE_SIZE_MAX, or INTAKE_RATIO_MAX times the bytes
 * read once that is more than INTAKE_RATIO_FROM bytes. */
#ifndef CANDOR_COMPRESS_INTAKE_H
#define CANDOR_COMPRESS_INTAKE_H

#include "base/error.h"
#include "compress/spool.h"

#include <stdbool.h>

#define INTAKE_MAP_FROM   ((uint64_t)64 << 20)
#define INTAKE_SIZE_MAX   ((uint64_t)8 << 30)
#define INTAKE_RATIO_FROM ((uint64_t)64 << 20)
enum { INTAKE_RATIO_MAX = 200 };

struct intake {
    const uint8_t *bytes;
    uint64_t size;
    uint64_t packed_size;      /* bytes read; size when it was not packed */
    const struct codec *codec; /* NULL = it was not packed */
    char damage[160];          /* "" = none */
    struct spool spool;
    bool mapped;
};

/* The limit for unpacking any packed input in this process, instead of both limits above. 0 = the default. */
void intake_set_limit(uint64_t bytes);

/* The name of a path in error messages: "-" is standard input. */
const char *intake_name(const char *path);
/* 0 or a negative code with its error. */
int intake_open(struct intake *in, const char *path, struct error *e);
/* The same from memory: unpacks if it is packed, else borrows. */
int intake_open_memory(struct intake *in, const void *bytes, size_t size, const char *name, struct error *e);
/* The same, but input that has more than `most` bytes when unpacked is refused: -EFBIG. */
int intake_open_memory_within(struct intake *in, const void *bytes, size_t size, uint64_t most, const char *name, struct error *e);
/* Borrows what another one has unpacked, for as long as that is open: for a reader that takes its input over. */
void intake_view(struct intake *view, const struct intake *of);
void intake_close(struct intake *in);

#endif
