#include "server/connect/dot.h"

#include "base/map.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

struct function {
    uint32_t label; /* string id */
    uint32_t drawn; /* its number in the drawing; 0 = it is left out */
    uint32_t seen;  /* the sample that met it last, plus 1 */
    uint64_t self, total;
};

struct edge {
    uint32_t from, to; /* numbers in the drawing */
    uint32_t seen;
    bool indirect;
    uint64_t weight;
};

struct drawing {
    const struct profile *p;
    struct map places; /* label -> place in functions */
    struct function *functions;
    uint32_t count;
    struct map edge_places; /* from, to -> place in edges */
    struct edge *edges;
    uint32_t edge_count, edge_cap;
};

static uint32_t label_at(const struct profile *p, uint32_t node)
{
    return p->frames[p->nodes[node].frame].label;
}

/* ---- functions ---- */

static int add_stack(struct drawing *d, uint32_t sample)
{
    const struct profile_sample *s = &d->p->samples[sample];
    for (uint32_t node = s->stack; node; node = d->p->nodes[node].parent) {
        bool added;
        uint32_t *place = map_add(&d->places, label_at(d->p, node), &added);
        if (!place)
            return -ENOMEM;
        if (added) {
            *place = d->count;
            d->functions[d->count++] = (struct function){.label = label_at(d->p, node)};
        }
        struct function *f = &d->functions[*place];
        f->self += node == s->stack ? s->weight : 0;
        f->total += f->seen == sample + 1 ? 0 : s->weight;
        f->seen = sample + 1;
    }
    return 0;
}

static int by_total(const void *left, const void *right)
{
    const struct function *a = left, *b = right;
    if (a->total != b->total)
        return a->total < b->total ? 1 : -1;
    return (a->label > b->label) - (a->label < b->label);
}

/* Numbers the functions to draw, the heaviest first. */
static int choose(struct drawing *d, uint32_t most)
{
    if (d->count)
        qsort(d->functions, d->count, sizeof *d->functions, by_total);
    for (uint32_t i = 0; i < d->count; i++) {
        bool added;
        uint32_t *place = map_add(&d->places, d->functions[i].label, &added);
        if (!place)
            return -ENOMEM;
        *place = i;
        d->functions[i].drawn = i < most ? i + 1 : 0;
    }
    return 0;
}

/* ---- calls ---- */

static int add_edge(struct drawing *d, uint32_t from, uint32_t to, bool indirect, uint32_t sample)
{
    bool added;
    uint32_t *place = map_add(&d->edge_places, (uint64_t)from << 32 | to, &added);
    if (!place)
        return -ENOMEM;
    if (added && d->edge_count == d->edge_cap) {
        d->edge_cap = d->edge_cap ? 2 * d->edge_cap : 256;
        struct edge *more = realloc(d->edges, d->edge_cap * sizeof *more);
        if (!more)
            return -ENOMEM;
        d->edges = more;
    }
    if (added) {
        *place = d->edge_count;
        d->edges[d->edge_count++] = (struct edge){.from = from, .to = to, .indirect = true};
    }
    struct edge *e = &d->edges[*place];
    e->weight += e->seen == sample + 1 ? 0 : d->p->samples[sample].weight;
    e->seen = sample + 1;
    e->indirect = e->indirect && indirect;
    return 0;
}

static int add_calls(struct drawing *d, uint32_t sample)
{
    const struct profile_sample *s = &d->p->samples[sample];
    uint32_t callee = 0;
    bool indirect = false;
    for (uint32_t node = s->stack; node; node = d->p->nodes[node].parent) {
        const uint32_t *place = map_find(&d->places, label_at(d->p, node));
        uint32_t caller = place ? d->functions[*place].drawn : 0;
        if (!caller) {
            indirect = true;
            continue;
        }
        if (callee && add_edge(d, caller, callee, indirect, sample))
            return -ENOMEM;
        callee = caller;
        indirect = false;
    }
    return 0;
}

/* ---- the text ---- */

static void put_name(FILE *out, const char *name)
{
    for (; *name; name++) {
        if (*name == '"' || *name == '\\')
            fputc('\\', out);
        fputc((unsigned char)*name < ' ' ? '?' : *name, out);
    }
}

static double percent(const struct drawing *d, uint64_t weight)
{
    return d->p->weight ? 100.0 * (double)weight / (double)d->p->weight : 0;
}

static void put_function(FILE *out, const struct drawing *d, const struct function *f)
{
    fprintf(out, "N%" PRIu32 " [label=\"", f->drawn);
    put_name(out, profile_text(d->p, f->label));
    fprintf(out, "\\n%" PRIu64 " (%.2f%%)\\nof %" PRIu64 " (%.2f%%)\" fontsize=%d]\n", f->self, percent(d, f->self), f->total,
            percent(d, f->total), 8 + (int)(percent(d, f->self) / 4));
}

static void put_all(FILE *out, const struct drawing *d, uint32_t most)
{
    uint32_t drawn = d->count < most ? d->count : most;
    fputs("digraph profile {\nnode [style=filled fillcolor=\"#f8f8f8\" shape=box]\n", out);
    fprintf(out, "label=\"%" PRIu64 " ", d->p->weight);
    put_name(out, profile_unit_word(d->p)); /* of pprof it is any text */
    fprintf(out, "; %" PRIu32 " of %" PRIu32 " functions\"\n", drawn, d->count);
    for (uint32_t i = 0; i < drawn; i++)
        put_function(out, d, &d->functions[i]);
    for (uint32_t i = 0; i < d->edge_count; i++) {
        const struct edge *e = &d->edges[i];
        fprintf(out, "N%" PRIu32 " -> N%" PRIu32 " [label=\" %" PRIu64 "\" weight=%d%s]\n", e->from, e->to, e->weight,
                1 + (int)percent(d, e->weight), e->indirect ? " style=dashed" : "");
    }
    fputs("}\n", out);
}

int dot_write(FILE *out, const struct profile *p, uint32_t most)
{
    struct drawing d = {.p = p, .functions = calloc((size_t)p->strings.count + 1, sizeof *d.functions)};
    int rc = d.functions ? 0 : -ENOMEM;
    map_init(&d.places);
    map_init(&d.edge_places);
    for (uint32_t i = 0; !rc && i < p->sample_count; i++)
        rc = add_stack(&d, i);
    rc = rc ? rc : choose(&d, most);
    for (uint32_t i = 0; !rc && i < p->sample_count; i++)
        rc = add_calls(&d, i);
    if (!rc)
        put_all(out, &d, most);
    map_deinit(&d.places);
    map_deinit(&d.edge_places);
    free(d.functions);
    free(d.edges);
    return rc;
}
