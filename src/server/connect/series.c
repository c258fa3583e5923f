#include "server/connect/series.h"

#include "base/array.h"
#include "base/strtab.h"

#include <errno.h>
#include <string.h>

static const char service[] = "service";

static const char *const of_kind[] = {"__name__", "__period_type__", "__period_unit__", "__profile_type__", "__type__", "__unit__"};

const char *series_value(const struct series *s, const char *name)
{
    const char *of = kinds_label(&s->kind, name);
    if (of)
        return of;
    return labels_get(s->labels, series_is_service(name) ? service : name);
}

bool series_is_service(const char *name)
{
    return !strcmp(name, SERIES_SERVICE) || !strcmp(name, "__service_name__");
}

int series_names(const struct series *s, series_visit_name *visit, void *context)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < sizeof of_kind / sizeof *of_kind; i++)
        rc = visit(context, of_kind[i]);
    for (uint32_t i = 0; !rc && i < s->labels->count; i++) {
        const char *name = s->labels->list[i].name;
        if (!series_is_service(name)) /* a label that /ingest received under that name was stored as `service` */
            rc = strcmp(name, service) ? visit(context, name) : visit(context, SERIES_SERVICE);
    }
    return rc;
}

/* ---- finding ---- */

/* The label sets of the catalog, sorted by labelset. */
struct label_sets {
    struct label_set {
        uint64_t id;
        struct labels labels;
    } * list;
    uint32_t count, cap;
};

struct streams {
    struct stream {
        uint64_t labelset;
        uint32_t type;
    } * list;
    uint32_t count, cap;
    struct strtab types;
};

struct search {
    struct store *store;
    const struct store_query *q;
    struct label_sets sets;
    struct streams streams;
    struct error *error;
};

static int take_label(void *context, uint64_t labelset, const char *name, const char *value)
{
    struct search *s = context;
    struct label_sets *all = &s->sets;
    if (!all->count || all->list[all->count - 1].id != labelset) {
        if (ARRAY_GROW(all->list, all->cap, all->count))
            return -ENOMEM;
        all->list[all->count++] = (struct label_set){.id = labelset};
    }
    return labels_set(&all->list[all->count - 1].labels, name, strlen(name), value, strlen(value), s->error);
}

static int take_stream(void *context, uint64_t labelset, const char *type)
{
    struct search *s = context;
    struct streams *all = &s->streams;
    uint32_t id = strtab_add_text(&all->types, type);
    if (!id || ARRAY_GROW(all->list, all->cap, all->count))
        return -ENOMEM;
    all->list[all->count++] = (struct stream){labelset, id};
    return 0;
}

static const char *value_of(void *series, const char *name)
{
    return series_value(series, name);
}

static bool is_meant(const struct selector *selectors, uint32_t n, struct series *one)
{
    for (uint32_t i = 0; i < n; i++)
        if (selector_holds(&selectors[i], value_of, one))
            return true;
    return !n;
}

/* Visits the series that match. Streams and label sets are both sorted by labelset. */
static int visit_all(struct search *s, const struct selector *selectors, uint32_t n, series_visit *visit, void *context)
{
    int rc = 0;
    uint32_t at = 0;
    for (uint32_t i = 0; !rc && i < s->streams.count; i++) {
        const struct stream *stream = &s->streams.list[i];
        while (at < s->sets.count && s->sets.list[at].id < stream->labelset)
            at++;
        if (at == s->sets.count || s->sets.list[at].id != stream->labelset)
            continue;
        struct series one = {.labels = &s->sets.list[at].labels};
        kinds_of_type(strtab_text(&s->streams.types, stream->type), &one.kind);
        rc = store_is_over(s->store, s->q, s->error);
        if (!rc && selector_holds(s->q->selector, value_of, &one) && is_meant(selectors, n, &one))
            rc = visit(context, &one);
    }
    return rc;
}

int series_find(struct store *store, const struct store_query *q, const struct selector *selectors, uint32_t n, series_visit *visit,
                void *context, struct error *e)
{
    struct search s = {.store = store, .q = q, .error = e};
    struct store_asking asking = {store, q};
    struct catalogue_patience patience = store_patience(&asking);
    int rc = strtab_init(&s.streams.types) ? -ENOMEM : catalogue_labels(store_catalogue(store), &patience, take_label, &s, e);
    rc = rc ? rc : catalogue_streams(store_catalogue(store), q->from, q->to, &patience, take_stream, &s, e);
    rc = rc ? rc : visit_all(&s, selectors, n, visit, context);
    for (uint32_t i = 0; i < s.sets.count; i++)
        labels_deinit(&s.sets.list[i].labels);
    free(s.sets.list);
    free(s.streams.list);
    strtab_deinit(&s.streams.types);
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc;
}

static const char *value_of_kind(void *kind, const char *name)
{
    return kinds_label(kind, name);
}

bool series_narrow(struct selector *s, const struct kind *k)
{
    struct selector left = {.services = s->services}, taken = {0};
    struct kind kind = *k;
    for (uint32_t i = 0; i < s->count; i++) {
        struct selector *to = kinds_label(k, s->list[i].name) ? &taken : &left;
        to->list[to->count++] = s->list[i];
    }
    bool holds = selector_holds(&taken, value_of_kind, &kind);
    selector_deinit(&taken);
    *s = left;
    for (uint32_t i = 0; i < s->count; i++) {
        char *name = s->list[i].name;
        if (series_is_service(name))
            memcpy(name, service, sizeof service); /* the new name is shorter */
    }
    return holds;
}
