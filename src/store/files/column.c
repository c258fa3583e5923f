#include "store/files/column.h"

#include "store/files/checksum.h"
#include "store/files/packer.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

struct head {
    uint32_t packed, plain;
    uint64_t checksum;
} __attribute__((packed));
_Static_assert(sizeof(struct head) == COLUMN_HEAD, "column.h has its size");

void column_put(struct buffer *plain, uint64_t v)
{
    uint8_t bytes[10];
    size_t n = 0;
    for (; v >= 0x80; v >>= 7)
        bytes[n++] = (uint8_t)(v | 0x80);
    bytes[n++] = (uint8_t)v;
    buffer_put(plain, bytes, n);
}

void column_put_signed(struct buffer *plain, int64_t v)
{
    column_put(plain, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

int column_pack(struct buffer *out, const struct buffer *plain)
{
    if (plain->failed || plain->len > COLUMN_BYTES_MAX)
        return -ENOMEM;
    size_t bound = ZSTD_compressBound(plain->len), start = out->len;
    struct head *head = (struct head *)buffer_reserve(out, COLUMN_HEAD + bound);
    if (!head)
        return -ENOMEM;
    size_t packed = packer_pack(head + 1, bound, plain->data, plain->len);
    if (!packed)
        return -ENOMEM;
    head = (struct head *)(out->data + start);
    head->packed = htole32((uint32_t)packed);
    head->plain = htole32((uint32_t)plain->len);
    head->checksum = htole64(checksum_of(head + 1, packed));
    buffer_advance(out, COLUMN_HEAD + packed);
    return 0;
}

static int read_head(const uint8_t *file, size_t size, size_t at, struct head *head)
{
    if (at > size || size - at < COLUMN_HEAD)
        return -EBADMSG;
    memcpy(head, file + at, COLUMN_HEAD);
    head->packed = le32toh(head->packed);
    head->plain = le32toh(head->plain);
    head->checksum = le64toh(head->checksum);
    return head->packed > size - at - COLUMN_HEAD || head->plain > COLUMN_BYTES_MAX ? -EBADMSG : 0;
}

int column_skip(const uint8_t *file, size_t size, size_t *at)
{
    struct head head;
    int rc = read_head(file, size, *at, &head);
    if (!rc)
        *at += COLUMN_HEAD + head.packed;
    return rc;
}

int column_open(struct column *c, const uint8_t *file, size_t size, size_t *at)
{
    struct head head;
    *c = (struct column){0};
    int rc = read_head(file, size, *at, &head);
    if (rc)
        return rc;
    const uint8_t *packed = file + *at + COLUMN_HEAD;
    if (checksum_of(packed, head.packed) != head.checksum)
        return -EBADMSG;
    c->bytes = malloc((size_t)head.plain + 1);
    if (!c->bytes)
        return -ENOMEM;
    rc = packer_unpack(c->bytes, head.plain, packed, head.packed);
    if (rc) {
        column_close(c);
        return rc;
    }
    c->size = head.plain;
    *at += COLUMN_HEAD + head.packed;
    return 0;
}

uint64_t column_next_long(struct column *c)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64 && c->at < c->size; shift += 7) {
        uint8_t byte = c->bytes[c->at++];
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return v;
    }
    c->bad = 1;
    return 0;
}

const void *column_bytes(struct column *c, size_t n)
{
    if (n > c->size - c->at) {
        c->bad = 1;
        return NULL;
    }
    c->at += n;
    return c->bytes + c->at - n;
}

void column_close(struct column *c)
{
    free(c->bytes);
    *c = (struct column){0};
}
