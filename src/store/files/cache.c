#include "store/files/cache.h"

#include <errno.h>
#include <stdlib.h>

void cache_init(struct cache *c)
{
    *c = (struct cache){0};
    pthread_mutex_init(&c->lock, NULL);
}

static void forget(struct cached **at)
{
    struct cached *one = *at;
    *at = one->next;
    dictionary_close(&one->dictionary);
    free(one);
}

void cache_deinit(struct cache *c)
{
    while (c->list)
        forget(&c->list);
    pthread_mutex_destroy(&c->lock);
}

/* Removes the least recently used dictionaries, until the unused ones have few enough stacks. Does not read the counts of dictionaries in
 * use, because these may grow at the same time. */
static void make_room(struct cache *c)
{
    for (;;) {
        struct cached **oldest = NULL;
        uint64_t nodes = 0;
        for (struct cached **at = &c->list; *at; at = &(*at)->next) {
            if ((*at)->users)
                continue;
            nodes += (*at)->dictionary.names.node_count;
            if (!oldest || (*at)->used < (*oldest)->used)
                oldest = at;
        }
        if (nodes <= CACHE_NODES_MAX || !oldest)
            return;
        forget(oldest);
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
        one->users++;
        one->used = ++c->clock;
        *d = &one->dictionary;
    }
    pthread_mutex_unlock(&c->lock);
    return rc;
}

void cache_put(struct cache *c, struct dictionary *d)
{
    pthread_mutex_lock(&c->lock);
    for (struct cached *one = c->list; one; one = one->next)
        one->users -= &one->dictionary == d;
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
        forget(at);
    pthread_mutex_unlock(&c->lock);
}
