#include "server/alerts/table.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

static int compare(const struct alert *a, const char *rule, const char *value)
{
    int by_rule = strcmp(a->rule, rule);
    return by_rule ? by_rule : strcmp(a->value ? a->value : "", value ? value : "");
}

/* Returns the place of the first alert that is not before this one. */
static uint32_t place_of(const struct alert_table *t, const char *rule, const char *value)
{
    uint32_t low = 0, high = t->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare(&t->list[middle], rule, value) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t table_first(const struct alert_table *t, const char *rule)
{
    return place_of(t, rule, "");
}

struct alert *table_find(const struct alert_table *t, const char *rule, const char *value)
{
    uint32_t at = place_of(t, rule, value);
    return at < t->count && !compare(&t->list[at], rule, value) ? &t->list[at] : NULL;
}

struct alert *table_get(struct alert_table *t, const char *rule, const char *value)
{
    struct alert *known = table_find(t, rule, value);
    if (known)
        return known;
    char *copy = value ? strdup(value) : NULL;
    if ((value && !copy) || ARRAY_GROW(t->list, t->cap, t->count)) {
        free(copy);
        return NULL;
    }
    uint32_t at = place_of(t, rule, value);
    memmove(&t->list[at + 1], &t->list[at], (t->count - at) * sizeof *t->list);
    t->count++;
    t->list[at] = (struct alert){.value = copy};
    memcpy(t->list[at].rule, rule, strnlen(rule, ALERT_NAME_MAX - 1));
    return &t->list[at];
}

void table_deinit(struct alert_table *t)
{
    for (uint32_t i = 0; i < t->count; i++)
        free(t->list[i].value);
    free(t->list);
    *t = (struct alert_table){0};
}

static void fit_targets(struct alert *a, const struct alert_rules *old, const struct alert_rules *now)
{
    struct alert_told told[ALERT_TARGETS_MAX] = {0};
    for (uint32_t i = 0; i < now->target_count; i++) {
        bool known = false;
        for (uint32_t k = 0; old && k < old->target_count; k++)
            if (!strcmp(old->targets[k].name, now->targets[i].name)) {
                told[i] = a->told[k];
                known = true;
            }
        if (!known && verdict_for_targets(a) == ALERT_RESOLVED)
            told[i] = (struct alert_told){ALERT_RESOLVED, a->started, a->ended};
    }
    memcpy(a->told, told, sizeof told);
}

void table_fit(struct alert_table *t, const struct alert_rules *old, const struct alert_rules *now)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        struct alert *a = &t->list[i];
        const struct alert_rule *rule = rules_find(now, a->rule), *was = rules_find(old, a->rule);
        bool same_each = rule && (!*rule->each == !a->value) && (!was || !strcmp(was->each, rule->each));
        if (!same_each) {
            free(a->value);
            continue;
        }
        fit_targets(a, old, now);
        t->list[kept++] = *a;
    }
    t->count = kept;
}
