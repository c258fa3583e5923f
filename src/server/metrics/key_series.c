#include "server/metrics/key_series.h"

#include "base/array.h"
#include "base/map.h"

#include <errno.h>
#include <stdlib.h>

enum { MINUTES_PER_HOUR = 60 };

static int64_t floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static bool is_summed(enum key_metric metric)
{
    return key_metric_rows[metric].sort == KEY_SORT_RATE || key_metric_rows[metric].sort == KEY_SORT_LEVEL;
}

static struct key_point *point_of(const struct key_series *s, const struct key_group *g, uint32_t metric, int64_t minute)
{
    int64_t step = floor_divide(minute * KEY_MINUTE_S - s->begin, s->step);
    step = step < 0 ? 0 : step >= s->step_count ? s->step_count - 1 : step;
    return &g->points[(size_t)metric * s->step_count + (size_t)step];
}

static int group_of(struct key_series *s, uint32_t value, struct key_group **group)
{
    bool added;
    uint32_t *place = map_add(&s->places, value, &added);
    if (!place || ARRAY_GROW(s->groups, s->group_cap, s->group_count))
        return -ENOMEM;
    if (added) {
        size_t points = (size_t)s->metric_count * s->step_count;
        if (points * (s->group_count + 1) > KEY_SERIES_POINTS_MAX)
            return -E2BIG;
        *place = s->group_count;
        struct key_group *g = &s->groups[s->group_count++];
        *g = (struct key_group){.value = value, .points = calloc(points, sizeof *g->points)};
        if (!g->points)
            return -ENOMEM;
    }
    struct key_group *g = *group = &s->groups[*place];
    if (!g->minutes)
        g->minutes = calloc((size_t)s->metric_count * MINUTES_PER_HOUR, sizeof *g->minutes);
    return g->minutes ? 0 : -ENOMEM;
}

/* Adds the minutes of the last hour to their steps, and frees them. */
static void settle_group(struct key_series *s, struct key_group *g)
{
    for (uint32_t i = 0; i < s->metric_count; i++)
        for (int minute = 0; is_summed(s->metrics[i]) && minute < MINUTES_PER_HOUR; minute++) {
            const struct key_point *from = &g->minutes[i * MINUTES_PER_HOUR + minute];
            struct key_point *to = point_of(s, g, i, s->hour * MINUTES_PER_HOUR + minute);
            if (!(from->over > 0))
                continue;
            to->sum += from->sum * from->over;
            to->over += from->over;
        }
    free(g->minutes);
    g->minutes = NULL;
}

static void settle(struct key_series *s)
{
    for (uint32_t i = 0; i < s->group_count; i++)
        if (s->groups[i].minutes)
            settle_group(s, &s->groups[i]);
}

static void add(struct key_series *s, struct key_group *g, uint32_t i, const struct store_minute *m)
{
    enum key_metric metric = s->metrics[i];
    double amount = m->of[metric].amount, value;
    struct key_point *to = point_of(s, g, i, m->minute);
    if (!store_minute_value(m, metric, &value))
        return;
    if (is_summed(metric)) {
        to = &g->minutes[i * MINUTES_PER_HOUR + (uint32_t)(m->minute - s->hour * MINUTES_PER_HOUR)];
        double time = store_minute_time(m, metric);
        to->sum += value;
        to->over = time > to->over ? time : to->over;
    } else if (key_metric_rows[metric].sort == KEY_SORT_SHARE) {
        to->sum += amount;
        to->over += store_minute_base(m, metric);
    } else {
        to->sum = amount > to->sum ? amount : to->sum;
        to->over = 1;
    }
}

static int take_minute(void *context, const struct store_minute *m)
{
    struct key_series *s = context;
    struct key_group *g;
    int64_t hour = floor_divide(m->minute, MINUTES_PER_HOUR);
    if (hour != s->hour)
        settle(s);
    s->hour = hour;
    int rc = group_of(s, m->value, &g);
    for (uint32_t i = 0; !rc && i < s->metric_count; i++)
        add(s, g, i, m);
    return rc;
}

int key_series_ask(struct key_series *s, struct store *store, const struct store_query *q, uint64_t wanted, int64_t step, const char *by,
                   struct error *e)
{
    *s = (struct key_series){.step = step ? step : KEY_MINUTE_S};
    s->begin = floor_divide(q->from, s->step) * s->step;
    s->step_count = (uint32_t)(floor_divide(q->to - 1 - s->begin, s->step) + 1);
    if (!step) {
        s->step *= s->step_count;
        s->step_count = 1;
    }
    for (int metric = 0; metric < KEY_METRICS; metric++)
        if (wanted & key_metric_bit((enum key_metric)metric))
            s->metrics[s->metric_count++] = (enum key_metric)metric;
    int rc = store_metrics(store, q, wanted, by, take_minute, s, &s->of, e);
    settle(s);
    if (rc == -E2BIG)
        error_set(e, rc, "more than %d points: ask for fewer metrics, a longer step, or fewer JVMs", KEY_SERIES_POINTS_MAX);
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc;
}

bool key_series_value(const struct key_series *s, uint32_t metric, uint32_t group, uint32_t step, double *value)
{
    const struct key_point *p = &s->groups[group].points[(size_t)metric * s->step_count + step];
    enum key_metric id = s->metrics[metric];
    if (!(p->over > 0))
        return false;
    *value = p->sum / p->over / (is_summed(id) ? 1 : key_unit_rows[key_metric_rows[id].unit].size);
    return true;
}

void key_series_deinit(struct key_series *s)
{
    for (uint32_t i = 0; i < s->group_count; i++) {
        free(s->groups[i].points);
        free(s->groups[i].minutes);
    }
    free(s->groups);
    map_deinit(&s->places);
    store_metrics_deinit(&s->of);
}
