#include "server/access/turns.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>

struct turns_waiter {
    uint64_t owner;
    struct turns_waiter *next;
};

void turns_init(struct turns *t, unsigned most)
{
    *t = (struct turns){.most = most < 1 ? 1 : most < TURNS_MAX ? most : TURNS_MAX, .last = &t->first};
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->changed, NULL);
}

void turns_deinit(struct turns *t)
{
    pthread_cond_destroy(&t->changed);
    pthread_mutex_destroy(&t->lock);
}

static unsigned turns_of(const struct turns *t, uint64_t owner)
{
    unsigned n = 0;
    for (unsigned i = 0; i < t->count; i++)
        n += t->owners[i] == owner;
    return n;
}

/* Returns the next waiter: the first to come among the waiters whose owners have the fewest turns. */
static const struct turns_waiter *next_of(const struct turns *t)
{
    const struct turns_waiter *best = NULL;
    unsigned fewest = TURNS_MAX + 1;
    for (const struct turns_waiter *w = t->first; w; w = w->next) {
        unsigned n = turns_of(t, w->owner);
        if (n < fewest) {
            fewest = n;
            best = w;
        }
    }
    return best;
}

static void leave(struct turns *t, struct turns_waiter *w)
{
    struct turns_waiter **at = &t->first;
    while (*at != w)
        at = &(*at)->next;
    *at = w->next;
    if (t->last == &w->next)
        t->last = at;
}

bool turns_take(struct turns *t, uint64_t owner, unsigned seconds, const atomic_bool *stop)
{
    struct turns_waiter w = {.owner = owner};
    bool mine = false;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    time_t end = until.tv_sec + (time_t)seconds;
    pthread_mutex_lock(&t->lock);
    *t->last = &w;
    t->last = &w.next;
    while (!(mine = t->count < t->most && next_of(t) == &w) && until.tv_sec < end && !*stop) {
        until.tv_sec += pthread_cond_clockwait(&t->changed, &t->lock, CLOCK_MONOTONIC, &until) == ETIMEDOUT; /* so that *stop is seen */
    }
    leave(t, &w);
    if (mine)
        t->owners[t->count++] = owner;
    pthread_cond_broadcast(&t->changed); /* another one is next now, and there may be a turn for it */
    pthread_mutex_unlock(&t->lock);
    return mine;
}

void turns_give(struct turns *t, uint64_t owner)
{
    pthread_mutex_lock(&t->lock);
    for (unsigned i = 0; i < t->count; i++)
        if (t->owners[i] == owner) {
            t->owners[i] = t->owners[--t->count];
            break;
        }
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
}
