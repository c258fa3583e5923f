#include "server/measure/minutes.h"

#include "base/time_units.h"

#include <errno.h>
#include <stdlib.h>

#define MINUTE_NS   (KEY_MINUTE_S * (int64_t)NS_PER_S)
#define DURATION_NS ((uint64_t)32 * 86400 * NS_PER_S) /* the longest recording that is measured */

static int64_t minute_of(int64_t ns)
{
    return ns / MINUTE_NS - (ns % MINUTE_NS < 0);
}

int minutes_init(struct minutes *m, int64_t start_ns, uint64_t duration_ns)
{
    *m = (struct minutes){.start_ns = start_ns};
    if (start_ns <= 0 || start_ns > INT64_MAX / 2 || !duration_ns || duration_ns > DURATION_NS)
        return 0;
    m->end_ns = start_ns + (int64_t)duration_ns;
    int64_t first = minute_of(start_ns), last = minute_of(m->end_ns - 1);
    m->list = calloc((size_t)(last - first + 1), sizeof *m->list);
    if (!m->list)
        return -ENOMEM;
    for (int64_t minute = first; minute <= last; minute++) {
        int64_t from = minute * MINUTE_NS, to = from + MINUTE_NS;
        from = from < start_ns ? start_ns : from;
        to = to > m->end_ns ? m->end_ns : to;
        m->list[m->count++] = (struct key_minute){.minute = minute, .covered_ns = (uint64_t)(to - from)};
    }
    return 0;
}

void minutes_deinit(struct minutes *m)
{
    free(m->list);
    *m = (struct minutes){0};
}

void minutes_know(struct minutes *m, enum key_metric metric)
{
    m->known |= key_metric_bit(metric);
}

bool minutes_knows(const struct minutes *m, enum key_metric metric)
{
    return m->known & key_metric_bit(metric);
}

static struct key_minute *nearest(struct minutes *m, int64_t minute)
{
    int64_t place = m->count ? minute - m->list[0].minute : 0, last = (int64_t)m->count - 1;
    return m->count ? &m->list[place < 0 ? 0 : place > last ? last : place] : NULL;
}

static void add(struct key_minute *to, enum key_metric metric, int64_t amount)
{
    to->amounts[metric] = (int64_t)((uint64_t)to->amounts[metric] + (uint64_t)amount);
}

void minutes_add_minute(struct minutes *m, enum key_metric metric, int64_t minute, int64_t amount)
{
    struct key_minute *to = nearest(m, minute);
    if (to)
        add(to, metric, amount);
}

void minutes_add(struct minutes *m, enum key_metric metric, int64_t time_ns, int64_t amount)
{
    minutes_add_minute(m, metric, minute_of(time_ns), amount);
}

void minutes_add_interval(struct minutes *m, enum key_metric metric, int64_t start_ns, uint64_t ns)
{
    int64_t at = start_ns > m->start_ns ? start_ns : m->start_ns, end;
    if (ns > DURATION_NS || __builtin_add_overflow(start_ns, (int64_t)ns, &end))
        return;
    end = end < m->end_ns ? end : m->end_ns;
    while (at < end) {
        int64_t next = (minute_of(at) + 1) * MINUTE_NS, to = next < end ? next : end;
        minutes_add(m, metric, at, to - at);
        at = to;
    }
}

void minutes_spread(struct minutes *m, enum key_metric metric, int64_t amount)
{
    double all = (double)(m->end_ns - m->start_ns);
    int64_t left = amount;
    for (uint32_t i = 0; i < m->count; i++) {
        int64_t part = i + 1 == m->count ? left : (int64_t)((double)amount * ((double)m->list[i].covered_ns / all));
        add(&m->list[i], metric, part);
        left -= part;
    }
}

void minutes_raise(struct minutes *m, enum key_metric metric, int64_t time_ns, int64_t amount)
{
    struct key_minute *to = nearest(m, minute_of(time_ns));
    if (to && to->amounts[metric] < amount)
        to->amounts[metric] = amount;
}

void minutes_set(struct minutes *m, enum key_metric metric, int64_t time_ns, int64_t amount)
{
    struct key_minute *to = nearest(m, minute_of(time_ns));
    if (!to)
        return;
    to->known |= key_metric_bit(metric);
    to->amounts[metric] = amount;
}

struct key_minute *minutes_take(struct minutes *m, uint32_t *count)
{
    struct key_minute *list = m->list;
    uint64_t any = m->known;
    for (uint32_t i = 0; i < m->count; i++)
        any |= list[i].known |= m->known;
    *count = any ? m->count : 0;
    if (!any)
        free(list);
    m->list = NULL;
    m->count = 0;
    return any ? list : NULL;
}
