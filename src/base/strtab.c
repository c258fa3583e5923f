#include "base/strtab.h"

#include "base/map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct strtab_block {
    struct strtab_block *next;
    size_t used, cap;
    char bytes[];
};

enum { BLOCK_BYTES = 64 * 1024 - sizeof(struct strtab_block) };

int strtab_init(struct strtab *t)
{
    *t = (struct strtab){.bucket_count = 256, .cap = 128, .count = 1};
    t->buckets = calloc(t->bucket_count, sizeof *t->buckets);
    t->entries = calloc(t->cap, sizeof *t->entries);
    if (!t->buckets || !t->entries) {
        strtab_deinit(t);
        return -ENOMEM;
    }
    t->entries[0].text = "";
    return 0;
}

void strtab_deinit(struct strtab *t)
{
    for (struct strtab_block *b = t->blocks; b;) {
        struct strtab_block *next = b->next;
        free(b);
        b = next;
    }
    free(t->entries);
    free(t->buckets);
    *t = (struct strtab){0};
}

static char *store(struct strtab *t, const char *text, size_t len)
{
    struct strtab_block *b = t->blocks;
    if (!b || b->cap - b->used < len + 1) {
        size_t cap = len + 1 > BLOCK_BYTES ? len + 1 : BLOCK_BYTES;
        b = malloc(sizeof *b + cap);
        if (!b)
            return NULL;
        b->next = t->blocks;
        b->used = 0;
        b->cap = cap;
        t->blocks = b;
        t->block_bytes += sizeof *b + cap;
    }
    char *at = b->bytes + b->used;
    memcpy(at, text, len);
    at[len] = 0;
    b->used += len + 1;
    return at;
}

static int grow(struct strtab *t)
{
    if (t->count == t->cap) {
        struct strtab_entry *e = realloc(t->entries, 2 * (size_t)t->cap * sizeof *e);
        if (!e)
            return -ENOMEM;
        t->entries = e;
        t->cap *= 2;
    }
    if (t->count < t->bucket_count)
        return 0;
    uint32_t n = t->bucket_count * 2;
    uint32_t *buckets = calloc(n, sizeof *buckets);
    if (!buckets)
        return -ENOMEM;
    for (uint32_t id = 1; id < t->count; id++) {
        uint32_t *head = &buckets[t->entries[id].hash & (n - 1)];
        t->entries[id].next = *head;
        *head = id;
    }
    free(t->buckets);
    t->buckets = buckets;
    t->bucket_count = n;
    return 0;
}

static uint32_t find(const struct strtab *t, const char *text, size_t len, uint64_t hash)
{
    for (uint32_t id = t->buckets[hash & (t->bucket_count - 1)]; id; id = t->entries[id].next) {
        const struct strtab_entry *e = &t->entries[id];
        if (e->hash == hash && e->len == len && !memcmp(e->text, text, len))
            return id;
    }
    return 0;
}

uint32_t strtab_find(const struct strtab *t, const char *text, size_t len)
{
    return len ? find(t, text, len, hash_bytes(text, len)) : 0;
}

static uint32_t add(struct strtab *t, const char *text, size_t len, uint64_t hash)
{
    uint32_t known = find(t, text, len, hash);
    if (known)
        return known;
    const char *kept = grow(t) ? NULL : store(t, text, len);
    if (!kept)
        return 0;
    uint32_t *head = &t->buckets[hash & (t->bucket_count - 1)];
    uint32_t id = t->count++;
    t->entries[id] = (struct strtab_entry){.text = kept, .len = (uint32_t)len, .next = *head, .hash = hash};
    *head = id;
    return id;
}

uint32_t strtab_add(struct strtab *t, const char *text, size_t len)
{
    return len ? add(t, text, len, hash_bytes(text, len)) : 0;
}

uint32_t strtab_copy(struct strtab *t, const struct strtab *from, uint32_t id)
{
    const struct strtab_entry *e = &from->entries[id];
    return e->len ? add(t, e->text, e->len, e->hash) : 0;
}

uint32_t strtab_add_text(struct strtab *t, const char *text)
{
    return strtab_add(t, text, strlen(text));
}

size_t strtab_bytes(const struct strtab *t)
{
    return t->block_bytes + t->cap * sizeof *t->entries + t->bucket_count * sizeof *t->buckets;
}

const char *strtab_text(const struct strtab *t, uint32_t id)
{
    return id < t->count ? t->entries[id].text : "";
}

uint32_t strtab_len(const struct strtab *t, uint32_t id)
{
    return id < t->count ? t->entries[id].len : 0;
}
