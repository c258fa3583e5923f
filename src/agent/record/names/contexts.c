#include "agent/record/names/contexts.h"

#include "agent/context/foreign_keys.h"
#include "agent/context/keys.h"
#include "agent/hot/context.h"
#include "base/array.h"
#include "base/text/utf8.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_BYTES_MAX = 255 };

void contexts_init(struct contexts *c, struct strtab *strings)
{
    *c = (struct contexts){.strings = strings};
    map_init(&c->by_hash);
    map_init(&c->texts);
}

void contexts_deinit(struct contexts *c)
{
    map_deinit(&c->by_hash);
    map_deinit(&c->texts);
    free(c->all);
    *c = (struct contexts){0};
}

void contexts_new_chunk(struct contexts *c)
{
    map_clear(&c->by_hash);
    c->count = 0;
}

static bool is_text(const struct contexts *c, uint32_t string, const char *text, size_t len)
{
    return strtab_len(c->strings, string) == len && !memcmp(strtab_text(c->strings, string), text, len);
}

/* Returns a string id for the text. It begins with `fixed` bytes that are kept if there are too many texts. */
static uint32_t text_id(struct contexts *c, const char *text, size_t len, size_t fixed)
{
    static const char beyond[] = "(other)";
    char other[KEY_BYTES_MAX + 1 + sizeof beyond];
    uint64_t hash = hash_bytes(text, len);
    bool added = false;
    uint32_t *id = c->texts.count < CONTEXT_TEXTS_MAX ? map_add(&c->texts, hash, &added) : map_find(&c->texts, hash);
    if (added)
        *id = strtab_add(c->strings, text, len);
    if (id && is_text(c, *id, text, len))
        return *id;
    context_lose(CONTEXT_LOSS_OTHER);
    memcpy(other, text, fixed);
    memcpy(other + fixed, beyond, sizeof beyond - 1);
    return strtab_add(c->strings, other, fixed + sizeof beyond - 1);
}

static void put_hex(char *out, const uint8_t *bytes, size_t count)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < count; i++) {
        *out++ = digits[bytes[i] >> 4];
        *out++ = digits[bytes[i] & 15];
    }
    *out = 0;
}

static bool is_zero(const uint64_t *words, size_t count)
{
    uint64_t all = 0;
    while (count--)
        all |= words[count];
    return !all;
}

/* Returns the place for a label. If a label with the same key exists already, it is replaced, because the last one counts. */
static uint32_t place_of(const struct contexts *c, const struct jfr_context *out, const char *key, size_t len)
{
    for (uint32_t i = 0; i < out->label_count; i++)
        if (!strncmp(strtab_text(c->strings, out->labels[i]), key, len + 1))
            return i;
    return out->label_count;
}

/* Returns false if there are too many labels. */
static bool set_label(struct contexts *c, struct jfr_context *out, const char *key, const char *value, size_t len)
{
    char text[KEY_BYTES_MAX + 2 + VALUE_BYTES_MAX];
    size_t key_len = strlen(key);
    memcpy(text, key, key_len);
    text[key_len] = '=';
    memcpy(text + key_len + 1, value, len);
    text[key_len + 1 + len] = 0;
    uint32_t place = place_of(c, out, text, key_len);
    if (place == JFR_CONTEXT_LABELS_MAX)
        return false;
    out->labels[place] = text_id(c, text, key_len + 1 + len, key_len + 1);
    out->label_count += place == out->label_count;
    return true;
}

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(*names, name))
        names++;
    return *names != NULL;
}

static bool is_utf8(const char *text, size_t len)
{
    size_t at = 0, n = 1;
    while (at < len && n)
        at += n = utf8_length(text + at, len - at);
    return n;
}

/* The names that other libraries have for the two keys that mean more than a label. */
static bool is_endpoint(const char *name)
{
    static const char *const names[] = {"endpoint", "http.route", "http_route", NULL};
    return is_one_of(name, names);
}

static bool is_root_span(const char *name)
{
    static const char *const names[] = {"root_span_id", "local_root_span_id", "datadog.local_root_span_id", NULL};
    return is_one_of(name, names);
}

