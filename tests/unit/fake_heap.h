/* An artificial heap, which is walked in the same way as a JVM walks its heap: roots first, then depth first; for each object that is
 * reached, every reference is reported once. Objects have numbers from 1, and tags, but no names. */
#ifndef TESTS_FAKE_HEAP_H
#define TESTS_FAKE_HEAP_H

#include "agent/paths/path_search.h"

enum { FAKE_OBJECTS_MAX = 20000, FAKE_REFERENCES_MAX = 100000 };

struct fake_reference {
    uint32_t from, to;
    enum path_kind kind;
    int32_t index;
    bool is_weak; /* it holds nothing alive; the JVM reports it all the same */
};

struct fake_heap {
    struct fake_reference references[FAKE_REFERENCES_MAX]; /* by object */
    uint32_t reference_count, object_count;
    uint32_t first[FAKE_OBJECTS_MAX + 2]; /* one for each object, set by fake_heap_ready */
    enum path_root roots[FAKE_OBJECTS_MAX + 1];
    bool is_class[FAKE_OBJECTS_MAX + 1]; /* that stays */
    int64_t tags[FAKE_OBJECTS_MAX + 1];
    uint32_t at[PATH_NODES_MAX + 1]; /* the object of each node, from the last walk */
    uint64_t told;                   /* references, by that */
};

void fake_heap_init(struct fake_heap *h);
uint32_t fake_heap_object(struct fake_heap *h);
void fake_heap_refer(struct fake_heap *h, uint32_t from, uint32_t to, enum path_kind kind, int32_t index);
void fake_heap_refer_weakly(struct fake_heap *h, uint32_t from, uint32_t to);
/* Call it after all objects and references have been added. */
void fake_heap_ready(struct fake_heap *h);
/* The search's nodes for these objects: samples in this order. */
void fake_heap_tag(struct fake_heap *h, const uint32_t *samples, uint32_t count);
/* Returns false if the walk was broken off. */
bool fake_heap_walk(struct fake_heap *h, struct path_search *s);
/* Does what entry/jvmti/jvmti_heap.c does between walks: drops weak references, and anchors classes. */
void fake_heap_classify(struct fake_heap *h, struct path_search *s);
/* Walks until there is nothing left to find, or so many times. */
uint32_t fake_heap_search(struct fake_heap *h, struct path_search *s, uint32_t walks_max);
/* The object that belongs to a node. */
uint32_t fake_heap_at(const struct fake_heap *h, uint32_t node);

#endif
