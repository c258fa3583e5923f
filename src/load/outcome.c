#include "load/outcome.h"

#include "base/error.h"
#include "base/time_units.h"

#include <errno.h>
#include <string.h>

const char *const outcome_kind_names[OUTCOME_KINDS] = {"answered", "refused",  "wrong",     "no_connection",
                                                       "broken",   "timeouts", "in_flight", "unsent"};

#define HIGHEST (3600 * NS_PER_S) /* an hour in ns */

int outcome_histogram(struct candor_histogram *h)
{
    return candor_histogram_init(h, 1, HIGHEST, 3);
}

static int series_init(struct outcome_series *s, const char *name, const char *suffix)
{
    snprintf(s->tag, sizeof s->tag, "%s%s", name, suffix);
    int rc = candor_recorder_init(&s->recorder, 1, HIGHEST, 3);
    return rc ? rc : outcome_histogram(&s->total);
}

static void series_deinit(struct outcome_series *s)
{
    candor_recorder_deinit(&s->recorder);
    candor_histogram_deinit(&s->total);
}

int outcome_init(struct outcome *o, const struct mix *mix, bool scheduled)
{
    static const char *const suffixes[] = {"-rt", "-st", "-wt"};
    int rc = 0;
    memset(o, 0, sizeof *o);
    o->types = mix->count;
    o->scheduled = scheduled;
    for (uint32_t i = 0; i < mix->count; i++)
        for (int t = 0; t < OUTCOME_TIMES && !rc; t++)
            rc = series_init(&o->times[i][t], mix->types[i].name, suffixes[t]);
    if (!rc)
        rc = series_init(&o->own[OUTCOME_LATENESS], "generator-lateness", "");
    if (!rc)
        rc = series_init(&o->own[OUTCOME_CONNECTION_WAIT], "connection-wait", "");
    return rc;
}

void outcome_deinit(struct outcome *o)
{
    for (uint32_t i = 0; i < o->types; i++)
        for (int t = 0; t < OUTCOME_TIMES; t++)
            series_deinit(&o->times[i][t]);
    for (int i = 0; i < OUTCOME_OWN; i++)
        series_deinit(&o->own[i]);
}

static void record(struct outcome_series *s, uint64_t ns)
{
    candor_recorder_record(&s->recorder, ns < HIGHEST ? (int64_t)ns : HIGHEST);
}

static void count(uint64_t *n)
{
    __atomic_fetch_add(n, 1, __ATOMIC_RELAXED); /* relaxed: it orders nothing, and exact values are read after the threads are joined */
}

void outcome_record(struct outcome *o, const struct outcome_request *r, enum outcome_kind kind, int status, uint64_t now)
{
    struct outcome_series *times = o->times[r->type];
    count(&o->kinds[kind]);
    if (status > 0)
        count(&o->statuses[status / 100 < 6 ? status / 100 : 0]);
    record(&times[OUTCOME_SERVICE], now - r->sent);
    if (!o->scheduled)
        return;
    record(&times[OUTCOME_RESPONSE], now - r->intended);
    record(&times[OUTCOME_WAIT], r->sent - r->intended);
    record(&o->own[OUTCOME_LATENESS], r->sent - r->ready);
    record(&o->own[OUTCOME_CONNECTION_WAIT], r->ready - r->intended);
}

void outcome_record_unsent(struct outcome *o, uint32_t type, uint64_t intended, uint64_t now)
{
    count(&o->kinds[OUTCOME_UNSENT]);
    record(&o->times[type][OUTCOME_RESPONSE], now - intended);
    record(&o->times[type][OUTCOME_WAIT], now - intended);
    record(&o->own[OUTCOME_CONNECTION_WAIT], now - intended);
}

void outcome_problem(struct outcome *o, const char *text)
{
    struct error line; /* the text may be a server's: one line, and nothing that controls a terminal */
    if (__atomic_exchange_n(&o->has_problem, 1, __ATOMIC_RELAXED))
        return; /* only the first thread writes; read after the threads are joined */
    error_set(&line, 0, "%s", text);
    snprintf(o->first_problem, sizeof o->first_problem, "%s", line.text);
}

static int end_interval(struct outcome_series *s, FILE *log, uint64_t start, uint64_t length)
{
    s->interval = candor_recorder_sample(&s->recorder);
    if (!candor_histogram_total(s->interval))
        return 0;
    candor_histogram_add(&s->total, s->interval);
    return log ? candor_histogram_log_write(log, s->tag, start, length, s->interval, NS_PER_MS) : 0;
}

int outcome_interval(struct outcome *o, FILE *log, uint64_t start, uint64_t length)
{
    int rc = 0;
    for (uint32_t i = 0; i < o->types; i++)
        for (int t = 0; t < OUTCOME_TIMES && !rc; t++)
            rc = end_interval(&o->times[i][t], log, start, length);
    for (int i = 0; i < OUTCOME_OWN && !rc; i++)
        rc = end_interval(&o->own[i], log, start, length);
    return rc;
}

void outcome_sum(const struct outcome *o, enum outcome_time time, bool interval, struct candor_histogram *sum)
{
    candor_histogram_reset(sum);
    for (uint32_t i = 0; i < o->types; i++) {
        const struct outcome_series *s = &o->times[i][time];
        const struct candor_histogram *h = interval ? s->interval : &s->total;
        if (h)
            candor_histogram_add(sum, h);
    }
}
