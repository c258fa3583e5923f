/* A column of numbers in the store's files: varints, packed by zstd, with a checksum. The owner of the file knows what the numbers
 * mean.
 *
 *     u32 packed bytes | u32 unpacked bytes | u64 XXH3 of the packed bytes | packed bytes          (little-endian) */
#ifndef CANDOR_STORE_FILES_COLUMN_H
#define CANDOR_STORE_FILES_COLUMN_H

#include "base/buffer.h"

#include <stddef.h>
#include <stdint.h>

enum { COLUMN_HEAD = 16, COLUMN_BYTES_MAX = 1 << 30 };

/* A varint: seven bits a byte, the lowest first, 1 to 10 bytes. */
void column_put(struct buffer *plain, uint64_t v);
/* The same of a difference, small in either direction. */
void column_put_signed(struct buffer *plain, int64_t v);

/* Packs the plain bytes behind `out`. 0 or -ENOMEM. */
int column_pack(struct buffer *out, const struct buffer *plain);

struct column { /* being read */
    uint8_t *bytes;
    size_t size, at;
    int bad; /* it ended too early; later reads give 0 */
};

/* Moves *at to the end of the column that begins there. 0 or -EBADMSG. */
int column_skip(const uint8_t *file, size_t size, size_t *at);
/* Unpacks it and moves on: 0, -ENOMEM or -EBADMSG. column_close ends it. */
int column_open(struct column *c, const uint8_t *file, size_t size, size_t *at);
uint64_t column_next_long(struct column *c); /* of any length */

static inline uint64_t column_next(struct column *c)
{
    return c->at < c->size && c->bytes[c->at] < 0x80 ? c->bytes[c->at++] : column_next_long(c);
}

static inline int64_t column_next_signed(struct column *c)
{
    uint64_t v = column_next(c);
    return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}
/* Borrows n bytes; NULL if there are fewer. */
const void *column_bytes(struct column *c, size_t n);
void column_close(struct column *c);

#endif
