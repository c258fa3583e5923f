#include "server/alerts/values.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct finding {
    struct alert_values *values;
    const struct alert_rule *rule;
    const struct selector *selector;
    const struct store *store;
    const struct store_query *q;
    struct error *error;
};

int values_add(struct alert_values *v, const char *value)
{
    uint32_t low = 0, high = v->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strcmp(v->list[middle], value) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < v->count && !strcmp(v->list[low], value))
        return 0;
    if (v->count == ALERT_VALUES_MAX) {
        v->cut = true;
        return 0;
    }
    char *copy = strdup(value);
    if (!copy || ARRAY_GROW(v->list, v->cap, v->count)) {
        free(copy);
        return -ENOMEM;
    }
    memmove(&v->list[low + 1], &v->list[low], (v->count - low) * sizeof *v->list);
    v->list[low] = copy;
    v->count++;
    return 0;
}

static int take(void *context, const struct catalogue_recording *r)
{
    struct finding *f = context;
    int rc = store_is_over(f->store, f->q, f->error);
    if (rc || !selector_matches(f->selector, &r->labels))
        return rc;
    const char *value = labels_get(&r->labels, f->rule->each);
    return *value ? values_add(f->values, value) : 0;
}

int values_find(struct alert_values *v, const struct alert_rule *rule, struct store *store, const struct store_query *patience,
                int64_t from, int64_t to, struct error *e)
{
    struct selector selector;
    struct finding f = {v, rule, &selector, store, patience, e};
    struct store_asking asking = {store, patience};
    struct catalogue_patience over = store_patience(&asking);
    int rc = selector_parse(&selector, rule->select, e);
    rc = rc ? rc : catalogue_recordings(store_catalogue(store), from, to, &over, take, &f, e);
    selector_deinit(&selector);
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc;
}

void values_deinit(struct alert_values *v)
{
    for (uint32_t i = 0; i < v->count; i++)
        free(v->list[i]);
    free(v->list);
    *v = (struct alert_values){0};
}
