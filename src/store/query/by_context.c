#include "store/query/by_context.h"

#include "store/files/contexts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_BYTES_MAX = 1 << 16 };

struct by_context {
    const struct selector *selector; /* NULL = rows are not selected by context */
    const char *by;                  /* NULL = rows are not split by context */
    struct strtab *values;
    struct strtab parts; /* the values of the labels of samples in `by`, each with a separator behind it */
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

struct one_context {
    const struct profile *names;
    uint32_t id;
};

static const char *value_of(void *context, const char *name)
{
    const struct one_context *one = context;
    return contexts_value(one->names, one->id, name);
}

/* Appends a label's value. The separator cannot be in it. */
static void put_value(struct buffer *out, const char *value)
{
    for (; *value; value++)
        buffer_u8(out, *value == STORE_BY_SEPARATOR ? '?' : (uint8_t)*value);
}

static int part_of(struct by_context *c, const struct one_context *one, struct buffer *text, uint32_t *part)
{
    const char *at = c->by;
    char name[LABEL_NAME_MAX + 1];
    buffer_reset(text);
    while (next_name(&at, name)) {
        const char *label = selector_sample_label(name);
        if (!label)
            continue;
        put_value(text, contexts_value(one->names, one->id, label));
        buffer_u8(text, STORE_BY_SEPARATOR);
    }
    *part = text->failed ? 0 : strtab_add(&c->parts, (const char *)text->data, text->len);
    return *part ? 0 : -ENOMEM;
}

static int choose(struct by_context *c, const struct profile *names, uint32_t count, struct by_context_choice *out)
{
    struct buffer text;
    int rc = 0;
    buffer_init(&text, VALUE_BYTES_MAX);
    for (uint32_t i = 0; !rc && i < count; i++) {
        struct one_context one = {names, i};
        if (out->pass)
            out->pass[i] = i != CONTEXT_UNKNOWN && selector_holds_for_sample(c->selector, value_of, &one);
        if (out->parts)
            rc = part_of(c, &one, &text, &out->parts[i]);
    }
    buffer_deinit(&text);
    return rc;
}

int by_context_choose(struct by_context *c, struct dictionary *d, uint32_t count, struct by_context_choice *out, struct error *e)
{
    *out = (struct by_context_choice){0};
    out->pass = c->selector ? calloc(count, sizeof *out->pass) : NULL;
    out->parts = c->by ? calloc(count, sizeof *out->parts) : NULL;
    if ((c->selector && !out->pass) || (c->by && !out->parts))
        return error_set(e, -ENOMEM, "out of memory");
    pthread_mutex_lock(&d->lock);
    int rc = choose(c, &d->names, count, out);
    pthread_mutex_unlock(&d->lock);
    return rc ? error_set(e, rc, "out of memory") : 0;
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

/* Makes one list of values of both lists, in the order of `by`. The value is 0 if all are empty, as without labels. */
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
