/* Adds the rows of one side to the comparison: by host, method, line and call. */
#include "profile/owner.h"
#include "server/fleet/changes_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The meaning of a node of a dictionary. Figures and edges are numbers plus 1; 0 = not looked up yet, NONE = there is none. */
struct node {
    uint32_t method, line, edge;
};

enum { NONE = UINT32_MAX };

struct take {
    struct changes *c;
    enum changes_side side;
    uint32_t dictionary;
    const struct profile *names;       /* from the dictionary */
    struct node *nodes;                /* by node of the dictionary */
    uint64_t *figure_seen, *edge_seen; /* the number of the sum that was counted last */
    uint32_t figure_cap, edge_cap;
    uint64_t sums;
};

static const struct profile_frame *frame_of(const struct take *t, uint32_t node)
{
    return &t->names->frames[t->names->nodes[node].frame];
}

static int method_of(struct take *t, uint32_t node, uint32_t *figure)
{
    struct node *n = &t->nodes[node];
    const struct profile_frame *f = frame_of(t, node);
    int rc = 0;
    if (!n->method && f->type == PROFILE_TYPE_MARK)
        n->method = NONE;
    if (!n->method) {
        rc = changes_figure(t->c, profile_text(t->names, f->label), strtab_len(&t->names->strings, f->label), 0, figure);
        n->method = rc ? 0 : *figure + 1;
    }
    *figure = n->method == NONE ? CHANGES_NO_FIGURE : n->method - 1;
    return rc;
}

/* Whether the frame is the program's own, with a line. */
static bool is_own(const struct take *t, uint32_t node)
{
    const struct profile_frame *f = frame_of(t, node);
    return f->line > 0 && owner_of_frame(t->names, f) == CODE_OF_PROGRAM;
}

/* Finds the line of the innermost frame of the program's own code. */
static int line_of(struct take *t, uint32_t stack, uint32_t *figure)
{
    struct node *n = &t->nodes[stack];
    uint32_t node = stack, method;
    int rc = 0;
    while (!n->line && node && !is_own(t, node))
        node = t->names->nodes[node].parent;
    if (!n->line && !node)
        n->line = NONE;
    if (!n->line) {
        const struct profile_frame *f = frame_of(t, node);
        rc = changes_figure(t->c, profile_text(t->names, f->label), strtab_len(&t->names->strings, f->label), f->line, figure);
        rc = rc ? rc : method_of(t, node, &method);
        if (!rc)
            t->c->figures[*figure].method = method;
        n->line = rc ? 0 : *figure + 1;
    }
    *figure = n->line == NONE ? CHANGES_NO_FIGURE : n->line - 1;
    return rc;
}

/* Finds the call that led to the node, from the nearest method above it. */
static int edge_of(struct take *t, uint32_t node, uint32_t callee, uint32_t *edge)
{
    struct node *n = &t->nodes[node];
    uint32_t caller = CHANGES_NO_FIGURE, above = t->names->nodes[node].parent;
    int rc = 0;
    for (; !rc && !n->edge && above && caller == CHANGES_NO_FIGURE; above = t->names->nodes[above].parent)
        rc = method_of(t, above, &caller);
    if (!rc && !n->edge) {
        rc = changes_edge(t->c, callee, caller, edge);
        n->edge = rc ? 0 : *edge + 1;
    }
    *edge = n->edge - 1;
    return rc;
}

/* Whether this sum of a stack has not been counted for that place yet; notes that it is. */
static int is_first(uint64_t **seen, uint32_t *cap, uint32_t place, uint64_t sum, bool *first)
{
    if (place >= *cap) {
        uint32_t wanted = place > 512 ? 2 * place : 1024;
        uint64_t *grown = realloc(*seen, wanted * sizeof *grown);
        if (!grown)
            return -ENOMEM;
        memset(grown + *cap, 0, (wanted - *cap) * sizeof *grown);
        *seen = grown;
        *cap = wanted;
    }
    *first = (*seen)[place] != sum;
    (*seen)[place] = sum;
    return 0;
}

