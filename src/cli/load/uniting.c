#include "cli/load/uniting.h"

#include "base/time_units.h"
#include "cli/load/agent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES = 3 };

struct united_tick {
    struct united_tick *next;
    uint64_t number;
    struct load_tick sums;
    struct candor_histogram times[TIMES]; /* response, service, lateness */
};

static void free_tick(struct united_tick *t)
{
    for (int i = 0; t && i < TIMES; i++)
        candor_histogram_deinit(&t->times[i]);
    free(t);
}

static struct united_tick *new_tick(void)
{
    struct united_tick *t = calloc(1, sizeof *t);
    for (int i = 0; t && i < TIMES; i++)
        if (outcome_histogram(&t->times[i])) {
            free_tick(t);
            return NULL;
        }
    return t;
}

int uniting_init(struct uniting *u, const struct load_config *config, struct outcome *outcome, uint32_t agents)
{
    *u = (struct uniting){.config = config, .outcome = outcome, .agents = agents, .part = new_tick()};
    return u->part ? 0 : -ENOMEM;
}

void uniting_deinit(struct uniting *u)
{
    while (u->first) {
        struct united_tick *next = u->first->next;
        free_tick(u->first);
        u->first = next;
    }
    free_tick(u->part);
    united_log_deinit(&u->log);
}

/* ---- ticks ---- */

/* Finds the interval with this number, or makes it. Returns NULL without memory. */
static struct united_tick *tick_of(struct uniting *u, uint64_t number)
{
    struct united_tick **at = &u->first, *made;
    while (*at && (*at)->number < number)
        at = &(*at)->next;
    if (*at && (*at)->number == number)
        return *at;
    if (!(made = new_tick()))
        return NULL;
    made->number = number;
    made->next = *at;
    return *at = made;
}

/* Adds u->part to the interval in which it lies. */
static int add_part(struct uniting *u, uint32_t agent)
{
    const struct load_tick *from = &u->part->sums;
    uint64_t interval = u->config->log_interval, half = interval / 2;
    struct united_tick *t = tick_of(u, (from->elapsed - from->length + half) / interval); /* an agent's ticks are late by moments */
    if (!t)
        return -ENOMEM;
    struct load_tick *to = &t->sums;
    to->elapsed = from->elapsed > to->elapsed ? from->elapsed : to->elapsed;
    to->length = from->length > to->length ? from->length : to->length;
    to->warming_up |= from->warming_up;
    to->done += from->done;
    to->failed += from->failed;
    to->waiting += from->waiting;
    to->in_flight += from->in_flight;
    for (int i = 0; i < TIMES; i++) {
        candor_histogram_add(&t->times[i], &u->part->times[i]);
        candor_histogram_reset(&u->part->times[i]);
    }
    u->ended[agent] = (from->elapsed + half) / interval;
    return 0;
}

static bool all_have_ended(const struct uniting *u, uint64_t number)
{
    for (uint32_t i = 0; i < u->agents; i++)
        if (u->ended[i] <= number)
            return false;
    return true;
}

static void tell(struct uniting *u, struct united_tick *t)
{
    enum load_mode mode = u->config->mode;
    struct load_tick *tick = &t->sums;
    tick->failed = u->failed += tick->failed;
    tick->end_ns = u->start_ns + (int64_t)tick->elapsed;
    tick->response = &t->times[0];
    tick->service = &t->times[1];
    tick->lateness = mode == LOAD_THROUGHPUT ? NULL : &t->times[2];
    tick->times = mode == LOAD_FIXED ? tick->response : tick->service;
    u->config->tick(u->config->context, tick);
}

static void tell_ended(struct uniting *u)
{
    while (u->first && all_have_ended(u, u->first->number)) {
        struct united_tick *t = u->first;
        u->first = t->next;
        if (u->config->tick)
            tell(u, t);
        free_tick(t);
    }
}

void uniting_end(struct uniting *u, uint32_t agent)
{
    u->ended[agent] = UINT64_MAX;
    tell_ended(u);
}

/* ---- logs ---- */

/* Finds the series with this tag, and the sum of its kind in an interval: NULL if intervals do not have it. */
static struct outcome_series *series_of(struct uniting *u, const char *tag, struct candor_histogram **sum)
{
    struct outcome *o = u->outcome;
    static const int sums[OUTCOME_TIMES] = {[OUTCOME_RESPONSE] = 0, [OUTCOME_SERVICE] = 1, [OUTCOME_WAIT] = -1};
    *sum = NULL;
    for (uint32_t i = 0; i < o->types; i++)
        for (int t = 0; t < OUTCOME_TIMES; t++)
            if (!strcmp(o->times[i][t].tag, tag)) {
                *sum = sums[t] >= 0 ? &u->part->times[sums[t]] : NULL;
                return &o->times[i][t];
            }
    for (int i = 0; i < OUTCOME_OWN; i++)
        if (!strcmp(o->own[i].tag, tag)) {
            *sum = i == OUTCOME_LATENESS ? &u->part->times[2] : NULL;
            return &o->own[i];
        }
    return NULL;
}

static int add_entry(struct uniting *u, const struct candor_histogram_log_entry *entry, double start_time)
{
    struct candor_histogram *sum;
    struct outcome_series *s = series_of(u, entry->tag, &sum);
    int rc = s ? candor_histogram_add(&s->total, &entry->histogram) : -EPROTO;
    if (!rc && sum)
        rc = candor_histogram_add(sum, &entry->histogram);
    if (!rc && u->config->log)
        rc = united_log_keep(&u->log, s->tag, entry->start - start_time, entry);
    return rc;
}

/* Adds the part of a log that belongs to one interval. Returns 0 or a negative code. */
static int add_log(struct uniting *u, char *text, size_t size)
{
    struct candor_histogram_log_reader reader;
    struct candor_histogram_log_entry entry;
    if (!memmem(text, size, "Tag=", 4))
        return 0; /* no request ended in the interval */
    FILE *in = fmemopen(text, size, "r");
    int rc = in ? 0 : -ENOMEM, got;
    if (rc)
        return rc;
    candor_histogram_log_open(&reader, in);
    while (!rc && (got = candor_histogram_log_next(&reader, &entry))) {
        rc = got > 0 ? add_entry(u, &entry, reader.start_time) : -EPROTO;
        if (got > 0)
            candor_histogram_deinit(&entry.histogram);
    }
    candor_histogram_log_close(&reader);
    fclose(in);
    return rc;
}

ssize_t uniting_take(struct uniting *u, uint32_t agent, char *text, size_t size)
{
    char *from = text, *mark, *end;
    while ((mark = strstr(from, AGENT_TICK)) && (end = strchr(mark, '\n'))) {
        int rc = agent_read_tick(mark, &u->part->sums) ? add_log(u, from, (size_t)(mark - from)) : -EPROTO;
        if (!rc)
            rc = add_part(u, agent);
        if (rc)
            return rc;
        from = end + 1;
    }
    tell_ended(u);
    return from - text;
}
