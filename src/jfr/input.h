/* Decoding of single items. Each returns where the next item begins, or NULL when the item is cut off at `end`; `at` may
 * be NULL (then so is the result), so that calls can be chained and checked once. */
#ifndef CANDOR_JFR_INPUT_H
#define CANDOR_JFR_INPUT_H

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

/* Compressed integer: little-endian base 128, at most nine bytes, the ninth with all eight bits. */
static inline const uint8_t *input_varint(const uint8_t *at, const uint8_t *end, uint64_t *v)
{
    uint64_t value = 0;
    if (!at)
        return NULL;
    if (at < end && *at < 0x80) {
        *v = *at;
        return at + 1;
    }
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

#define INPUT_EACH_BYTE 0x0101010101010101u

/* The high bit of each byte that ends an integer, of eight. */
static inline uint64_t input_ends(const uint8_t *at)
{
    uint64_t bytes;
    memcpy(&bytes, at, sizeof bytes);
    return ~le64toh(bytes) & 0x80 * INPUT_EACH_BYTE;
}

/* Integers that end in the next 32 bytes, again and again while *n are that many at least. Stops, behind the last that ended,
 * where four bytes in line end none: only there can one of nine bytes begin. */
static inline const uint8_t *input_skip_blocks(const uint8_t *at, const uint8_t *end, uint64_t *n)
{
    const uint8_t *begin = at;
    for (; *n >= 32 && end - at >= 32; at += 32) {
        uint64_t all = ~0ull, count = 0;
        for (int i = 0; i < 4; i++) {
            uint64_t ends = input_ends(at + 8 * i), pairs = ends | ends >> 8;
            count += ends >> 7;
            all &= pairs | pairs >> 16;
        }
        if ((all & 0x0000008000000080u) != 0x0000008000000080u)
            break;
        *n -= count * INPUT_EACH_BYTE >> 56;
    }
    while (at > begin && at[-1] >= 0x80)
        at--;
    return at;
}

/* n compressed integers at once: each ends with a byte below 0x80, and many bytes are looked at in one step. Eight bytes
 * without an end are the beginning of an integer of nine. */
static inline const uint8_t *input_skip_varints(const uint8_t *at, const uint8_t *end, uint64_t n)
{
    uint64_t ignored;
    if (at)
        at = input_skip_blocks(at, end, &n);
    while (n && at && end - at >= 8) {
        uint64_t ends = input_ends(at), found = (ends >> 7) * INPUT_EACH_BYTE >> 56;
        if (!found) {
            at = input_varint(at, end, &ignored);
            n--;
            continue;
        }
        if (found <= n) {
            at += 8 - __builtin_clzll(ends) / 8;
            n -= found;
            continue;
        }
        for (; n > 1; n--)
            ends &= ends - 1;
        return at + __builtin_ctzll(ends) / 8 + 1;
    }
    for (; n && at; n--)
        at = input_varint(at, end, &ignored);
    return at;
}

static inline uint64_t input_be(const uint8_t *at, size_t bytes)
{
    uint64_t v = 0;
    for (size_t i = 0; i < bytes; i++)
        v = v << 8 | at[i];
    return v;
}

#endif
