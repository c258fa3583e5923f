/* Reads a frame of n compressed integers as its bytes, followed by zeros (struct jfr_frame_key), so that 16 bytes can be compared together.
 *
 * Both implementations give the same result, but one implementation may leave some frames to the decoder that the other handles. Neither
 * handles frames of more than 16 bytes, nor those with integers of nine bytes, whose last byte need not mark the end. */
#ifndef CANDOR_JFR_READ_FRAME_KEY_H
#define CANDOR_JFR_READ_FRAME_KEY_H

#include "jfr/read/input.h"
#include "jfr/read/reader.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { FRAME_KEY_BYTES = 16 };

static inline uint64_t frame_key_nth(uint64_t bits, uint32_t n)
{
#pragma GCC unroll 4
    while (--n)
        bits &= bits - 1;
    return bits;
}

/* Returns the bytes of a word up to the first byte that ends an integer. The lowest bit in `ends` marks that byte. *size: the number of
 * bytes. */
static inline uint64_t frame_key_cut(uint64_t word, uint64_t ends, uint32_t *size)
{
    uint32_t last = (uint32_t)__builtin_ctzll(ends);
    *size = last / 8 + 1;
    return htole64(le64toh(word) & UINT64_MAX >> (63 - last));
}

/* Reads a frame's key. 16 bytes must be readable at `at`, and n must be at least one. Returns false if the frame has no key. */
static inline bool frame_key_portable(const uint8_t *at, uint32_t n, struct jfr_frame_key *key)
{
    uint64_t ends = input_ends(at), more = input_ends(at + 8), found = frame_key_nth(ends, n);
    memcpy(key->bytes, at, sizeof key->bytes);
    if (found) {
        key->bytes[0] = frame_key_cut(key->bytes[0], found, &key->size);
        key->bytes[1] = 0;
        return true;
    }
    /* A run of eight bytes that end no integer belongs to an integer of nine bytes. */
    if (!ends || !more || __builtin_ctzll(more) / 8 + __builtin_clzll(ends) / 8 >= 8)
        return false;
    found = frame_key_nth(more, n - (uint32_t)(((ends >> 7) * INPUT_EACH_BYTE) >> 56));
    if (!found)
        return false;
    key->bytes[1] = frame_key_cut(key->bytes[1], found, &key->size);
    key->size += 8;
    return true;
}

#ifdef __SSE2__
static inline bool frame_key(const uint8_t *at, uint32_t n, struct jfr_frame_key *key)
{
    static const uint8_t kept[2 * FRAME_KEY_BYTES] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
    __m128i bytes, mask;
    memcpy(&bytes, at, sizeof bytes);
    uint32_t more = (uint32_t)_mm_movemask_epi8(bytes), pairs = more & more >> 1, fours = pairs & pairs >> 2;
    uint64_t found = frame_key_nth(~more & 0xffff, n);
    if (!found || fours & fours >> 4)
        return false;
    key->size = (uint32_t)__builtin_ctzll(found) + 1;
    memcpy(&mask, kept + FRAME_KEY_BYTES - key->size, sizeof mask);
    bytes = _mm_and_si128(bytes, mask);
    memcpy(key->bytes, &bytes, sizeof bytes);
    return true;
}
#else
#define frame_key frame_key_portable
#endif

#endif
