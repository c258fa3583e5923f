/* Lets few threads at a time do something expensive. If more want to, the next one is of the owner who has fewest turns at that moment, so
 * that an owner who wants many does not keep others waiting for long.
 *
 *   turns_init -> turns_take -> turns_give -> ... -> turns_deinit
 *
 * Any thread may call turns_take and turns_give. */
#ifndef CANDOR_SERVER_ACCESS_TURNS_H
#define CANDOR_SERVER_ACCESS_TURNS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { TURNS_MAX = 256 };

struct turns_waiter;

struct turns {
    pthread_mutex_t lock; /* protects the other members */
    pthread_cond_t changed;
    uint64_t owners[TURNS_MAX]; /* of those who have a turn */
    unsigned count, most;
    struct turns_waiter *first, **last; /* in the order in which they came */
};

/* most: how many turns there are at a time; at least 1, at most TURNS_MAX. */
void turns_init(struct turns *t, unsigned most);
void turns_deinit(struct turns *t);
/* Waits for a turn, but not longer than this many seconds, and not after *stop was set. Returns whether there is one. */
bool turns_take(struct turns *t, uint64_t owner, unsigned seconds, const atomic_bool *stop);
void turns_give(struct turns *t, uint64_t owner);

#endif
