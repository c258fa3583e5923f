#include "agent/record/names/virtuals.h"

#include "base/array.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { UNKNOWN, REST, FIRST, TEXTS_MAX = 16 << 20, REPLACEMENT = 0xfffd };

static const char *const shared_names[FIRST] = {"[unknown virtual thread]", "[more virtual threads]"};

static void chunk_init(struct virtuals_chunk *c)
{
    map_init(&c->by_id);
    buffer_init(&c->texts, TEXTS_MAX);
}

static void chunk_deinit(struct virtuals_chunk *c)
{
    map_deinit(&c->by_id);
    buffer_deinit(&c->texts);
    free(c->threads);
}

void virtuals_init(struct virtuals *v)
{
    *v = (struct virtuals){0};
    chunk_init(&v->now);
    chunk_init(&v->before);
}

void virtuals_deinit(struct virtuals *v)
{
    chunk_deinit(&v->now);
    chunk_deinit(&v->before);
    *v = (struct virtuals){0};
}

void virtuals_new_chunk(struct virtuals *v)
{
    struct virtuals_chunk emptied = v->before;
    v->before = v->now;
    map_clear(&emptied.by_id);
    buffer_reset(&emptied.texts);
    emptied.count = 0;
    v->now = emptied;
}

static void put_character(struct buffer *b, uint32_t c)
{
    if (c < 0x80) {
        buffer_u8(b, (uint8_t)c);
        return;
    }
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    buffer_u8(b, (uint8_t)(0xffu << (7 - more) | c >> 6 * more));
    while (more--)
        buffer_u8(b, (uint8_t)(0x80 | (c >> 6 * more & 0x3f)));
}

/* Converts UTF-16 to UTF-8. Unpaired surrogates are not characters. */
static void put_utf16(struct buffer *b, const uint8_t *bytes, uint32_t len)
{
    for (uint32_t i = 0; i + 2 <= len; i += 2) {
        uint32_t c = bytes[i] | (uint32_t)bytes[i + 1] << 8;
        uint32_t low = i + 4 <= len ? bytes[i + 2] | (uint32_t)bytes[i + 3] << 8 : 0;
        if (c >> 10 == 0x36 && low >> 10 == 0x37) {
            c = 0x10000 + ((c & 0x3ff) << 10 | (low & 0x3ff));
            i += 2;
        } else if (c >> 11 == 0x1b)
            c = REPLACEMENT;
        put_character(b, c);
    }
}

static void put_name(struct buffer *b, const uint64_t *words)
{
    const uint8_t *bytes = (const uint8_t *)(words + 1);
    uint32_t len = (uint32_t)words[0];
    if (words[0] >> 32)
        put_utf16(b, bytes, len);
    else
        for (uint32_t i = 0; i < len; i++)
            put_character(b, bytes[i]);
}

static void put_former_name(struct virtuals *v, uint64_t java_id)
{
    const struct virtuals_chunk *c = &v->before;
    const uint32_t *number = map_find(&c->by_id, java_id);
    if (number && c->threads[*number].name_len)
        buffer_put(&v->now.texts, c->texts.data + c->threads[*number].name, c->threads[*number].name_len);
}

static void set_name(struct virtuals *v, struct virtual_thread *t, const uint64_t *words, size_t count)
{
    size_t at = v->now.texts.len;
    if (t->name_len)
        return;
    if (count >= 2 && (uint32_t)words[1] <= 8 * (count - 2))
        put_name(&v->now.texts, words + 1);
    else
        put_former_name(v, words[0]);
    if (v->now.texts.failed)
        return;
    t->name = (uint32_t)at;
    t->name_len = (uint32_t)(v->now.texts.len - at);
}

uint32_t virtuals_add(struct virtuals *v, const uint64_t *words, size_t count)
{
    struct virtuals_chunk *c = &v->now;
    bool room = c->count < VIRTUALS_MAX, added = false;
    if (!words[0])
        return UNKNOWN;
    uint32_t *number = room ? map_add(&c->by_id, words[0], &added) : map_find(&c->by_id, words[0]);
    if (!number || ARRAY_GROW(c->threads, c->cap, c->count)) {
        v->beyond++;
        return REST;
    }
    if (added) {
        c->threads[c->count] = (struct virtual_thread){.java_id = words[0]};
        *number = c->count++;
    }
    set_name(v, &c->threads[*number], words, count);
    return FIRST + *number;
}

struct virtual_thread virtuals_get(const struct virtuals *v, uint32_t number, const char **name)
{
    if (number < FIRST) {
        *name = shared_names[number];
        return (struct virtual_thread){.name_len = (uint32_t)strlen(*name)};
    }
    const struct virtual_thread none = {0};
    struct virtual_thread t = number - FIRST < v->now.count ? v->now.threads[number - FIRST] : none;
    *name = t.name_len ? (const char *)v->now.texts.data + t.name : "";
    return t;
}
