/* Skips many compressed integers at once; input.h decodes single ones. An integer ends with a byte below 0x80, or with its ninth byte,
 * whatever its value. So the highest bits of 64 bytes show where the integers in them end, unless eight consecutive bytes end none.
 *
 * No byte at `end` or after it is read. */
#ifndef CANDOR_JFR_READ_VARINTS_H
#define CANDOR_JFR_READ_VARINTS_H

#include "jfr/read/input.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { VARINTS_BLOCK = 64, VARINTS_FEW = 12 /* with fewer integers, a block is not worth its cost */ };

/* For 64 bytes: sets bit i if byte i ends an integer. */
static inline uint64_t varints_ends_portable(const uint8_t *at)
{
    uint64_t ends = 0;
    for (unsigned i = 0; i < 8; i++) /* the product has bit j of its highest byte from byte j */
        ends |= ((input_ends(at + 8 * i) >> 7) * 0x0102040810204080u >> 56) << 8 * i;
    return ends;
}

#ifdef __SSE2__
static inline uint64_t varints_ends(const uint8_t *at)
{
    uint64_t more = 0;
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; i++) {
        __m128i bytes;
        memcpy(&bytes, at + 16 * i, sizeof bytes);
        more |= (uint64_t)(uint32_t)_mm_movemask_epi8(bytes) << 16 * i;
    }
    return ~more;
}
#else
#define varints_ends varints_ends_portable
#endif

/* Marks each byte that begins eight bytes in a row in which no integer ends. A row that continues after the block is not
 * marked. */
static inline uint64_t varints_runs(uint64_t ends)
{
    uint64_t more = ~ends;
    more &= more >> 1;
    more &= more >> 2;
    return more & more >> 4;
}

/* Computes running sums. Byte i of the result is the number of bits that are set in the bytes 0 to i, so the highest byte is the number of
 * all set bits. */
static inline uint64_t varints_sums(uint64_t bits)
{
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return bits * INPUT_EACH_BYTE;
}

/* Returns the number of the nth bit that is set. n is at least one, and at most the number of set bits. */
static inline unsigned varints_nth(uint64_t bits, uint64_t sums, uint64_t n)
{
    const uint64_t high = 0x80 * INPUT_EACH_BYTE;
    unsigned byte = (unsigned)__builtin_ctzll(((sums | high) - n * INPUT_EACH_BYTE) & high) & ~7u;
    bits >>= byte;
    for (n -= sums << 8 >> byte & 0xff; n > 1; n--)
        bits &= bits - 1;
    return byte + (unsigned)__builtin_ctzll(bits);
}

/* Skips up to *n integers while there are whole blocks. Afterwards *n is how many are left. */
static inline __attribute__((always_inline)) const uint8_t *varints_skip_blocks(const uint8_t *at, const uint8_t *end, uint64_t *n,
                                                                                uint64_t (*ends_of)(const uint8_t *))
{
    while (at && *n >= VARINTS_FEW && end - at >= VARINTS_BLOCK) {
        uint64_t ends = ends_of(at), runs = varints_runs(ends);
        ends &= runs ? (runs & -runs) - 1 : ~0ull; /* the first run is an integer of nine bytes: before it, an integer or the block ends */
        uint64_t sums = varints_sums(ends), found = sums >> 56;
        if (found >= *n) {
            at += varints_nth(ends, sums, *n) + 1;
            *n = 0;
            break;
        }
        if (found)
            at += 64 - __builtin_clzll(ends);
        *n -= found;
        if (runs) {
            at = input_skip(at, end, 9);
            --*n;
        }
    }
    return at;
}

/* Does the same, eight bytes at a time. */
static inline const uint8_t *varints_skip_words(const uint8_t *at, const uint8_t *end, uint64_t *n)
{
    while (*n && at && end - at >= 8) {
        uint64_t ends = input_ends(at), found = (ends >> 7) * INPUT_EACH_BYTE >> 56;
        if (!found) {
            at = input_skip(at, end, 9);
            --*n;
            continue;
        }
        if (found <= *n) {
            at += 8 - __builtin_clzll(ends) / 8;
            *n -= found;
            continue;
        }
        for (; *n > 1; --*n)
            ends &= ends - 1;
        *n = 0;
        at += __builtin_ctzll(ends) / 8 + 1;
    }
    return at;
}

/* Returns where the nth integer ends; NULL if the data ends before. */
static inline const uint8_t *varints_skip(const uint8_t *at, const uint8_t *end, uint64_t n)
{
    at = varints_skip_blocks(at, end, &n, varints_ends);
    at = varints_skip_words(at, end, &n);
    for (; n && at; n--)
        at = input_skip_varint(at, end);
    return at;
}

#endif
