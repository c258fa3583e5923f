/* A growing byte buffer with a hard cap. A put that would pass the cap, or finds no memory, marks the buffer failed and
 * writes nothing; later puts do nothing, so a caller may check `failed` once at the end. One owner, no locking. */
#ifndef CANDOR_BASE_BUFFER_H
#define CANDOR_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer {
    uint8_t *data;
    size_t len;
    size_t cap;
    size_t max; /* hard cap in bytes */
    bool failed;
    bool full; /* and a put would have passed the cap: more memory would not have helped */
};

void buffer_init(struct buffer *b, size_t max);
void buffer_deinit(struct buffer *b);
/* 0, or what failed: -EFBIG or -ENOMEM. */
int buffer_code(const struct buffer *b);
/* Empties the buffer and clears `failed`; keeps the memory. */
void buffer_reset(struct buffer *b);
/* Room for n more bytes; NULL (and failed) when there is none. The bytes count only after buffer_advance. */
uint8_t *buffer_reserve(struct buffer *b, size_t n);
void buffer_advance(struct buffer *b, size_t n);

void buffer_put(struct buffer *b, const void *bytes, size_t n);
void buffer_text(struct buffer *b, const char *text);
void buffer_printf(struct buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buffer_u8(struct buffer *b, uint8_t v);
void buffer_be16(struct buffer *b, uint16_t v);
void buffer_be32(struct buffer *b, uint32_t v);
void buffer_be64(struct buffer *b, uint64_t v);
/* JFR's compressed integer: little-endian base 128, at most nine bytes, the ninth with all eight bits. */
void buffer_varint(struct buffer *b, uint64_t v);
/* Overwrites four bytes at `at` with v as a compressed integer padded to four bytes (v < 2^28): for sizes known late. */
void buffer_patch_varint4(struct buffer *b, size_t at, uint32_t v);

#endif
