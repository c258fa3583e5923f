/* A growing byte buffer with a hard limit. A put that would exceed the limit, or finds no memory, marks the buffer failed and writes
 * nothing. Later puts do nothing, so a caller may check `failed` once at the end. A buffer has one owner and no lock. */
#ifndef CANDOR_BASE_BUFFER_H
#define CANDOR_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer {
    uint8_t *data;
    size_t len;
    size_t cap;
    size_t max; /* hard limit in bytes */
    bool failed;
    bool full; /* a put would have exceeded the limit, so more memory would not have helped */
};

void buffer_init(struct buffer *b, size_t max);
void buffer_deinit(struct buffer *b);
/* 0, or what failed: -EFBIG or -ENOMEM. */
int buffer_code(const struct buffer *b);
/* Empties the buffer and clears `failed`; keeps the memory. */
void buffer_reset(struct buffer *b);
/* Reserves room for n more bytes and returns it; NULL (and `failed` is set) if there is none. Bytes written there become part of the
 * buffer with buffer_advance. */
uint8_t *buffer_reserve(struct buffer *b, size_t n);
void buffer_advance(struct buffer *b, size_t n);

void buffer_put(struct buffer *b, const void *bytes, size_t n);
void buffer_text(struct buffer *b, const char *text);
void buffer_printf(struct buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buffer_u8(struct buffer *b, uint8_t v);
void buffer_be16(struct buffer *b, uint16_t v);
void buffer_be32(struct buffer *b, uint32_t v);
void buffer_be64(struct buffer *b, uint64_t v);
/* Appends v as JFR's compressed integer: little-endian base 128, at most nine bytes, and the ninth byte has all eight bits. */
void buffer_varint(struct buffer *b, uint64_t v);
/* Overwrites four bytes at `at` with v as a compressed integer padded to four bytes (v < 2^28). It is for sizes that are known only
 * after the data. */
void buffer_patch_varint4(struct buffer *b, size_t at, uint32_t v);

#endif
