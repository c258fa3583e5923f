/* Stacks of earlier recordings, by what is in them: a hash table from the digest of a stack to its number. Then a stack that
 * was there before costs no search for each of its frames.
 *
 * A digest has 128 bits, of the frames from the root on. Its seed is random, so nobody can make two stacks with the same one. */
#ifndef CANDOR_BASE_DIGESTS_H
#define CANDOR_BASE_DIGESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct digest {
    uint64_t words[2];
};

struct digests { /* begins as {0}, which has no seed yet */
    struct digests_place {
        struct digest digest;
        uint32_t stack; /* 0 = a free place */
    } * places;
    uint32_t cap, count; /* cap: a power of two, or 0 */
    uint64_t seeds[2];
};

void digests_init(struct digests *t);
void digests_deinit(struct digests *t);
/* Forgets all stacks. */
void digests_clear(struct digests *t);
size_t digests_bytes(const struct digests *t); /* of memory */

/* Returns the stack with this digest, or 0. */
uint32_t digests_find(const struct digests *t, struct digest digest);
/* Without memory, a stack is not remembered, which only costs time. stack: not 0. */
void digests_add(struct digests *t, struct digest digest, uint32_t stack);

/* What a stack without frames has; truncated: frames at its root are missing. */
static inline struct digest digests_begin(const struct digests *t, bool truncated)
{
    return (struct digest){{t->seeds[0] + truncated, t->seeds[1] - truncated}};
}

/* Multiplies, and keeps both halves of the product. */
static inline uint64_t digests_fold(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Adds the next frame, seen from the root. a, b: all of it; b has at most 62 bits. */
static inline struct digest digests_next(const struct digests *t, struct digest d, uint64_t a, uint64_t b)
{
    return (struct digest){{digests_fold(d.words[0] ^ a, t->seeds[1] ^ b), digests_fold(d.words[1] + a, t->seeds[0] ^ b)}};
}

#endif
