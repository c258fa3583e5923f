#include "store/files/cache.h"

#include <errno.h>
#include <stdlib.h>

void cache_init(struct cache *c)
{
    *c = (struct cache){0};
    pthread_mutex_init(&c->lock, NULL);
}

/* Removes a dictionary that is not in use. */
static void forget(struct cache *c, struct cached **at)
{
    struct cached *one = *at;
    *at = one->next;
    c->idle_bytes -= one->bytes;
    dictionary_close(&one->dictionary);
    free(one);
}

void cache_deinit(struct cache *c)
{
    while (c->list)
        forget(c, &c->list);
    pthread_mutex_destroy(&c->lock);
}

/* Removes the least recently used dictionaries, until the unused ones take little enough memory. */
static void make_room(struct cache *c)
{
    while (c->idle_bytes > c->most) {
        struct cached **oldest = NULL;
        for (struct cached **at = &c->list; *at; at = &(*at)->next)
            if (!(*at)->users && (!oldest || (*at)->used < (*oldest)->used))
                oldest = at;
        forget(c, oldest);
    }
}

static int read_one(struct cache *c, uint32_t id, const char *path, struct cached **out, struct error *e)
{
    struct cached *one = calloc(1, sizeof *one);
    if (!one)
        return error_set(e, -ENOMEM, "out of memory");
    int rc = dictionary_open(&one->dictionary, path, e);
    if (rc) {
        free(one);
        return rc;
    }
    one->id = id;
    one->next = c->list;
    *out = c->list = one;
    return 0;
}

int cache_get(struct cache *c, uint32_t id, const char *path, struct dictionary **d, struct error *e)
{
    int rc = 0;
    pthread_mutex_lock(&c->lock);
    struct cached *one = c->list;
    while (one && one->id != id)
        one = one->next;
    if (!one)
        rc = read_one(c, id, path, &one, e);
    if (!rc) {
        c->idle_bytes -= one->users++ ? 0 : one->bytes;
        one->used = ++c->clock;
        *d = &one->dictionary;
    }
    pthread_mutex_unlock(&c->lock);
    return rc;
}

void cache_put(struct cache *c, struct dictionary *d)
{
    pthread_mutex_lock(&c->lock);
    struct cached *one = c->list;
    while (&one->dictionary != d)
        one = one->next;
    if (!--one->users) { /* only then nobody makes it grow */
        one->bytes = sizeof *one + profile_names_bytes(&d->names);
        c->idle_bytes += one->bytes;
    }
    make_room(c);
    pthread_mutex_unlock(&c->lock);
}

void cache_drop(struct cache *c, uint32_t id)
{
    pthread_mutex_lock(&c->lock);
    struct cached **at = &c->list;
    while (*at && (*at)->id != id)
        at = &(*at)->next;
    if (*at && !(*at)->users)
        forget(c, at);
    pthread_mutex_unlock(&c->lock);
}

uint64_t cache_bytes(struct cache *c)
{
    uint64_t bytes = 0;
    pthread_mutex_lock(&c->lock);
    for (const struct cached *one = c->list; one; one = one->next)
        bytes += one->bytes;
    pthread_mutex_unlock(&c->lock);
    return bytes;
}
