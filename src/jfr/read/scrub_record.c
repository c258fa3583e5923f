#include "jfr/read/scrub_record.h"

#include "base/text/redact.h"
#include "jfr/read/input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { STRING_POOLED = 2, STRING_UTF8 = 3 };

static const char mask[] = "***";

static const uint8_t *rewrite_type(struct scrub *s, const struct jfr_type *type, const uint8_t *at, const uint8_t *end);

/* ---- texts ---- */

static char *copy_text(struct jfr_text text)
{
    return text.len ? strndup(text.bytes, text.len) : strdup("");
}

static void put_text(struct scrub *s, const char *text)
{
    size_t len = strlen(text);
    buffer_u8(&s->out, STRING_UTF8);
    buffer_varint(&s->out, len);
    buffer_put(&s->out, text, len);
    s->texts++;
}

/* Replaces zeros by blanks. Otherwise the text would end at a zero here, and text after it would not be checked. */
static void replace_zeros(char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!text[i])
            text[i] = ' ';
}

static const uint8_t *rewrite_string(struct scrub *s, const uint8_t *at, const uint8_t *end)
{
    const uint8_t *next = jfr_skip_string(at, end);
    if (!next)
        return NULL;
    struct jfr_text text = jfr_text_at(s->chunk, at, next);
    char *plain = malloc(text.len + 1);
    if (plain) {
        memcpy(plain, text.bytes, text.len);
        plain[text.len] = 0;
        replace_zeros(plain, text.len);
    }
    char *redacted = plain ? redact_value(s->name, plain) : NULL;
    bool same = redacted && !strcmp(redacted, plain);
    s->out_of_memory |= !plain;
    if (same)
        buffer_put(&s->out, at, (size_t)(next - at));
    else
        put_text(s, redacted ? redacted : mask);
    free(redacted);
    free(plain);
    return next;
}

/* ---- values ---- */

const uint8_t *scrub_copy(struct scrub *s, const uint8_t *at, const uint8_t *next)
{
    if (next)
        buffer_put(&s->out, at, (size_t)(next - at));
    return next;
}

static const uint8_t *rewrite_array(struct scrub *s, const struct jfr_field *f, const uint8_t *at, const uint8_t *end)
{
    uint64_t count;
    const uint8_t *next = input_varint(at, end, &count);
    scrub_copy(s, at, next);
    for (uint64_t i = 0; i < count && next; i++)
        next = rewrite_type(s, f->type, next, end);
    return next;
}

static const uint8_t *rewrite_field(struct scrub *s, const struct jfr_field *f, const uint8_t *at, const uint8_t *end)
{
    if (f->pooled || !f->type->texts)
        return scrub_copy(s, at, jfr_skip_field(f, at, end));
    return f->array ? rewrite_array(s, f, at, end) : rewrite_type(s, f->type, at, end);
}

static const uint8_t *rewrite_type(struct scrub *s, const struct jfr_type *type, const uint8_t *at, const uint8_t *end)
{
    if (!type->texts)
        return scrub_copy(s, at, jfr_skip_type(type, at, end));
    if (type->kind == JFR_KIND_STRING)
        return rewrite_string(s, at, end);
    for (uint32_t i = 0; i < type->field_count && at; i++)
        at = rewrite_field(s, &type->fields[i], at, end);
    return at;
}

/* ---- events ---- */

/* Returns the text that names the event's `value`. */
static char *name_of(struct jfr_event *event)
{
    const struct jfr_field *key = jfr_type_field(event->type, "key");
    if (!key)
        key = jfr_type_field(event->type, "name");
    return copy_text(jfr_value_text(jfr_event_value(event, key)));
}

/* Whether the text of the field is in the pool of strings; sets *key to its key there. */
static bool pooled_string(struct jfr_event *event, const struct jfr_field *f, uint64_t *key)
{
    if (f->pooled) {
        *key = jfr_event_key(event, f);
        return true;
    }
    struct jfr_value v = jfr_event_value(event, f);
    return v.type && *v.at == STRING_POOLED && input_varint(v.at + 1, v.end, key);
}

int scrub_find_masked(struct scrub *s)
{
    struct jfr_event event;
    for (struct jfr_cursor cursor = jfr_cursor_init(s->chunk); jfr_cursor_next(&cursor, &event);) {
        const struct jfr_field *f = jfr_type_field(event.type, "value");
        if (!f || f->array || f->type->kind != JFR_KIND_STRING)
            continue;
        char *name = name_of(&event);
        bool secret = !name || redact_is_secret(name), added;
        free(name);
        uint64_t key;
        if (secret && pooled_string(&event, f, &key) && !map_add(&s->masked, key ^ s->chunk->seed, &added))
            return -ENOMEM;
    }
    return 0;
}

bool scrub_event(struct scrub *s, struct jfr_event *event, const uint8_t *type, const uint8_t *end)
{
    uint64_t before = s->texts;
    const uint8_t *at = scrub_copy(s, type, event->at[0]);
    char *name = jfr_type_field(event->type, "value") ? name_of(event) : NULL;
    for (uint32_t i = 0; i < event->type->field_count && at; i++) {
        const struct jfr_field *f = &event->type->fields[i];
        s->name = name && !strcmp(f->name, "value") ? name : "";
        at = rewrite_field(s, f, at, end);
    }
    s->name = "";
    free(name);
    if (at)
        scrub_copy(s, at, end);
    s->events += s->texts > before;
    return at;
}

/* ---- constant pools ---- */

static const uint8_t *rewrite_entry(struct scrub *s, const struct jfr_type *type, const uint8_t *at, const uint8_t *end)
{
    uint64_t key;
    const uint8_t *value = scrub_copy(s, at, input_varint(at, end, &key));
    bool secret = value && type->kind == JFR_KIND_STRING && map_find(&s->masked, key ^ s->chunk->seed);
    if (!secret)
        return value ? rewrite_type(s, type, value, end) : NULL;
    put_text(s, mask);
    return jfr_skip_string(value, end);
}

const uint8_t *scrub_pool(struct scrub *s, const uint8_t *at, const uint8_t *end)
{
    uint64_t id, count;
    const uint8_t *next = input_varint(input_varint(at, end, &id), end, &count);
    scrub_copy(s, at, next);
    const struct jfr_type *type = next ? jfr_type_by_id(s->chunk, id) : NULL;
    for (uint64_t i = 0; type && i < count && next; i++)
        next = rewrite_entry(s, type, next, end);
    return type ? next : NULL;
}
