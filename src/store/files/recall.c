#include "store/files/recall.h"

#include "store/files/dictionary.h"

#include <stdlib.h>
#include <string.h>

static void forget(struct recalled *one)
{
    load_shared_deinit(&one->sealed);
    load_kept_deinit(&one->stacks);
    free(one->service);
    free(one);
}

void recall_init(struct recall *r)
{
    *r = (struct recall){0};
    pthread_mutex_init(&r->lock, NULL);
}

void recall_deinit(struct recall *r)
{
    while (r->list) {
        struct recalled *one = r->list;
        r->list = one->next;
        forget(one);
    }
    pthread_mutex_destroy(&r->lock);
}

static struct recalled *new_one(const char *service)
{
    struct recalled *one = calloc(1, sizeof *one);
    if (!one)
        return NULL;
    one->service = strdup(service ? service : "");
    if (!load_kept_init(&one->stacks) && one->service)
        return one;
    forget(one);
    return NULL;
}

/* Takes the service's one out of the list, if it is there. */
static struct recalled *take(struct recall *r, const char *service)
{
    pthread_mutex_lock(&r->lock);
    struct recalled **at = &r->list;
    while (*at && strcmp((*at)->service, service))
        at = &(*at)->next;
    struct recalled *one = *at;
    if (one) {
        *at = one->next;
        r->bytes -= one->bytes;
    }
    pthread_mutex_unlock(&r->lock);
    return one;
}

struct recalled *recall_get(struct recall *r, const char *service)
{
    struct recalled *one = r ? take(r, service) : NULL;
    return one ? one : new_one(service);
}

/* Takes those out that were not used for the longest time, until the others take little enough memory. Returns their list. */
static struct recalled *make_room(struct recall *r)
{
    struct recalled **at = &r->list;
    uint64_t bytes = 0;
    while (*at && bytes + (*at)->bytes <= RECALL_BYTES) {
        bytes += (*at)->bytes;
        at = &(*at)->next;
    }
    struct recalled *rest = *at;
    *at = NULL;
    r->bytes = bytes;
    return rest;
}

static void put_first(struct recall *r, struct recalled *one)
{
    pthread_mutex_lock(&r->lock);
    one->next = r->list;
    r->list = one;
    r->bytes += one->bytes;
    struct recalled *rest = r->bytes > RECALL_BYTES ? make_room(r) : NULL;
    pthread_mutex_unlock(&r->lock);
    while (rest) {
        struct recalled *next = rest->next;
        forget(rest);
        rest = next;
    }
}

static uint64_t bytes_of(const struct recalled *one)
{
    const struct load_shared *s = &one->sealed;
    uint64_t ids = (uint64_t)s->strings.cap + s->methods.cap + s->frames.cap + s->nodes.cap + s->path_cap;
    return sizeof *one + load_kept_bytes(&one->stacks) + ids * sizeof *s->path;
}

/* Stacks of some programs hardly ever come twice. Their methods and frames do. */
static void forget_stacks(struct recalled *one)
{
    load_kept_drop_stacks(&one->stacks);
    if (one->sealed.nodes.ids)
        memset(one->sealed.nodes.ids, 0, one->sealed.nodes.cap * sizeof *one->sealed.nodes.ids);
}

void recall_put(struct recall *r, struct recalled *one, bool keep)
{
    if (!one)
        return;
    if (keep && one->stacks.names.node_count > RECALL_STACKS_MAX)
        forget_stacks(one);
    one->bytes = bytes_of(one);
    if (r && keep && one->bytes <= RECALL_SERVICE_BYTES)
        put_first(r, one);
    else
        forget(one);
}

uint64_t recall_bytes(struct recall *r)
{
    pthread_mutex_lock(&r->lock);
    uint64_t bytes = r->bytes;
    pthread_mutex_unlock(&r->lock);
    return bytes;
}

struct load_shared *recalled_in(struct recalled *one, struct dictionary *d)
{
    if (one->sealed_in != d->serial)
        recalled_forget(one);
    one->sealed_in = d->serial;
    one->sealed.to = &d->names;
    one->sealed.from = &one->stacks.names;
    one->sealed.searches = true;
    return &one->sealed;
}

void recalled_forget(struct recalled *one)
{
    load_shared_deinit(&one->sealed);
    one->sealed_in = 0;
}
