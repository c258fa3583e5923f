#include "store/gather.h"

#include "base/array.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- labels ---- */

struct choice {
    struct gather *g;
    const struct selector *selector;
    const char *by;
    uint64_t labelset;
    struct labels labels;
};

/* One set of labels is whole: is it meant? */
static int decide(struct choice *c)
{
    bool added;
    uint32_t value = 0;
    if (c->labels.count && (!c->selector || selector_matches(c->selector, &c->labels))) {
        uint32_t *place = map_add(&c->g->labelsets, c->labelset, &added);
        const char *text = c->by ? labels_get(&c->labels, c->by) : "";
        if (!place || (*text && !(value = strtab_add_text(&c->g->values, text))))
            return -ENOMEM;
        *place = 1 + value;
    }
    labels_deinit(&c->labels);
    return 0;
}

static int take_label(void *context, uint64_t labelset, const char *name, const char *value)
{
    struct choice *c = context;
    struct error e;
    int rc = labelset != c->labelset ? decide(c) : 0;
    c->labelset = labelset;
    return rc ? rc : labels_set(&c->labels, name, strlen(name), value, strlen(value), &e);
}

static int choose_labels(struct gather *g, struct store *s, const struct store_query *q, const char *by,
                         struct error *e)
{
    struct choice c = {.g = g, .selector = q->selector, .by = by};
    int rc = catalogue_labels(s->catalogue, take_label, &c, e);
    rc = rc ? rc : decide(&c);
    labels_deinit(&c.labels);
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc;
}

/* ---- parts ---- */

static int take_hit(void *context, const struct catalogue_hit *hit)
{
    struct gather *g = context;
    const uint32_t *value = map_find(&g->labelsets, hit->labelset);
    if (!value)
        return 0;
    uint32_t type = strtab_add_text(&g->types, hit->type);
    if (!type || ARRAY_GROW(g->list, g->cap, g->count))
        return -ENOMEM;
    g->list[g->count++] =
        (struct gathered){hit->recording, hit->segment, hit->labelset, hit->rows, hit->dictionary, type, *value - 1};
    return 0;
}

/* The one asked for, else the most frequent. 0 = none. */
static uint32_t choose_type(const struct gather *g, const char *asked)
{
    uint32_t best = 0, most = 0;
    for (uint32_t type = 1; type < g->types.count; type++) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < g->count; i++)
            n += g->list[i].type == type;
        bool better = asked ? !strcmp(strtab_text(&g->types, type), asked) : n > most;
        best = better ? type : best;
        most = better ? n : most;
    }
    return best;
}

/* A recording of several days is there several times. */
static int keep_type(struct gather *g, uint32_t type, struct store_result *r)
{
    struct map seen;
    uint32_t n = 0;
    int rc = 0;
    map_init(&seen);
    for (uint32_t i = 0; !rc && i < g->count; i++) {
        bool added;
        if (g->list[i].type != type)
            continue;
        rc = map_add(&seen, g->list[i].recording, &added) ? 0 : -ENOMEM;
        g->rows += g->list[i].rows;
        g->list[n++] = g->list[i];
    }
    g->count = n;
    r->recordings = seen.count;
    snprintf(r->type, sizeof r->type, "%s", strtab_text(&g->types, type));
    map_deinit(&seen);
    return rc;
}

static int keep_all(struct gather *g)
{
    for (uint32_t i = 0; i < g->count; i++)
        g->rows += g->list[i].rows;
    return 0;
}

int gather_init(struct gather *g, struct store *s, const struct store_query *q, const char *by, struct store_result *r,
                struct error *e)
{
    *g = (struct gather){0};
    *r = (struct store_result){0};
    buffer_init(&r->unreadable, 1 << 16);
    map_init(&g->labelsets);
    if (strtab_init(&g->types) || strtab_init(&g->values))
        return error_set(e, -ENOMEM, "out of memory");
    int rc = choose_labels(g, s, q, by, e);
    rc = rc ? rc : catalogue_hits(s->catalogue, q->from, q->to, take_hit, g, e);
    bool all = q->type && !*q->type;
    rc = rc ? rc : all ? keep_all(g) : keep_type(g, choose_type(g, q->type), r);
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc;
}

void gather_deinit(struct gather *g)
{
    free(g->list);
    map_deinit(&g->labelsets);
    strtab_deinit(&g->types);
    strtab_deinit(&g->values);
}

/* ---- rows ---- */

/* Which entry of the list each recording of the segment is; NULL = not selected. */
static const struct gathered **entries_of(const struct gather *g, uint32_t begin, uint32_t end,
                                          const struct segment *segment)
{
    const struct gathered **of = calloc((size_t)segment->recording_count + 1, sizeof *of);
    for (uint32_t i = begin; of && i < end; i++)
        for (uint32_t k = 0; k < segment->recording_count; k++)
            if (segment->recordings[k] == g->list[i].recording)
                of[k] = &g->list[i];
    return of;
}

static int visit_rows(const struct gather *g, const struct store_query *q, uint32_t begin, uint32_t end,
                      const struct segment *segment, gather_visit *visit, void *context, struct store_result *r)
{
    const struct gathered **of = entries_of(g, begin, end, segment);
    int rc = of ? 0 : -ENOMEM;
    for (uint32_t i = 0; !rc && i < segment->row_count; i++) {
        const struct segment_row *row = &segment->rows[i];
        int64_t second = segment->first + row->second;
        if (!of[row->recording] || second < q->from || second >= q->to)
            continue;
        r->weight += row->weight;
        rc = visit(context, of[row->recording], segment, row);
    }
    free(of);
    return rc;
}

int gather_segment(const struct gather *g, struct store *s, const struct store_query *q, uint32_t *at, unsigned columns,
                   gather_visit *visit, void *context, struct store_result *r, struct error *e)
{
    const struct gathered *first = &g->list[*at];
    uint32_t begin = *at;
    char path[DISK_PATH_MAX];
    struct segment segment;
    while (*at < g->count && g->list[*at].segment == first->segment)
        ++*at;
    int rc = segment_read(&segment, store_segment_path(s, path, first->dictionary, first->segment), columns, e);
    if (rc == -EBADMSG || rc == -ENOENT) {
        buffer_printf(&r->unreadable, "%s\n",
                      e->text + (strncmp(e->text, s->path, strlen(s->path)) ? 0 : strlen(s->path) + 1));
        recover_quarantine(s, first->dictionary, first->segment, e->text);
        return 0;
    }
    if (rc)
        return rc;
    rc = visit_rows(g, q, begin, *at, &segment, visit, context, r);
    segment_deinit(&segment);
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc;
}
