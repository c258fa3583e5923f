#include "http/pool.h"

void pool_init(struct pool *p, const char *ca_file, const atomic_bool *cancel)
{
    *p = (struct pool){.ca_file = ca_file, .cancel = cancel};
    pthread_mutex_init(&p->lock, NULL);
}

void pool_deinit(struct pool *p)
{
    for (uint32_t i = 0; i < p->spare_count; i++)
        transport_free(p->spare[i]);
    pthread_mutex_destroy(&p->lock);
}

struct transport *pool_take(struct pool *p, struct error *e)
{
    pthread_mutex_lock(&p->lock);
    struct transport *t = p->spare_count ? p->spare[--p->spare_count] : NULL;
    pthread_mutex_unlock(&p->lock);
    return t ? t : transport_new(p->ca_file, p->cancel, e);
}

void pool_give(struct pool *p, struct transport *t)
{
    pthread_mutex_lock(&p->lock);
    bool keep = p->spare_count < POOL_SPARE_MAX;
    if (keep)
        p->spare[p->spare_count++] = t;
    pthread_mutex_unlock(&p->lock);
    if (!keep)
        transport_free(t);
}
