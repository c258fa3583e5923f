#include "profile/load/load_context.h"

#include "jfr/read/once.h"
#include "profile/load/load_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void load_context_init(struct load_context *c, struct profile *p)
{
    *c = (struct load_context){.profile = p};
    map_init(&c->sets);
    map_init(&c->owners);
}

void load_context_deinit(struct load_context *c)
{
    map_deinit(&c->sets);
    map_deinit(&c->owners);
}

void load_context_new_chunk(struct load_context *c)
{
    map_clear(&c->sets);
    map_clear(&c->owners);
}

const struct jfr_field *load_context_field(const struct jfr_type *type, const char *name)
{
    const struct jfr_field *f = jfr_type_field(type, name);
    return f && !f->array && !strcmp(f->type->name, "candor.types.Context") ? f : NULL;
}

/* Adds a label from "KEY=VALUE". Other texts are ignored. */
static int add(struct profile *p, const char *pair, size_t len, uint32_t *labels)
{
    struct profile_label label = {.parent = *labels};
    const char *equals = memchr(pair, '=', len);
    size_t key = equals ? (size_t)(equals - pair) : len;
    if (!equals || key + 1 == len)
        return 0;
    if (profile_string(p, pair, key, &label.key) || load_text(p, (struct jfr_text){equals + 1, len - key - 1}, &label.value))
        return -ENOMEM;
    return profile_label(p, &label, labels);
}

/* Copies the next pair to out. A pair ends at a semicolon without a backslash before it. Backslashes are removed. */
static size_t next_pair(struct jfr_text text, size_t *at, char *out)
{
    size_t n = 0, i = *at;
    for (; i < text.len && text.bytes[i] != ';'; i++) {
        i += text.bytes[i] == '\\' && i + 1 < text.len;
        out[n++] = text.bytes[i];
    }
    *at = i + 1;
    while (*at < text.len && text.bytes[*at] == ' ')
        ++*at;
    return n;
}

static int take(void *profile, struct jfr_value value, uint32_t *labels)
{
    struct jfr_text text = jfr_value_text(value);
    if (!text.len)
        return 0;
    char *pair = malloc(text.len + 1);
    int rc = pair ? 0 : -ENOMEM;
    for (size_t at = 0; !rc && at < text.len;) {
        size_t n = next_pair(text, &at, pair);
        rc = add(profile, pair, n, labels);
    }
    free(pair);
    return rc;
}

int load_context(struct load_context *c, struct jfr_event *event, const struct jfr_field *f, uint32_t *labels)
{
    *labels = 0;
    return f ? jfr_event_once(event, f, &c->sets, take, c->profile, labels) : 0;
}

/* ---- contexts of lock owners ---- */

static const char *owner_key(const char *key)
{
    static const char *const keys[][2] = {{"endpoint", "owner_endpoint"}, {"span_id", "owner_span_id"}, {"trace_id", "owner_trace_id"}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strcmp(key, keys[i][0]))
            return keys[i][1];
    return NULL;
}

/* Makes the set of an owner's labels from the set of its context. */
static int rename_labels(struct profile *p, uint32_t set, uint32_t *labels)
{
    int rc = 0;
    for (; !rc && set; set = p->labels[set].parent) {
        struct profile_label label = {.value = p->labels[set].value, .parent = *labels};
        const char *key = owner_key(profile_text(p, p->labels[set].key));
        if (key)
            rc = profile_string(p, key, strlen(key), &label.key) ? -ENOMEM : profile_label(p, &label, labels);
    }
    return rc;
}

static int take_owner(void *profile, struct jfr_value value, uint32_t *labels)
{
    uint32_t set = 0;
    int rc = take(profile, value, &set);
    return rc ? rc : rename_labels(profile, set, labels);
}

int load_context_of_owner(struct load_context *c, struct jfr_event *event, const struct jfr_field *f, uint32_t *labels)
{
    struct profile *p = c->profile;
    uint32_t set = 0;
    int rc = f ? jfr_event_once(event, f, &c->owners, take_owner, p, &set) : 0;
    for (; !rc && set; set = p->labels[set].parent) {
        struct profile_label label = {.key = p->labels[set].key, .value = p->labels[set].value, .parent = *labels};
        rc = profile_label(p, &label, labels);
    }
    return rc;
}
