#include "profile/load_context.h"

#include "profile/load_text.h"

#include <errno.h>
#include <string.h>

/* In this order: what many samples share comes first, so that their sets do, too. */
static const struct {
    const char *field, *label;
} members[] = {{"endpoint", "endpoint"}, {"labels", NULL}, {"rootSpanId", "root_span_id"}, {"traceId", "trace_id"}, {"spanId", "span_id"}};

void load_context_init(struct load_context *c, struct profile *p)
{
    *c = (struct load_context){.profile = p};
    map_init(&c->sets);
}

void load_context_deinit(struct load_context *c)
{
    map_deinit(&c->sets);
}

void load_context_new_chunk(struct load_context *c)
{
    map_clear(&c->sets);
}

const struct jfr_field *load_context_field(const struct jfr_type *type)
{
    const struct jfr_field *f = jfr_type_field(type, "context");
    return f && !f->array && !strcmp(f->type->name, "candor.types.Context") ? f : NULL;
}

static int add(struct profile *p, const char *key, size_t key_len, struct jfr_text value, uint32_t *labels)
{
    struct profile_label label = {.parent = *labels};
    if (!value.len)
        return 0;
    if (profile_string(p, key, key_len, &label.key) || load_text(p, value, &label.value))
        return -ENOMEM;
    return profile_label(p, &label, labels);
}

/* "KEY=VALUE", each. */
static int add_list(struct profile *p, struct jfr_value list, uint32_t *labels)
{
    struct jfr_value element;
    int rc = 0;
    for (struct jfr_array it = jfr_array_of(list); !rc && jfr_array_next(&it, &element);) {
        struct jfr_text text = jfr_value_text(element);
        const char *equals = text.len ? memchr(text.bytes, '=', text.len) : NULL;
        if (!equals)
            continue;
        size_t key = (size_t)(equals - text.bytes);
        rc = add(p, text.bytes, key, (struct jfr_text){equals + 1, text.len - key - 1}, labels);
    }
    return rc;
}

static int take(struct profile *p, struct jfr_value context, uint32_t *labels)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < sizeof members / sizeof *members; i++) {
        struct jfr_value v = jfr_value_member(context, members[i].field);
        const char *label = members[i].label;
        rc = label ? add(p, label, strlen(label), jfr_value_text(v), labels) : add_list(p, v, labels);
    }
    return rc;
}

int load_context(struct load_context *c, struct jfr_event *event, const struct jfr_field *f, uint32_t *labels)
{
    uint64_t key = f ? jfr_event_key(event, f) : 0;
    const uint32_t *known = key ? map_find(&c->sets, key) : NULL;
    bool added;
    *labels = known ? *known : 0;
    if (known || !key)
        return 0;
    int rc = take(c->profile, jfr_event_value(event, f), labels);
    uint32_t *place = rc ? NULL : map_add(&c->sets, key, &added);
    if (!place)
        return -ENOMEM;
    *place = *labels;
    return 0;
}
