/* Chooses the label sets that a query selects, and the values of the labels by which it splits them. */
#include "store/query/choice.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct choice {
    const struct store *store;
    const struct store_query *q;
    struct error *error;
    const char *by;
    struct map *labelsets;
    struct strtab *values;
    uint64_t labelset;
    struct labels labels;
};

/* Puts the values of the labels to split by into one text, and returns its number in *value. *value = 0 if all are empty. */
static int value_of(struct choice *c, uint32_t *value)
{
    struct buffer text;
    bool some = false;
    buffer_init(&text, 1 << 16);
    for (const char *at = c->by; at; at = strchr(at, STORE_BY_SEPARATOR) ? strchr(at, STORE_BY_SEPARATOR) + 1 : NULL) {
        char name[LABEL_NAME_MAX + 1];
        size_t n = strcspn(at, (char[]){STORE_BY_SEPARATOR, 0});
        snprintf(name, sizeof name, "%.*s", (int)n, at);
        if (at != c->by)
            buffer_u8(&text, STORE_BY_SEPARATOR);
        buffer_text(&text, labels_get(&c->labels, name));
        some |= *labels_get(&c->labels, name);
    }
    *value = some && !text.failed ? strtab_add(c->values, (const char *)text.data, text.len) : 0;
    bool failed = text.failed || (some && !*value);
    buffer_deinit(&text);
    return failed ? -ENOMEM : 0;
}

/* Decides whether the selector matches a set of labels. Called when the set is complete. */
static int decide(struct choice *c)
{
    bool added;
    uint32_t value = 0;
    if (c->labels.count && (!c->q->selector || selector_matches(c->q->selector, &c->labels))) {
        uint32_t *place = map_add(c->labelsets, c->labelset, &added);
        if (!place || value_of(c, &value))
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
    int rc = labelset != c->labelset ? store_is_over(c->store, c->q, c->error) : 0;
    rc = rc || labelset == c->labelset ? rc : decide(c);
    c->labelset = labelset;
    return rc ? rc : labels_set(&c->labels, name, strlen(name), value, strlen(value), &e);
}

int choice_labels(struct store *s, const struct store_query *q, const char *by, struct map *labelsets, struct strtab *values,
                  struct error *e)
{
    struct choice c = {.store = s, .q = q, .error = e, .by = by, .labelsets = labelsets, .values = values};
    struct store_asking asking = {s, q};
    struct catalogue_patience patience = store_patience(&asking);
    int rc = catalogue_labels(s->catalogue, &patience, take_label, &c, e);
    rc = rc ? rc : decide(&c);
    labels_deinit(&c.labels);
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc;
}
