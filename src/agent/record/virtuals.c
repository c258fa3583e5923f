#include "agent/record/virtuals.h"

#include "base/array.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { UNKNOWN, REST, FIRST, TEXTS_MAX = 16 << 20, REPLACEMENT = 0xfffd };

static const char *const shared_names[FIRST] = {"[unknown virtual thread]", "[more virtual threads]"};

void virtuals_init(struct virtuals *v)
{
    *v = (struct virtuals){0};
    map_init(&v->by_id);
    buffer_init(&v->texts, TEXTS_MAX);
}

void virtuals_deinit(struct virtuals *v)
{
    map_deinit(&v->by_id);
    buffer_deinit(&v->texts);
    free(v->threads);
    *v = (struct virtuals){0};
}

void virtuals_clear(struct virtuals *v)
{
    map_clear(&v->by_id);
    buffer_reset(&v->texts);
    v->count = 0;
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

/* Halves of a pair without the other are no characters. */
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

static void set_name(struct virtuals *v, struct virtual_thread *t, const uint64_t *words, size_t count)
{
    size_t at = v->texts.len;
    if (t->name_len || count < 2 || (uint32_t)words[1] > 8 * (count - 2))
        return;
    put_name(&v->texts, words + 1);
    if (v->texts.failed)
        return;
    t->name = (uint32_t)at;
    t->name_len = (uint32_t)(v->texts.len - at);
}

uint32_t virtuals_add(struct virtuals *v, const uint64_t *words, size_t count)
{
    bool added;
    if (!words[0])
        return UNKNOWN;
    uint32_t *number = v->count < VIRTUALS_MAX ? map_add(&v->by_id, words[0], &added) : map_find(&v->by_id, words[0]);
    if (!number || ARRAY_GROW(v->threads, v->cap, v->count)) {
        v->beyond++;
        return REST;
    }
    if (v->count < VIRTUALS_MAX && added) {
        v->threads[v->count] = (struct virtual_thread){.java_id = words[0]};
        *number = v->count++;
    }
    set_name(v, &v->threads[*number], words, count);
    return FIRST + *number;
}

struct virtual_thread virtuals_get(const struct virtuals *v, uint32_t number, const char **name)
{
    if (number < FIRST) {
        *name = shared_names[number];
        return (struct virtual_thread){.name_len = (uint32_t)strlen(*name)};
    }
    const struct virtual_thread none = {0};
    struct virtual_thread t = number - FIRST < v->count ? v->threads[number - FIRST] : none;
    *name = t.name_len ? (const char *)v->texts.data + t.name : "";
    return t;
}