static int count_call(struct take *t, uint32_t node, uint32_t method, double weight)
{
    uint32_t edge;
    bool first;
    int rc = edge_of(t, node, method, &edge);
    rc = rc ? rc : is_first(&t->edge_seen, &t->edge_cap, edge, t->sums, &first);
    if (!rc && first)
        t->c->edges[edge].weight[t->side] += weight;
    return rc;
}

static int count_line(struct take *t, uint32_t unit, const struct store_split_sum *sum)
{
    uint32_t line = CHANGES_NO_FIGURE;
    int rc = sum->stack ? line_of(t, sum->stack, &line) : 0;
    if (!rc && line != CHANGES_NO_FIGURE)
        rc = changes_add(t->c, line, unit, (double)sum->weight, 0, (double)sum->count);
    return rc;
}

/* Counts one stack. A method that is in it several times counts once in its total. */
static int count_stack(struct take *t, uint32_t unit, const struct store_split_sum *sum)
{
    double weight = (double)sum->weight;
    int rc = 0;
    t->sums++;
    changes_weigh(t->c, unit, weight, sum->squares);
    for (uint32_t node = sum->stack; !rc && node; node = t->names->nodes[node].parent) {
        uint32_t method;
        bool first;
        rc = method_of(t, node, &method);
        if (rc || method == CHANGES_NO_FIGURE)
            continue;
        rc = is_first(&t->figure_seen, &t->figure_cap, method, t->sums, &first);
        double self = node == sum->stack ? weight : 0;
        if (!rc && (first || self > 0))
            rc = changes_add(t->c, method, unit, self, first ? weight : 0, first ? (double)sum->count : 0);
        rc = rc ? rc : count_call(t, node, method, weight);
    }
    return rc ? rc : count_line(t, unit, sum);
}

static int take_names(struct take *t, const struct store_split_part *part)
{
    if (t->nodes && t->dictionary == part->dictionary)
        return 0;
    free(t->nodes);
    t->dictionary = part->dictionary;
    t->names = part->names;
    t->nodes = calloc(part->names->node_count, sizeof *t->nodes);
    return t->nodes ? 0 : -ENOMEM;
}

/* The part's value is the host's name. If there is a label to split by, its value follows after a separator. */
static int take_part(void *context, const struct store_split_part *part)
{
    struct take *t = context;
    char host[LABEL_VALUE_MAX + 1];
    const char *separator = strchr(part->value, STORE_BY_SEPARATOR);
    uint32_t unit;
    snprintf(host, sizeof host, "%.*s", separator ? (int)(separator - part->value) : LABEL_VALUE_MAX, part->value);
    int rc = changes_unit(t->c, t->side, host, separator ? separator + 1 : "", part->step, &unit);
    rc = rc ? rc : take_names(t, part);
    for (uint32_t i = 0; !rc && i < part->count; i++)
        rc = count_stack(t, unit, &part->sums[i]);
    return rc;
}

int changes_take(struct fleet_changes *f, enum changes_side which, struct error *e)
{
    struct fleet_side *side = &f->sides[which];
    struct take t = {.c = &f->changes, .side = which};
    struct store_query q = f->query.q;
    char by[LABEL_NAME_MAX + 16];
    snprintf(by, sizeof by, f->split ? "host%c%.*s" : "host", STORE_BY_SEPARATOR, LABEL_NAME_MAX, f->split);
    struct store_split split = {.by = by, .few = f->few, .steps = CHANGES_BLOCKS, .visit = take_part, .context = &t};
    q.selector = &side->selector;
    q.from = side->from;
    q.to = side->to;
    int rc = store_split(f->http->server->store, &q, &split, &side->result, e);
    if (rc == -E2BIG)
        error_set(e, rc, "too many methods on too many hosts: ask for fewer hosts, or for less time");
    side->seconds = split.seconds;
    free(t.nodes);
    free(t.figure_seen);
    free(t.edge_seen);
    return rc;
}
