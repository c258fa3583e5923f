/* Decoding of single items. Each returns where the next item begins, or NULL when the item is cut off at `end`; `at` may
 * be NULL (then so is the result), so that calls can be chained and checked once. */
#ifndef CANDOR_JFR_INPUT_H
#define CANDOR_JFR_INPUT_H

#include <stddef.h>
#include <stdint.h>

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

static inline uint64_t input_be(const uint8_t *at, size_t bytes)
{
    uint64_t v = 0;
    for (size_t i = 0; i < bytes; i++)
        v = v << 8 | at[i];
    return v;
}

#endif
