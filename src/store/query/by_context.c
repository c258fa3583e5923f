#include "store/query/by_context.h"

#include "store/files/contexts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    VALUE_BYTES_MAX = 1 << 16,
    CONTEXTS_AT_ONCE = 64, /* number of contexts that are matched between two checks whether the query is abandoned */
};

struct by_context {
    const struct store_query *query;
    const struct selector *selector; /* NULL = rows are not selected by context */
    const char *by;                  /* NULL = rows are not split by context */
    struct strtab *values;
    struct strtab parts; /* the values of the labels of samples in `by`, each followed by a separator */
    struct map combined; /* (base, part) -> value */
    struct map bases;    /* value -> base */
};

/* Reads the next name of `by`. Returns false at the end. */
static bool next_name(const char **at, char name[LABEL_NAME_MAX + 1])
{
    if (!*at)
        return false;
    size_t n = strcspn(*at, (char[]){STORE_BY_SEPARATOR, 0});
    snprintf(name, LABEL_NAME_MAX + 1, "%.*s", (int)n, *at);
    *at = (*at)[n] ? *at + n + 1 : NULL;
    return true;
}

static bool has_sample_label(const char *by)
{
    char name[LABEL_NAME_MAX + 1];
    while (next_name(&by, name))
        if (selector_sample_label(name))
            return true;
    return false;
}

int by_context_new(struct by_context **out, const struct store_query *q, const char *by, struct strtab *values)
{
    bool selects = q->selector && selector_is_of_samples(q->selector), splits = has_sample_label(by);
    *out = selects || splits ? calloc(1, sizeof **out) : NULL;
    if (!*out)
        return selects || splits ? -ENOMEM : 0;
    (*out)->query = q;
    (*out)->selector = selects ? q->selector : NULL;
    (*out)->by = splits ? by : NULL;
    (*out)->values = values;
    map_init(&(*out)->combined);
    map_init(&(*out)->bases);
    return strtab_init(&(*out)->parts);
}

void by_context_free(struct by_context *c)
{
    if (!c)
        return;
    strtab_deinit(&c->parts);
    map_deinit(&c->combined);
    map_deinit(&c->bases);
    free(c);
}

/* ---- the contexts of a dictionary ---- */

static const char *value_of(void *labels, const char *name)
{
    return contexts_value(labels, name);
}

/* Appends a label's value. The separator cannot be in it. */
static void put_value(struct buffer *out, const char *value)
{
    for (; *value; value++)
        buffer_u8(out, *value == STORE_BY_SEPARATOR ? '?' : (uint8_t)*value);
}

static int part_of(struct by_context *c, const struct context_labels *labels, struct buffer *text, uint32_t *part)
{
    const char *at = c->by;
    char name[LABEL_NAME_MAX + 1];
    buffer_reset(text);
    while (next_name(&at, name)) {
        const char *label = selector_sample_label(name);
        if (!label)
            continue;
        put_value(text, contexts_value(labels, label));
        buffer_u8(text, STORE_BY_SEPARATOR);
    }
    *part = text->failed ? 0 : strtab_add(&c->parts, (const char *)text->data, text->len);
    return *part ? 0 : -ENOMEM;
}

static int choose_one(struct by_context *c, struct dictionary *d, uint32_t context, struct buffer *text,
                      const struct by_context_choice *out)
{
    struct context_labels labels;
    pthread_mutex_lock(&d->lock);
    contexts_list(&d->names, context, &labels);
    pthread_mutex_unlock(&d->lock);
    if (out->pass)
        out->pass[context] = context != CONTEXT_UNKNOWN && selector_holds_for_sample(c->selector, value_of, &labels);
    return out->parts ? part_of(c, &labels, text, &out->parts[context]) : 0;
}

/* Values and regular expressions are what clients wrote, so matching may take long. A thread that seals a part waits for the dictionary:
 * it is not locked meanwhile. */
int by_context_choose(struct by_context *c, const struct store *s, struct dictionary *d, uint32_t count, struct by_context_choice *out,
                      struct error *e)
{
    struct buffer text;
    *out = (struct by_context_choice){0};
    out->pass = c->selector ? calloc(count, sizeof *out->pass) : NULL;
    out->parts = c->by ? calloc(count, sizeof *out->parts) : NULL;
    int rc = (c->selector && !out->pass) || (c->by && !out->parts) ? -ENOMEM : 0;
    buffer_init(&text, VALUE_BYTES_MAX);
    for (uint32_t i = 0; !rc && i < count; i++) {
        rc = i % CONTEXTS_AT_ONCE ? 0 : store_is_over(s, c->query, e);
        rc = rc ? rc : choose_one(c, d, i, &text, out);
    }
    buffer_deinit(&text);
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc;
}

void by_context_choice_deinit(struct by_context_choice *choice)
{
    free(choice->pass);
    free(choice->parts);
    *choice = (struct by_context_choice){0};
}

/* ---- values ---- */

/* Takes the first value from a list, and appends it. out: NULL = it is not appended. Returns whether a value was appended that is not
 * empty. */
static bool take_value(struct buffer *out, const char **values)
{
    size_t n = strcspn(*values, (char[]){STORE_BY_SEPARATOR, 0});
    if (out)
        buffer_put(out, *values, n);
    *values += n + ((*values)[n] != 0);
    return out && n;
}

/* Combines both lists to one list of values, in the order of `by`. The value is 0 if all are empty, as without labels. */
static int combine(struct by_context *c, uint32_t base, uint32_t part, uint32_t *value)
{
    const char *of_recording = strtab_text(c->values, base), *of_sample = strtab_text(&c->parts, part), *at = c->by;
    char name[LABEL_NAME_MAX + 1];
    struct buffer text;
    bool some = false;
    buffer_init(&text, VALUE_BYTES_MAX);
    while (next_name(&at, name)) {
        bool sample = selector_sample_label(name);
        some |= take_value(sample ? NULL : &text, &of_recording);
        some |= sample && take_value(&text, &of_sample);
        if (at)
            buffer_u8(&text, STORE_BY_SEPARATOR);
    }
    *value = some && !text.failed ? strtab_add(c->values, (const char *)text.data, text.len) : 0;
    bool failed = text.failed || (some && !*value);
    buffer_deinit(&text);
    return failed ? -ENOMEM : 0;
}

int by_context_value(struct by_context *c, uint32_t base, uint32_t part, uint32_t *value)
{
    bool added;
    uint32_t *known = map_add(&c->combined, (uint64_t)base << 32 | part, &added);
    if (!known)
        return -ENOMEM;
    if (added) {
        if (combine(c, base, part, known))
            return -ENOMEM;
        uint32_t *of = map_add(&c->bases, *known, &added);
        if (!of)
            return -ENOMEM;
        *of = base;
    }
    *value = *known;
    return 0;
}

uint32_t by_context_base(const struct by_context *c, uint32_t value)
{
    const uint32_t *base = map_find(&c->bases, value);
    return base ? *base : value;
}
