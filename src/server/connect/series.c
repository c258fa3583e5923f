#include "server/connect/series.h"

#include "base/array.h"

#include <errno.h>
#include <string.h>

static const char service[] = "service";

static const char *const of_kind[] = {"__name__",        "__period_type__", "__period_unit__",
                                      "__profile_type__", "__type__",        "__unit__"};

const char *series_value(const struct series *s, const char *name)
{
    const char *of = kinds_label(&s->kind, name);
    if (of)
        return of;
    bool is_service = !strcmp(name, SERIES_SERVICE) || !strcmp(name, "__service_name__");
    return labels_get(s->labels, is_service ? service : name);
}

int series_names(const struct series *s, series_visit_name *visit, void *context)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < sizeof of_kind / sizeof *of_kind; i++)
        rc = visit(context, of_kind[i]);
    for (uint32_t i = 0; !rc && i < s->labels->count; i++) {
        const char *name = s->labels->list[i].name;
        rc = strcmp(name, service) ? visit(context, name) : visit(context, SERIES_SERVICE);
    }
    return rc;
}

/* ---- finding ---- */

/* The label sets of the catalogue, by labelset. */
struct label_sets {
    struct label_set {
        uint64_t id;
        struct labels labels;
    } *list;
    uint32_t count, cap;
};

struct search {
    struct store *store;
    const struct store_query *q;
    const struct selector *selectors;
    uint32_t selector_count, at;
    struct label_sets sets;
    series_visit *visit;
    void *context;
    struct error *error;
};

static int take_label(void *context, uint64_t labelset, const char *name, const char *value)
{
    struct search *s = context;
    struct label_sets *all = &s->sets;
    if (!all->count || all->list[all->count - 1].id != labelset) {
        int rc = store_is_over(s->store, s->q, s->error);
        if (rc)
            return rc;
        if (ARRAY_GROW(all->list, all->cap, all->count))
            return -ENOMEM;
        all->list[all->count++] = (struct label_set){.id = labelset};
    }
    return labels_set(&all->list[all->count - 1].labels, name, strlen(name), value, strlen(value), s->error);
}

static const char *value_of(void *series, const char *name)
{
    return series_value(series, name);
}

/* Both come by labelset. */
static int take_stream(void *context, uint64_t labelset, const char *type)
{
    struct search *s = context;
    while (s->at < s->sets.count && s->sets.list[s->at].id < labelset)
        s->at++;
    if (s->at == s->sets.count || s->sets.list[s->at].id != labelset)
        return 0;
    struct series one = {.labels = &s->sets.list[s->at].labels};
    kinds_of_type(type, &one.kind);
    for (uint32_t i = 0; i < s->selector_count; i++)
        if (!selector_holds(&s->selectors[i], value_of, &one))
            return 0;
    int rc = store_is_over(s->store, s->q, s->error);
    return rc ? rc : s->visit(s->context, &one);
}

int series_find(struct store *store, const struct store_query *q, const struct selector *selectors, uint32_t n, series_visit *visit,
                void *context, struct error *e)
{
    struct search s = {.store = store, .q = q, .selectors = selectors, .selector_count = n, .visit = visit, .context = context, .error = e};
    int rc = catalogue_labels(store_catalogue(store), take_label, &s, e);
    rc = rc ? rc : catalogue_streams(store_catalogue(store), q->from, q->to, take_stream, &s, e);
    for (uint32_t i = 0; i < s.sets.count; i++)
        labels_deinit(&s.sets.list[i].labels);
    free(s.sets.list);
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc;
}

static const char *value_of_kind(void *kind, const char *name)
{
    return kinds_label(kind, name);
}

bool series_narrow(struct selector *s, const struct kind *k)
{
    struct selector left = {0}, taken = {0};
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
        if (!strcmp(name, SERIES_SERVICE) || !strcmp(name, "__service_name__"))
            memcpy(name, service, sizeof service); /* which is shorter */
    }
    return holds;
}
