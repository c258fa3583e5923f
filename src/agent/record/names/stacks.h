/* Stacks as a trie: each distinct frame below each distinct caller is one node, and a stack is the id of its leaf. Frames are opaque 64-bit
 * words here. A trie has one owner. The functions allocate. Ids are consecutive and start at 1 (0 is the empty stack). */
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
/* Forgets all stacks, but keeps their memory. */
void stacks_clear(struct stacks *s);
/* Returns the id of the stack with these frames, leaf first. If the limit of nodes is reached, it is the id of as many root-side frames as
 * are known. */
uint32_t stacks_add(struct stacks *s, const uint64_t *frames, size_t count);
/* Compares two stacks in an order that puts stacks with the most callers in common next to each other. Returns < 0, 0 or > 0. The time is
 * proportional to the number of frames that differ. */
int stacks_compare(const struct stacks *s, uint32_t a, uint32_t b);

#endif