/* Returns false if the attribute is left out. */
static bool set_attribute(struct contexts *c, struct jfr_context *out, const char *name, const char *value, size_t len)
{
    if (!len)
        return true;
    if (!name || !is_utf8(value, len))
        return false;
    if (is_endpoint(name))
        out->endpoint = text_id(c, value, len, 0);
    else if (!is_root_span(name))
        return set_label(c, out, name, value, len);
    else if (len == JFR_SPAN_ID_DIGITS)
        memcpy(out->root_span_id, value, len);
    return true;
}

static void read_attributes(struct contexts *c, struct jfr_context *out, bool is_foreign, const uint8_t *bytes, size_t size)
{
    bool complete = true;
    for (size_t at = 0; at + 2 <= size && at + 2 + bytes[at + 1] <= size; at += 2 + (size_t)bytes[at + 1]) {
        const char *name = is_foreign ? foreign_key_name(bytes[at]) : keys_name(bytes[at]);
        complete &= set_attribute(c, out, name, (const char *)bytes + at + 2, bytes[at + 1]);
    }
    if (!complete)
        context_lose(CONTEXT_LOSS_ATTRIBUTES);
}

/* Converts a context. Members that are not set are zero, so that equal contexts have the same bytes. */
static void read_words(struct contexts *c, struct jfr_context *out, const uint64_t *words, size_t count)
{
    size_t room = 8 * (count - CONTEXT_HEAD_WORDS), size = (uint32_t)words[0] < room ? (uint32_t)words[0] : room;
    bool is_foreign = words[0] >> CONTEXT_FOREIGN_SHIFT;
    memset(out, 0, sizeof *out);
    if (!is_zero(words + 1, 2))
        put_hex(out->trace_id, (const uint8_t *)(words + 1), 16);
    if (!is_zero(words + 3, 1))
        put_hex(out->span_id, (const uint8_t *)(words + 3), 8);
    read_attributes(c, out, is_foreign, (const uint8_t *)(words + CONTEXT_HEAD_WORDS), size);
}

/* Returns the number of the context, which is a new one while there are fewer than `most`; UINT32_MAX: there is no room. */
static uint32_t number_of(struct contexts *c, const struct jfr_context *wanted, uint32_t most)
{
    for (uint64_t hash = hash_bytes(wanted, sizeof *wanted);; hash++) {
        const uint32_t *known = map_find(&c->by_hash, hash);
        if (known && !memcmp(&c->all[*known], wanted, sizeof *wanted))
            return *known;
        if (known)
            continue;
        bool added;
        uint32_t *place = c->count < most && !ARRAY_GROW(c->all, c->cap, c->count) ? map_add(&c->by_hash, hash, &added) : NULL;
        if (!place)
            return UINT32_MAX;
        memcpy(&c->all[c->count], wanted, sizeof *wanted); /* including the padding between its members */
        *place = c->count;
        return c->count++;
    }
}

static bool says_something(const struct jfr_context *one)
{
    return one->endpoint || one->label_count || one->trace_id[0] || one->span_id[0] || one->root_span_id[0];
}

/* Contexts without ids of trace and span have separate room. They are few, because the number of their texts is bounded. */
uint32_t contexts_add(struct contexts *c, const uint64_t *words, size_t count)
{
    struct jfr_context one;
    if (count < CONTEXT_HEAD_WORDS)
        return 0;
    read_words(c, &one, words, count);
    if (!says_something(&one))
        return 0;
    uint32_t number = number_of(c, &one, CONTEXTS_MAX);
    if (number != UINT32_MAX)
        return number + 1;
    context_lose(CONTEXT_LOSS_TOO_MANY);
    memset(one.trace_id, 0, sizeof one.trace_id);
    memset(one.span_id, 0, sizeof one.span_id);
    memset(one.root_span_id, 0, sizeof one.root_span_id);
    number = says_something(&one) ? number_of(c, &one, 2 * CONTEXTS_MAX) : UINT32_MAX;
    return number == UINT32_MAX ? 0 : number + 1;
}

void contexts_get(const struct contexts *c, uint32_t id, struct jfr_context *out)
{
    *out = id && id <= c->count ? c->all[id - 1] : (struct jfr_context){0};
}
