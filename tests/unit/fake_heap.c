#include "fake_heap.h"

#include <stdlib.h>
#include <string.h>

void fake_heap_init(struct fake_heap *h)
{
    memset(h, 0, sizeof *h);
}

uint32_t fake_heap_object(struct fake_heap *h)
{
    return ++h->object_count;
}

void fake_heap_refer(struct fake_heap *h, uint32_t from, uint32_t to, enum path_kind kind, int32_t index)
{
    h->references[h->reference_count++] = (struct fake_reference){from, to, kind, index, false};
}

void fake_heap_refer_weakly(struct fake_heap *h, uint32_t from, uint32_t to)
{
    h->references[h->reference_count++] = (struct fake_reference){from, to, PATH_FIELD, 1000 + (int32_t)h->reference_count, true};
}

static int by_object(const void *left, const void *right)
{
    const struct fake_reference *a = left, *b = right;
    if (a->from != b->from)
        return (a->from > b->from) - (a->from < b->from);
    return a->kind != b->kind ? (int)a->kind - (int)b->kind : (a->index > b->index) - (a->index < b->index);
}

void fake_heap_ready(struct fake_heap *h)
{
    uint32_t i = 0;
    qsort(h->references, h->reference_count, sizeof *h->references, by_object);
    for (uint32_t object = 1; object <= h->object_count + 1; object++) {
        while (i < h->reference_count && h->references[i].from < object)
            i++;
        h->first[object] = i;
    }
}

void fake_heap_tag(struct fake_heap *h, const uint32_t *samples, uint32_t count)
{
    memset(h->tags, 0, sizeof h->tags);
    for (uint32_t i = 0; i < count; i++)
        h->tags[samples[i]] = i + 1;
}

static bool tell(struct fake_heap *h, struct path_search *s, const struct fake_reference *r)
{
    h->told++;
    return path_search_reference(s, r->kind, r->index, &h->tags[r->from], h->tags[r->to], -1);
}

static bool walk(struct fake_heap *h, struct path_search *s, uint32_t *stack, bool *visited)
{
    uint32_t depth = 0;
    for (uint32_t object = 1; object <= h->object_count; object++) {
        if (!h->roots[object] && !h->is_class[object])
            continue;
        if (h->roots[object] && !path_search_root(s, h->roots[object], 7, h->tags[object], -1))
            return false;
        stack[depth++] = object;
    }
    while (depth) {
        uint32_t object = stack[--depth];
        if (visited[object])
            continue;
        visited[object] = true;
        for (uint32_t i = h->first[object]; i < h->first[object + 1]; i++) {
            if (!tell(h, s, &h->references[i]))
                return false;
            if (!visited[h->references[i].to])
                stack[depth++] = h->references[i].to;
        }
    }
    return true;
}

bool fake_heap_walk(struct fake_heap *h, struct path_search *s)
{
    uint32_t *stack = calloc(FAKE_OBJECTS_MAX + FAKE_REFERENCES_MAX + 1, sizeof *stack);
    bool *visited = calloc(FAKE_OBJECTS_MAX + 1, sizeof *visited);
    h->told = 0;
    bool done = walk(h, s, stack, visited);
    free(stack);
    free(visited);
    return done;
}

static void find_nodes(struct fake_heap *h)
{
    for (uint32_t object = 1; object <= h->object_count; object++)
        if (h->tags[object])
            h->at[h->tags[object]] = object;
}

static const struct fake_reference *reference_of(const struct fake_heap *h, const struct path_search *s, const struct path_edge *e)
{
    uint32_t from = fake_heap_at(h, e->holder), to = fake_heap_at(h, e->held);
    for (uint32_t i = h->first[from]; i < h->first[from + 1]; i++)
        if (h->references[i].to == to && h->references[i].kind == e->kind && h->references[i].index == e->index)
            return &h->references[i];
    return NULL;
}

void fake_heap_classify(struct fake_heap *h, struct path_search *s)
{
    find_nodes(h);
    for (uint32_t e = s->first_new_edge; e <= s->edge_count; e++) {
        const struct fake_reference *r = reference_of(h, s, &s->edges[e]);
        if (r && r->is_weak)
            path_search_drop(s, e);
    }
    for (uint32_t n = s->first_new; n <= s->node_count; n++)
        if (h->is_class[fake_heap_at(h, n)])
            path_search_anchor(s, n, PATH_ROOT_CLASS);
    path_search_settle(s);
}

uint32_t fake_heap_search(struct fake_heap *h, struct path_search *s, uint32_t walks_max)
{
    uint32_t walks = 0;
    while (walks < walks_max && !s->stop && path_search_wanted(s)) {
        path_search_begin(s, UINT64_MAX);
        fake_heap_walk(h, s);
        path_search_end(s, false);
        fake_heap_classify(h, s);
        walks++;
    }
    return walks;
}

uint32_t fake_heap_at(const struct fake_heap *h, uint32_t node)
{
    return h->at[node];
}
