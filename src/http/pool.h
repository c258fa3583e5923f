/* Connections to one server that wait for their next request, because a transport is for one thread at a time.
 *
 *   pool_init -> pool_take -> a request -> pool_give, or transport_free if the request failed ... -> pool_deinit
 *
 * Any thread may take and give. */
#ifndef CANDOR_HTTP_POOL_H
#define CANDOR_HTTP_POOL_H

#include "http/transport.h"

#include <pthread.h>
#include <stdint.h>

enum { POOL_SPARE_MAX = 8 };

struct pool {
    const char *ca_file;
    const atomic_bool *cancel;
    pthread_mutex_t lock; /* protects the two below */
    struct transport *spare[POOL_SPARE_MAX];
    uint32_t spare_count;
};

/* ca_file, cancel: as in transport_new. */
void pool_init(struct pool *p, const char *ca_file, const atomic_bool *cancel);
void pool_deinit(struct pool *p);
/* Returns NULL with a message in e if there is none and none can be made. */
struct transport *pool_take(struct pool *p, struct error *e);
void pool_give(struct pool *p, struct transport *t);

#endif
