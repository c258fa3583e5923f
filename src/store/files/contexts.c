#include "store/files/contexts.h"

#include "profile/allocated.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Labels that differ from request to request, or from object to object. */
static const char *const ids[] = {
    "trace_id",        "span_id",    "root_span_id", "traceId",        "spanId",        "rootSpanId",
    "localRootSpanId", "profile_id", "address",      "owner_trace_id", "owner_span_id",
};

bool contexts_keep(const struct profile *p, const struct profile_label *label)
{
    const char *key = profile_text(p, label->key);
    if (label->number || strtab_len(&p->strings, label->key) > CONTEXT_KEY_MAX || strtab_len(&p->strings, label->value) > CONTEXT_VALUE_MAX)
        return false;
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (!strcmp(key, ids[i]))
            return false;
    if (!strcmp(key, CONTEXT_OTHER))
        return false;
    return !allocated_has_classes(p) || strcmp(key, "class") != 0;
}

/* ---- from a sample's labels to a set ---- */

struct kept {
    const char *key, *value;
    uint32_t key_len, value_len;
};

static int compare(const void *left, const void *right)
{
    const struct kept *a = left, *b = right;
    bool first = !strcmp(a->key, CONTEXT_ENDPOINT), other = !strcmp(b->key, CONTEXT_ENDPOINT);
    if (first != other)
        return first ? -1 : 1;
    int by = strcmp(a->key, b->key);
    return by ? by : strcmp(a->value, b->value);
}

/* Lists the labels that are kept in an order that does not depend on how they were set: the endpoint first. Returns their number. */
static uint32_t list_kept(const struct profile *from, uint32_t labels, struct kept list[PROFILE_LABELS_MAX])
{
    const struct profile_label *all[PROFILE_LABELS_MAX];
    uint32_t n = 0, count = profile_label_list(from, labels, all);
    for (uint32_t i = 0; i < count; i++)
        if (contexts_keep(from, all[i]))
            list[n++] = (struct kept){profile_text(from, all[i]->key), profile_text(from, all[i]->value),
                                      strtab_len(&from->strings, all[i]->key), strtab_len(&from->strings, all[i]->value)};
    qsort(list, n, sizeof *list, compare);
    return n;
}

static bool find_set(const struct profile *names, const struct kept *list, uint32_t n, uint32_t *set)
{
    *set = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct profile_label one = {.parent = *set,
                                          .key = strtab_find(&names->strings, list[i].key, list[i].key_len),
                                          .value = strtab_find(&names->strings, list[i].value, list[i].value_len)};
        if (!one.key || !one.value || !profile_label_find(names, &one, set))
            return false;
    }
    return true;
}

/* Finds or adds the set of these labels. *known is false if there is no such set, and the dictionary has `most` sets already. */
static int take_set(struct profile *names, const struct kept *list, uint32_t n, uint32_t most, uint32_t *set, bool *known)
{
    *known = find_set(names, list, n, set);
    if (*known || names->label_count >= most)
        return 0;
    *known = true;
    *set = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct profile_label one = {.parent = *set};
        if (profile_string(names, list[i].key, list[i].key_len, &one.key) ||
            profile_string(names, list[i].value, list[i].value_len, &one.value) || profile_label(names, &one, set))
            return -ENOMEM;
    }
    return 0;
}

/* Finds or adds the set that has only the endpoint, and the mark for others. */
static int take_reduced(struct profile *names, const struct kept *list, uint32_t n, uint32_t *set)
{
    static const struct kept other = {CONTEXT_OTHER, CONTEXT_OTHER, sizeof CONTEXT_OTHER - 1, sizeof CONTEXT_OTHER - 1};
    bool has_endpoint = n && !strcmp(list->key, CONTEXT_ENDPOINT), known;
    struct kept reduced[2] = {has_endpoint ? *list : other, other};
    int rc = take_set(names, reduced, has_endpoint ? 2 : 1, CONTEXT_SETS_MAX + 2 * CONTEXT_ENDPOINTS_MAX, set, &known);
    if (rc || known)
        return rc;
    if (has_endpoint)
        *reduced = (struct kept){CONTEXT_ENDPOINT, CONTEXT_OTHER, sizeof CONTEXT_ENDPOINT - 1, sizeof CONTEXT_OTHER - 1};
    return take_set(names, reduced, has_endpoint ? 2 : 1, UINT32_MAX, set, &known);
}

int contexts_take(struct profile *names, const struct profile *from, uint32_t *of)
{
    struct kept list[PROFILE_LABELS_MAX];
    memset(of, 0, from->label_count * sizeof *of);
    for (uint32_t i = 0; i < from->sample_count; i++) {
        uint32_t labels = from->samples[i].labels, set;
        bool known;
        if (of[labels])
            continue;
        uint32_t n = list_kept(from, labels, list);
        int rc = take_set(names, list, n, CONTEXT_SETS_MAX, &set, &known);
        rc = rc || known ? rc : take_reduced(names, list, n, &set);
        if (rc)
            return rc;
        of[labels] = CONTEXT_NONE + set;
    }
    return 0;
}

void contexts_list(const struct profile *names, uint32_t context, struct context_labels *out)
{
    uint32_t set = context == CONTEXT_UNKNOWN ? 0 : context - CONTEXT_NONE;
    out->unknown = context == CONTEXT_UNKNOWN;
    for (out->count = 0; set && out->count < PROFILE_LABELS_MAX; set = names->labels[set].parent) {
        out->keys[out->count] = profile_text(names, names->labels[set].key);
        out->values[out->count++] = profile_text(names, names->labels[set].value);
    }
}

const char *contexts_value(const struct context_labels *of, const char *key)
{
    const char *value = "", *other = "";
    if (of->unknown)
        return CONTEXT_UNKNOWN_VALUE;
    for (uint32_t i = 0; i < of->count; i++) {
        if (!strcmp(of->keys[i], key))
            value = of->values[i];
        else if (!strcmp(of->keys[i], CONTEXT_OTHER) && strcmp(key, CONTEXT_ENDPOINT) != 0)
            other = CONTEXT_OTHER;
    }
    return *value ? value : other;
}

const char *contexts_value_of(const struct profile *names, uint32_t context, const char *key)
{
    struct context_labels labels;
    contexts_list(names, context, &labels);
    return contexts_value(&labels, key);
}
