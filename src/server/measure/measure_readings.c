/* Key metrics from figures that the JDK's recorder writes from time to time. */
#include "server/measure/measure.h"

/* A count since the JVM's start: the difference between two readings counts halfway between them. One reading alone says nothing about the
 * recording. */
struct count {
    enum key_metric metric;
    struct reading last;
    bool any;
};

static void take_count(struct minutes *m, struct count *c, const struct reading *r)
{
    if (c->any && r->value >= c->last.value) {
        minutes_add(m, c->metric, c->last.ns + (r->ns - c->last.ns) / 2, (int64_t)(r->value - c->last.value));
        minutes_know(m, c->metric);
    }
    c->last = *r;
    c->any = true;
}

/* The mean of the readings of one minute. */
struct mean {
    double sum;
    uint32_t count, place; /* place: of the minute */
};

static uint32_t place_of(const struct minutes *m, int64_t ns)
{
    int64_t place = ns / 1000000000 / KEY_MINUTE_S - m->list[0].minute, last = (int64_t)m->count - 1;
    return (uint32_t)(place < 0 ? 0 : place > last ? last : place);
}

static void end_mean(struct minutes *m, const struct mean *of)
{
    struct key_minute *to = &m->list[of->place];
    if (!of->count)
        return;
    to->known |= key_metric_bit(KEY_THREADS);
    to->amounts[KEY_THREADS] = (int64_t)(of->sum / of->count * (double)to->covered_ns);
}

static void take_mean(struct minutes *m, struct mean *of, const struct reading *r)
{
    uint32_t place = place_of(m, r->ns);
    if (place != of->place) {
        end_mean(m, of);
        *of = (struct mean){.place = place};
    }
    of->sum += r->value;
    of->count++;
}

/* Whether the agent wrote the live set: then the heap after other collections, which also has garbage, is not taken. */
static bool has_live_sets(const struct minutes *m)
{
    for (uint32_t i = 0; i < m->count; i++)
        if (m->list[i].known & key_metric_bit(KEY_LIVE_SET))
            return true;
    return false;
}

void measure_readings(struct minutes *m, const struct readings *list)
{
    struct count exceptions = {.metric = KEY_EXCEPTIONS}, periods = {.metric = KEY_QUOTA_PERIODS},
                 throttled = {.metric = KEY_THROTTLED_SHARE};
    struct mean threads = {0};
    bool has_threads = minutes_knows(m, KEY_THREADS), has_live = has_live_sets(m);
    for (uint32_t i = 0; i < list->count; i++) {
        const struct reading *r = &list->list[i];
        if (r->kind == READING_THROWN)
            take_count(m, &exceptions, r);
        else if (r->kind == READING_PERIODS)
            take_count(m, &periods, r);
        else if (r->kind == READING_PERIODS_THROTTLED)
            take_count(m, &throttled, r);
        else if (r->kind == READING_THREADS && !has_threads)
            take_mean(m, &threads, r);
        else if (r->kind == READING_HEAP_AFTER_GC && !has_live)
            minutes_set(m, KEY_LIVE_SET, r->ns, (int64_t)r->value);
    }
    end_mean(m, &threads);
}
