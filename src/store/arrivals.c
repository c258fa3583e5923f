/* Keeps a list of the recordings that are in the catalog but are not acknowledged yet. */
#include "store/store_internal.h"

#include "base/array.h"

void arrivals_init(struct arrivals *a)
{
    *a = (struct arrivals){0};
    pthread_mutex_init(&a->lock, NULL);
}

void arrivals_deinit(struct arrivals *a)
{
    pthread_mutex_destroy(&a->lock);
    free(a->list);
}

/* If there is no memory, the recording counts as acknowledged. Then a query may report it as unsealed, which is true. */
void arrivals_begin(struct arrivals *a, uint64_t id)
{
    pthread_mutex_lock(&a->lock);
    a->last = id > a->last ? id : a->last;
    if (!ARRAY_GROW(a->list, a->cap, a->count))
        a->list[a->count++] = id;
    pthread_mutex_unlock(&a->lock);
}

void arrivals_end(struct arrivals *a, uint64_t id)
{
    pthread_mutex_lock(&a->lock);
    for (uint32_t i = 0; i < a->count; i++)
        if (a->list[i] == id) {
            a->list[i] = a->list[--a->count];
            break;
        }
    pthread_mutex_unlock(&a->lock);
}

uint64_t arrivals_from(struct arrivals *a)
{
    pthread_mutex_lock(&a->lock);
    uint64_t from = a->last + 1;
    for (uint32_t i = 0; i < a->count; i++)
        from = a->list[i] < from ? a->list[i] : from;
    pthread_mutex_unlock(&a->lock);
    return from;
}
