#include "server/request/counters.h"

#include "base/text/units.h"
#include "base/time_units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

/* Reads the trace's id from "00-TRACE-SPAN-FLAGS". Returns whether there is one. */
static bool read_trace(const char *traceparent, char id[COUNTERS_ID])
{
    enum { AT = 3, DIGITS = COUNTERS_ID - 1 };
    if (!traceparent || strncmp(traceparent, "00-", AT) || strspn(traceparent + AT, "0123456789abcdef") != DIGITS ||
        traceparent[AT + DIGITS] != '-')
        return false;
    snprintf(id, COUNTERS_ID, "%.*s", DIGITS, traceparent + AT);
    return strspn(id, "0") != DIGITS;
}

static int64_t now_ms(void)
{
    return (int64_t)(clock_realtime_ns() / NS_PER_MS);
}

void counters_request(struct counters *c, enum route_group group, uint64_t ns, uint64_t received, uint64_t sent, const char *traceparent)
{
    struct counters_exemplar exemplar = {.value = (double)ns / NS_PER_S};
    bool traced = read_trace(traceparent, exemplar.id);
    exemplar.at_ms = traced ? now_ms() : 0;
    struct latencies *l = &c->latencies[group];
    unsigned bucket = 0;
    while (bucket < COUNTERS_BUCKETS - 1 && ns > counters_limits_ns[bucket])
        bucket++;
    pthread_mutex_lock(&c->lock);
    l->buckets[bucket]++;
    l->sum_ns += ns;
    if (traced)
        l->exemplars[bucket] = exemplar;
    c->received_bytes += received;
    c->sent_bytes += sent;
    pthread_mutex_unlock(&c->lock);
}

void counters_stored(struct counters *c, uint64_t recording)
{
    struct counters_exemplar exemplar = {.value = 1, .at_ms = now_ms()};
    snprintf(exemplar.id, sizeof exemplar.id, "%" PRIu64, recording);
    pthread_mutex_lock(&c->lock);
    c->stored = exemplar;
    pthread_mutex_unlock(&c->lock);
}

void counters_remote(struct counters *c, enum remote_count what, uint64_t n)
{
    pthread_mutex_lock(&c->lock);
    c->remote[what] += n;
    pthread_mutex_unlock(&c->lock);
}

void counters_remote_waiting(struct counters *c, uint64_t requests)
{
    pthread_mutex_lock(&c->lock);
    c->remote[REMOTE_WAITING] = requests;
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
