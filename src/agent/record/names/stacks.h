/* Stacks as a trie: each distinct frame below each distinct caller is one node, a stack is the id of its leaf. Frames are
 * opaque 64-bit words here. One owner; allocates; ids are dense and start at 1 (0 is the empty stack). */
#ifndef CANDOR_AGENT_RECORD_NAMES_STACKS_H
#define CANDOR_AGENT_RECORD_NAMES_STACKS_H

#include <stddef.h>
#include <stdint.h>

enum { STACKS_NODES_MAX = 1 << 22 };

struct stack_node {
    uint64_t frame;
    uint32_t parent;
};

struct stacks {
    struct stack_node *nodes;
    uint32_t count, cap;
    uint32_t *table; /* node ids by hash, 0 = empty */
    uint32_t table_cap;
};

int stacks_init(struct stacks *s); /* 0 or -ENOMEM */
void stacks_deinit(struct stacks *s);
/* Forgets all stacks, and keeps their memory. */
void stacks_clear(struct stacks *s);
/* The id of the stack whose frames are given leaf first; when the cap is reached, of as many root-side frames as are
 * known. */
uint32_t stacks_add(struct stacks *s, const uint64_t *frames, size_t count);
/* Which of two stacks comes first in an order that puts stacks with the most callers in common next to each other: < 0, 0 or > 0.
 * Time: as many steps as they have differing frames. */
int stacks_compare(const struct stacks *s, uint32_t a, uint32_t b);

#endif
