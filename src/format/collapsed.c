#include "format/collapsed.h"

#include "base/utf8.h"
#include "profile/calltree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct share {
    uint32_t node;
    uint64_t rest; /* of the division by the interval */
};

static int by_rest(const void *left, const void *right)
{
    const struct share *a = left, *b = right;
    if (a->rest != b->rest)
        return a->rest > b->rest ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

/* Divides by the interval, rounded down, and gives the units that are missing to the rounded sum to the largest rests
 * (Hamilton's method): no stack is off by a whole sample, and the sum is right. */
static int round_to_samples(const struct calltree *tree, uint64_t interval, uint64_t *counts)
{
    struct share *shares = malloc(tree->count * sizeof *shares);
    if (!shares)
        return -ENOMEM;
    uint64_t given = 0, weight = tree->nodes[0].total;
    for (uint32_t i = 0; i < tree->count; i++) {
        counts[i] = tree->nodes[i].self / interval;
        shares[i] = (struct share){.node = i, .rest = tree->nodes[i].self % interval};
        given += counts[i];
    }
    uint64_t wanted = weight / interval + (weight % interval >= interval - weight % interval);
    qsort(shares, tree->count, sizeof *shares, by_rest);
    for (uint32_t i = 0; i < tree->count && given < wanted; i++, given++)
        counts[shares[i].node]++;
    free(shares);
    return 0;
}

static int weigh(const struct calltree *tree, const struct profile *p, enum collapsed_unit unit, uint64_t *counts)
{
    if (unit == COLLAPSED_SAMPLES && p->unit == PROFILE_UNIT_NS && p->interval_ns)
        return round_to_samples(tree, p->interval_ns, counts);
    for (uint32_t i = 0; i < tree->count; i++)
        counts[i] = unit == COLLAPSED_SAMPLES ? tree->nodes[i].self_samples : tree->nodes[i].self;
    return 0;
}

/* Control characters are utf8_print's business, the separator is ours. */
static void put_name(FILE *out, const char *name)
{
    if (!strchr(name, ';')) {
        utf8_print(out, name);
        return;
    }
    char *copy = strdup(name);
    for (char *at = copy; at && (at = strchr(at, ';')); at++)
        *at = ':';
    utf8_print(out, copy ? copy : "?");
    free(copy);
}

static void put_stack(FILE *out, const struct profile *p, const struct calltree *tree, uint32_t node, uint32_t *path)
{
    uint32_t depth = 0;
    for (; node; node = tree->nodes[node].parent)
        path[depth++] = tree->nodes[node].label;
    while (depth--) {
        put_name(out, profile_text(p, path[depth]));
        if (depth)
            fputc(';', out);
    }
}

int collapsed_write(FILE *out, const struct profile *p, enum collapsed_unit unit, bool threads)
{
    struct calltree tree;
    int rc = calltree_build(&tree, p, threads);
    if (rc)
        return rc;
    uint64_t *counts = calloc(tree.count, sizeof *counts);
    uint32_t *path = calloc(PROFILE_DEPTH_MAX + 1, sizeof *path);
    rc = counts && path ? weigh(&tree, p, unit, counts) : -ENOMEM;
    for (uint32_t i = 1; !rc && i < tree.count; i++)
        if (counts[i]) {
            put_stack(out, p, &tree, i, path);
            fprintf(out, " %" PRIu64 "\n", counts[i]);
        }
    free(counts);
    free(path);
    calltree_deinit(&tree);
    return rc;
}
