/* The trie of stacks, compared with a model that keeps every stack separately.
 * tier: quick
 * timeout: 60 */
#include "../tap.h"

#include "agent/record/names/stacks.h"

#include <stdlib.h>
#include <string.h>

enum { STACKS = 2000, DEPTH_MAX = 40 };

struct known {
    uint64_t frames[DEPTH_MAX];
    size_t count;
    uint32_t id;
};

static uint64_t seed = 88172645463325252u;

static uint64_t draw(uint64_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed % below;
}

/* Few frames and shared callers, as in programs; some words differ in their highest or lowest bits only. */
static void make(struct known *k, const struct known *earlier, size_t earlier_count)
{
    size_t shared = 0;
    k->count = draw(DEPTH_MAX + 1);
    if (earlier_count) {
        const struct known *from = &earlier[draw(earlier_count)];
        shared = draw(from->count + 1);
        if (shared > k->count)
            shared = k->count;
        memcpy(k->frames + k->count - shared, from->frames + from->count - shared, shared * sizeof *k->frames);
    }
    for (size_t i = 0; i < k->count - shared; i++)
        k->frames[i] = draw(3) << (draw(2) ? 60 : 0) | draw(5) << 16;
}

static bool same(const struct known *a, const struct known *b)
{
    return a->count == b->count && !memcmp(a->frames, b->frames, a->count * sizeof *a->frames);
}

static bool reads_back(const struct stacks *s, const struct known *k)
{
    size_t n = 0;
    uint32_t id = k->id;
    for (; id && n < k->count && s->nodes[id].frame == k->frames[n]; n++) {
        if (s->nodes[id].parent >= id)
            return false;
        id = s->nodes[id].parent;
    }
    return !id && n == k->count;
}

static const struct stacks *sorted;

static int by_callers(const void *a, const void *b)
{
    const struct known *x = a, *y = b;
    return stacks_compare(sorted, x->id, y->id);
}

static size_t callers_in_common(const struct known *a, const struct known *b)
{
    size_t n = 0;
    while (n < a->count && n < b->count && a->frames[a->count - 1 - n] == b->frames[b->count - 1 - n])
        n++;
    return n;
}

/* No later stack shares more frames with a stack than the next one does. */
static void test_order(const struct stacks *s, struct known *all)
{
    size_t wrong = 0;
    sorted = s;
    qsort(all, STACKS, sizeof *all, by_callers);
    for (size_t i = 0; i + 2 < STACKS; i++)
        for (size_t j = i + 2, next = callers_in_common(&all[i], &all[i + 1]); j < STACKS; j++)
            wrong += callers_in_common(&all[i], &all[j]) > next;
    tap_ok(!wrong, "sorted, those with the most callers in common stand together (%zu do not)", wrong);
    tap_ok(!stacks_compare(s, all[5].id, all[5].id) && stacks_compare(s, 0, all[STACKS - 1].id) < 0, "and the empty stack comes first");
}

static void test_model(void)
{
    static struct known all[STACKS];
    struct stacks s;
    size_t wrong = 0, distinct_ids = 0, suffixes = 0;
    tap_ok(!stacks_init(&s) && s.count == 1, "an empty trie");
    tap_ok(stacks_add(&s, NULL, 0) == 0, "the empty stack is 0");
    for (size_t i = 0; i < STACKS; i++) {
        make(&all[i], all, i);
        all[i].id = stacks_add(&s, all[i].frames, all[i].count);
    }
    for (size_t i = 0; i < STACKS; i++)
        wrong += !reads_back(&s, &all[i]);
    tap_ok(!wrong, "every stack reads back, callers with smaller ids (%zu wrong)", wrong);
    for (size_t i = 0; i < STACKS; i++)
        for (size_t j = 0; j < i; j++)
            wrong += same(&all[i], &all[j]) != (all[i].id == all[j].id);
    tap_ok(!wrong, "two stacks have one id if and only if they are the same");
    for (size_t i = 0; i < STACKS; i++)
        wrong += stacks_add(&s, all[i].frames, all[i].count) != all[i].id;
    tap_ok(!wrong, "a second time nothing changes");
    /* Every node is the root-side part of some stack: no node is superfluous. */
    bool *used = calloc(s.count, sizeof *used);
    for (size_t i = 0; i < STACKS; i++)
        for (uint32_t id = all[i].id; id; id = s.nodes[id].parent)
            used[id] = true;
    for (uint32_t id = 1; id < s.count; id++)
        suffixes += used[id], distinct_ids++;
    tap_ok(suffixes == distinct_ids, "%zu nodes, each part of a stack", distinct_ids);
    free(used);
    test_order(&s, all);
    stacks_deinit(&s);
    tap_ok(!s.nodes && !s.table, "nothing is left");
}

static void test_cap(void)
{
    struct stacks s;
    uint64_t frames[3] = {1, 2, 3};
    stacks_init(&s);
    uint32_t before = stacks_add(&s, frames, 3), root = stacks_add(&s, frames + 2, 1);
    for (uint64_t i = 10; s.count < STACKS_NODES_MAX; i++)
        stacks_add(&s, &i, 1);
    uint64_t fresh[3] = {7, 8, 3}, other = 9;
    tap_ok(s.count == STACKS_NODES_MAX, "the trie is full");
    tap_ok(stacks_add(&s, fresh, 3) == root, "a new stack keeps the callers that are known");
    tap_ok(stacks_add(&s, &other, 1) == 0, "or nothing");
    tap_ok(stacks_add(&s, frames, 3) == before, "known stacks are still found");
    tap_ok(s.count == STACKS_NODES_MAX, "and it grows no more");
    stacks_deinit(&s);
}

int main(void)
{
    test_model();
    test_cap();
    return tap_done();
}
