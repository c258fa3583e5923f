/* Reads a whole input into one piece of memory. If its content shows that it is packed, it is unpacked, whatever its name.
 *
 *   intake_open -> bytes, size -> intake_close
 *
 * A plain file of INTAKE_MAP_FROM bytes or more is mapped. Everything else is read into a spool (spool.h), so that the memory is limited
 * for any input. Several packed streams one after the other are one input, as for gzip and zstd.
 *
 * If packed input is cut off or damaged, the result is the bytes up to that point, and `damage` says so. Input that unpacks to nothing
 * usable, or to more than the limit, is refused with a message. The limit is INTAKE_SIZE_MAX. If the unpacked input has more than
 * INTAKE_RATIO_FROM bytes, the limit is also INTAKE_RATIO_MAX times the bytes read. */
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
    uint64_t packed_size;      /* bytes that were read; equals size if the input was not packed */
    const struct codec *codec; /* NULL = the input was not packed */
    char damage[160];          /* "" = none */
    struct spool spool;
    bool mapped;
};

/* Sets the limit for unpacking any input in this process, instead of both limits above. 0 = the default. */
void intake_set_limit(uint64_t bytes);

/* Returns the name of a path for error messages. "-" is standard input. */
const char *intake_name(const char *path);
/* Reads a file. Returns 0 or a negative code with a message in e. */
int intake_open(struct intake *in, const char *path, struct error *e);
/* Reads from memory: unpacks the bytes if they are packed; otherwise borrows them. */
int intake_open_memory(struct intake *in, const void *bytes, size_t size, const char *name, struct error *e);
/* The same, but input that has more than `most` bytes when unpacked is refused: -EFBIG. */
int intake_open_memory_within(struct intake *in, const void *bytes, size_t size, uint64_t most, const char *name, struct error *e);
/* Borrows the unpacked bytes of another intake, which must stay open meanwhile. It is for a reader that takes its input over. */
void intake_view(struct intake *view, const struct intake *of);
void intake_close(struct intake *in);

#endif
