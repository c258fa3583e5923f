#include "format/collapsed.h"

#include "base/buffer.h"
#include "base/text/utf8.h"
#include "format/export.h"
#include "profile/figures/calltree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 1 << 30 };

struct share {
    uint32_t node;
    uint64_t rest; /* the remainder of the division by the interval */
};

static int by_rest(const void *left, const void *right)
{
    const struct share *a = left, *b = right;
    if (a->rest != b->rest)
        return a->rest > b->rest ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

/* Divides by the interval and rounds down. The units that are then missing from the rounded sum go to the stacks with the largest
 * remainders (Hamilton's method). So no stack is off by a whole sample, and the sum is right. */
static int round_to_samples(const struct calltree *tree, uint64_t interval, uint64_t *counts)
{
    struct share *shares = malloc(tree->count * sizeof *shares);
    if (!shares)
        return -ENOMEM;
    uint64_t given = 0, weight = tree->nodes[0].total;
    uint32_t with_rest = 0; /* at least as many as units are missing */
    for (uint32_t i = 0; i < tree->count; i++) {
        uint64_t self = tree->nodes[i].self;
        counts[i] = self / interval;
        given += counts[i];
        if (self % interval)
            shares[with_rest++] = (struct share){.node = i, .rest = self % interval};
    }
    uint64_t wanted = weight / interval + (weight % interval >= interval - weight % interval);
    qsort(shares, with_rest, sizeof *shares, by_rest);
    for (uint32_t i = 0; i < with_rest && given < wanted; i++, given++)
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

/* ---- names: each is made printable once ---- */

struct printed_name {
    size_t at; /* the position in the text plus 1; 0 = no node has this name */
    size_t len;
};

struct printed {
    char *text; /* the names, each followed by the separator */
    size_t size;
    struct printed_name *names; /* indexed by label */
};

/* Writes a name without the separator; utf8_print replaces control characters. */
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

static int printed_init(struct printed *n, const struct profile *p, const struct calltree *tree)
{
    *n = (struct printed){.names = calloc(p->strings.count, sizeof *n->names)};
    FILE *f = open_memstream(&n->text, &n->size);
    for (uint32_t i = 1; f && n->names && i < tree->count; i++) {
        uint32_t label = tree->nodes[i].label;
        struct printed_name *name = &n->names[label];
        if (name->at)
            continue;
        size_t begin = (size_t)ftello(f);
        put_name(f, profile_text(p, label));
        fputc(';', f);
        *name = (struct printed_name){begin + 1, (size_t)ftello(f) - begin};
    }
    bool bad = !f || fclose(f) || !n->names;
    return bad ? -ENOMEM : 0;
}

static void printed_deinit(struct printed *n)
{
    free(n->text);
    free(n->names);
}

/* ---- lines ---- */

struct lines {
    const struct calltree *tree;
    struct printed names;
    const struct printed_name **path;
    struct buffer line;
};

static int put_line(FILE *out, struct lines *l, uint32_t node, uint64_t count)
{
    uint32_t depth = 0;
    size_t len = 0;
    for (; node; node = l->tree->nodes[node].parent) {
        l->path[depth] = &l->names.names[l->tree->nodes[node].label];
        len += l->path[depth++]->len;
    }
    buffer_reset(&l->line);
    uint8_t *to = buffer_reserve(&l->line, len);
    if (!to)
        return -ENOMEM;
    for (const struct printed_name *name; depth--; to += name->len) {
        name = l->path[depth];
        memcpy(to, l->names.text + name->at - 1, name->len);
    }
    fwrite(l->line.data, 1, len - 1, out);
    fprintf(out, " %" PRIu64 "\n", count);
    return 0;
}

int collapsed_write(FILE *out, const struct profile *p, enum collapsed_unit unit, bool threads)
{
    struct calltree tree;
    int rc = calltree_build(&tree, p, threads);
    if (rc)
        return rc;
    uint64_t *counts = calloc(tree.count, sizeof *counts);
    struct lines l = {.tree = &tree, .path = calloc(PROFILE_DEPTH_MAX + 1, sizeof *l.path)};
    buffer_init(&l.line, LINE_MAX_BYTES);
    rc = printed_init(&l.names, p, &tree);
    rc = rc ? rc : counts && l.path ? weigh(&tree, p, unit, counts) : -ENOMEM;
    for (uint32_t i = 1; !rc && i < tree.count; i++)
        rc = counts[i] ? put_line(out, &l, i, counts[i]) : 0;
    printed_deinit(&l.names);
    buffer_deinit(&l.line);
    free(l.path);
    free(counts);
    calltree_deinit(&tree);
    return rc;
}

int collapsed_export(const struct export_request *as, FILE *out)
{
    return collapsed_write(out, as->profile, as->samples ? COLLAPSED_SAMPLES : COLLAPSED_NS, as->threads);
}
