/* Writes and reads columns of numbers in the store's files: varints, packed by zstd, with a checksum. The owner of the file knows what the
 * numbers mean.
 *
 *     u32 packed bytes | u32 unpacked bytes | u64 XXH3 of the packed bytes | packed bytes          (little-endian) */
#ifndef CANDOR_STORE_FILES_COLUMN_H
#define CANDOR_STORE_FILES_COLUMN_H

#include "base/buffer.h"

#include <stddef.h>
#include <stdint.h>

enum { COLUMN_HEAD = 16, COLUMN_BYTES_MAX = 1 << 30 };

/* Appends a varint: seven bits per byte, the lowest first, 1 to 10 bytes. */
void column_put(struct buffer *plain, uint64_t v);
/* Appends a difference as a varint. Differences close to zero are short, positive or negative. */
void column_put_signed(struct buffer *plain, int64_t v);

/* Packs the plain bytes, and appends the column to `out`. Returns 0 or -ENOMEM. */
int column_pack(struct buffer *out, const struct buffer *plain);

struct column { /* a column that is being read */
    uint8_t *bytes;
    size_t size, at;
    int bad; /* a read went beyond the end; later reads return 0 */
};

/* Moves *at to the end of the column that begins there. Returns 0 or -EBADMSG. */
int column_skip(const uint8_t *file, size_t size, size_t *at);
/* Unpacks the column at *at, and moves *at to its end. Returns 0, -ENOMEM or -EBADMSG. The caller ends a column with column_close. */
int column_open(struct column *c, const uint8_t *file, size_t size, size_t *at);
uint64_t column_next_long(struct column *c); /* reads a number of any length */

static inline uint64_t column_next(struct column *c)
{
    return c->at < c->size && c->bytes[c->at] < 0x80 ? c->bytes[c->at++] : column_next_long(c);
}

static inline int64_t column_next_signed(struct column *c)
{
    uint64_t v = column_next(c);
    return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}
/* Returns the next n bytes, which the column still owns. Returns NULL if fewer are left. */
const void *column_bytes(struct column *c, size_t n);
void column_close(struct column *c);

#endif
