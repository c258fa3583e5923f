/* Decodes single items. Each function returns where the next item begins, or NULL if the item is cut off at `end`. `at` may be NULL; then
 * the result is NULL, too. So calls can be chained and checked once. */
#ifndef CANDOR_JFR_READ_INPUT_H
#define CANDOR_JFR_READ_INPUT_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline const uint8_t *input_skip(const uint8_t *at, const uint8_t *end, uint64_t n)
{
    return at && n <= (uint64_t)(end - at) ? at + n : NULL;
}

static inline const uint8_t *input_byte(const uint8_t *at, const uint8_t *end, uint8_t *v)
{
    if (!at || at >= end)
        return NULL;
    *v = *at;
    return at + 1;
}

#define INPUT_EACH_BYTE 0x0101010101010101u

/* For eight bytes: sets the high bit of each byte that ends a compressed integer. */
static inline uint64_t input_ends(const uint8_t *at)
{
    uint64_t bytes;
    memcpy(&bytes, at, sizeof bytes);
    return ~le64toh(bytes) & 0x80 * INPUT_EACH_BYTE;
}

/* Joins the lower seven bits of each byte. */
static inline uint64_t input_join(uint64_t bytes)
{
    uint64_t v = bytes & 0x7f * INPUT_EACH_BYTE;
    v = (v & 0x007f007f007f007fu) | (v & 0x7f007f007f007f00u) >> 1;
    v = (v & 0x00003fff00003fffu) | (v & 0x3fff00003fff0000u) >> 2;
    return (v & 0x000000000fffffffu) | (v & 0x0fffffff00000000u) >> 4;
}

/* Reads a compressed integer: little-endian base 128, at most nine bytes, the ninth with all eight bits. */
static inline const uint8_t *input_varint_bytewise(const uint8_t *at, const uint8_t *end, uint64_t *v)
{
    uint64_t value = 0;
    for (unsigned shift = 0; at < end; shift += 7) {
        uint64_t byte = *at++;
        if (byte < 0x80 || shift == 56) {
            *v = value | byte << shift;
            return at;
        }
        value |= (byte & 0x7f) << shift;
    }
    return NULL;
}

static inline const uint8_t *input_varint(const uint8_t *at, const uint8_t *end, uint64_t *v)
{
    if (!at)
        return NULL;
    if (at < end && at[0] < 0x80) {
        *v = at[0];
        return at + 1;
    }
    if (end - at < 9)
        return input_varint_bytewise(at, end, v);
    if (at[1] < 0x80) {
        *v = (at[0] & 0x7fu) | (uint64_t)at[1] << 7;
        return at + 2;
    }
    uint64_t bytes, ends = input_ends(at);
    memcpy(&bytes, at, sizeof bytes);
    bytes = le64toh(bytes);
    if (!ends) {
        *v = input_join(bytes) | (uint64_t)at[8] << 56;
        return at + 9;
    }
    *v = input_join(bytes & (ends ^ (ends - 1))); /* up to the first byte that ends an integer */
    return at + __builtin_ctzll(ends) / 8 + 1;
}

static inline const uint8_t *input_skip_varint(const uint8_t *at, const uint8_t *end)
{
    uint64_t ignored;
    if (!at || end - at < 9)
        return at ? input_varint_bytewise(at, end, &ignored) : NULL;
    uint64_t ends = input_ends(at);
    return at + (ends ? __builtin_ctzll(ends) / 8 + 1 : 9);
}

static inline uint64_t input_be(const uint8_t *at, size_t bytes)
{
    uint64_t v = 0;
    for (size_t i = 0; i < bytes; i++)
        v = v << 8 | at[i];
    return v;
}

#endif
