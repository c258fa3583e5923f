/* Stacks of earlier recordings, by what is in them: a hash table from the digest of a stack to its place in a profile. Then a stack that
 * was there before costs no search for each of its frames.
 *
 * A digest has 128 bits, of the frames from the root on. Its seed is random, so nobody can make two stacks with the same one. */
#ifndef CANDOR_PROFILE_LOAD_LOAD_TRACES_H
#define CANDOR_PROFILE_LOAD_LOAD_TRACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct load_digest {
    uint64_t words[2];
};

struct load_traces { /* begins as {0}, which has no seed yet */
    struct load_trace {
        struct load_digest digest;
        uint32_t stack; /* 0 = a free place */
    } * places;
    uint32_t cap, count; /* cap: a power of two, or 0 */
    uint64_t seeds[2];
};

void load_traces_init(struct load_traces *t);
void load_traces_deinit(struct load_traces *t);
/* Forgets all stacks. */
void load_traces_clear(struct load_traces *t);
size_t load_traces_bytes(const struct load_traces *t); /* of memory */

/* Returns the stack with this digest, or 0. */
uint32_t load_traces_find(const struct load_traces *t, struct load_digest digest);
/* Without memory, a stack is not remembered, which only costs time. stack: not 0. */
void load_traces_add(struct load_traces *t, struct load_digest digest, uint32_t stack);

/* What a stack without frames has; truncated: frames at its root are missing. */
static inline struct load_digest load_digest_begin(const struct load_traces *t, bool truncated)
{
    return (struct load_digest){{t->seeds[0] + truncated, t->seeds[1] - truncated}};
}

/* Multiplies, and keeps both halves of the product. */
static inline uint64_t load_digest_fold(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Adds the next frame, seen from the root. a, b: all of it; b has at most 62 bits. */
static inline struct load_digest load_digest_next(const struct load_traces *t, struct load_digest d, uint64_t a, uint64_t b)
{
    return (struct load_digest){{load_digest_fold(d.words[0] ^ a, t->seeds[1] ^ b), load_digest_fold(d.words[1] + a, t->seeds[0] ^ b)}};
}

#endif
