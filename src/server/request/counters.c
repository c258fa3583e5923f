#include "server/request/counters.h"

#include <errno.h>

const char *const counters_names[REFUSALS] = {[STORED] = "stored",
                                              [DUPLICATE] = "duplicate",
#define COUNTERS_NAME(name, word) [REFUSED_##name] = word,
                                              COUNTERS_REFUSALS(COUNTERS_NAME)
#undef COUNTERS_NAME
};

const char *const counters_protocols[PROTOCOLS] = {
#define COUNTERS_NAME(name, word) [BY_##name] = word,
    COUNTERS_PROTOCOLS(COUNTERS_NAME)
#undef COUNTERS_NAME
};

const char *const counters_groups[GROUPS] = {
#define COUNTERS_NAME(name, word) [GROUP_##name] = word,
    COUNTERS_GROUPS(COUNTERS_NAME)
#undef COUNTERS_NAME
};

const uint64_t counters_limits_ns[COUNTERS_BUCKETS - 1] = {1000000,   5000000,    25000000,    100000000,
                                                           500000000, 2500000000, 10000000000, 60000000000};

void counters_received(struct counters *c, enum protocol by)
{
    pthread_mutex_lock(&c->lock);
    c->received[by]++;
    pthread_mutex_unlock(&c->lock);
}

void counters_ended(struct counters *c, enum refusal how, uint64_t bytes)
{
    pthread_mutex_lock(&c->lock);
    c->ended[how]++;
    c->bytes += how == STORED ? bytes : 0;
    pthread_mutex_unlock(&c->lock);
}

void counters_left_out(struct counters *c)
{
    pthread_mutex_lock(&c->lock);
    c->left_out++;
    pthread_mutex_unlock(&c->lock);
}

void counters_connection(struct counters *c, enum connection_event what)
{
    pthread_mutex_lock(&c->lock);
    c->connections[what]++;
    pthread_mutex_unlock(&c->lock);
}

void counters_query(struct counters *c, uint64_t ns)
{
    pthread_mutex_lock(&c->lock);
    c->queries++;
    c->query_ns += ns;
    pthread_mutex_unlock(&c->lock);
}

void counters_request(struct counters *c, enum route_group group, uint64_t ns, uint64_t received, uint64_t sent)
{
    struct latencies *l = &c->latencies[group];
    unsigned bucket = 0;
    while (bucket < COUNTERS_BUCKETS - 1 && ns > counters_limits_ns[bucket])
        bucket++;
    pthread_mutex_lock(&c->lock);
    l->buckets[bucket]++;
    l->sum_ns += ns;
    c->received_bytes += received;
    c->sent_bytes += sent;
    pthread_mutex_unlock(&c->lock);
}

void counters_analyzed(struct counters *c, uint64_t ns)
{
    pthread_mutex_lock(&c->lock);
    c->analyze_ns += ns;
    pthread_mutex_unlock(&c->lock);
}

void counters_gave_up(struct counters *c, int rc)
{
    pthread_mutex_lock(&c->lock);
    c->queries_timed_out += rc == -ETIMEDOUT;
    c->queries_left += rc == -EPIPE;
    pthread_mutex_unlock(&c->lock);
}

struct counters counters_read(struct counters *c)
{
    pthread_mutex_lock(&c->lock);
    struct counters copy = *c;
    pthread_mutex_unlock(&c->lock);
    return copy;
}
