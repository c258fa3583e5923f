#include "server/alerts/sources.h"

#include "base/time_units.h"
#include "profile/figures/significance.h"
#include "profile/figures/stats.h"
#include "server/metrics/key_series.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define Z 1.959963984540054 /* the normal distribution has 2.5 % beyond this on each side */

/* ---- rates ---- */

/* A rate: the sum of the weights, whose number counts as Poisson's, by the window's seconds and by `unit`. */
static int measure_sum(struct alert_samples *samples, const struct alert_window *w, double unit, struct alert_figure *out, struct error *e)
{
    struct alert_sampled *s;
    int rc = samples_get(samples, w->rule, w->value, w->from, w->to, &s, e);
    if (rc)
        return rc;
    double n = s->effective, spread = n > 0 ? exp(Z / sqrt(n)) : 1;
    double value = (double)s->profile.weight / unit / (double)(w->to - w->from);
    *out = (struct alert_figure){.value = value,
                                 .low = value / spread,
                                 .high = value * spread,
                                 .known = s->profile.sample_count > 0,
                                 .samples = s->profile.sampled,
                                 .missing = s->result.missing};
    return 0;
}

static int measure_cores(struct alert_samples *samples, const struct alert_window *w, struct alert_figure *out, struct error *e)
{
    return measure_sum(samples, w, NS_PER_S, out, e);
}

static int measure_rate(struct alert_samples *samples, const struct alert_window *w, struct alert_figure *out, struct error *e)
{
    return measure_sum(samples, w, 1, out, e);
}

/* ---- key metrics ---- */

/* A key metric of the minutes that the window touches. It is no estimate of samples, so it has no interval. */
static int measure_metric(struct alert_samples *samples, const struct alert_window *w, struct alert_figure *out, struct error *e)
{
    const char *name = w->rule->source->name;
    struct key_series series = {0};
    struct selector selector;
    struct store_query q = {.selector = &selector,
                            .from = w->from,
                            .to = w->to,
                            .until_ns = samples->until_ns,
                            .is_gone = samples->is_gone,
                            .client = samples->client};
    *out = (struct alert_figure){0};
    int rc = samples_selector(&selector, w->rule, w->value, e);
    if (!rc)
        store_note_unread(samples->store, &q, &out->missing);
    rc = rc ? rc : key_series_ask(&series, samples->store, &q, key_metric_bit(key_metric_named(name, strlen(name))), 0, NULL, e);
    rc = rc ? rc : store_forgotten_recordings(samples->store, &q, &out->missing, e);
    out->known = !rc && series.group_count && key_series_value(&series, 0, 0, 0, &out->value);
    out->low = out->high = out->value;
    key_series_deinit(&series);
    selector_deinit(&selector);
    return rc;
}

/* ---- the table ---- */

#define METRIC_ROW(symbol, id, name, unit, sort, base, title, ...)                                                                         \
    {name, title, KEY_UNIT_##unit == KEY_UNIT_SHARE, ALERT_METHODS_NONE, measure_metric, false},

/* First the sources that are measured from samples, then the key metrics. */
static const struct alert_source sources[] = {
    {"cores", "cores in use", false, ALERT_METHODS_NONE, measure_cores, false},
    {"rate", "weight per second", false, ALERT_METHODS_NONE, measure_rate, false},
    {"self", "share of the methods themselves", true, ALERT_METHODS_NEEDED, self_measure, false},
    {"total", "share of the methods with what they call", true, ALERT_METHODS_NEEDED, total_measure, false},
    {"change", "the largest sure growth of a method", true, ALERT_METHODS_SOME, change_measure, true},
    KEY_METRIC_ROWS(METRIC_ROW)};
enum { SOURCES = sizeof sources / sizeof *sources, OF_SAMPLES = SOURCES - KEY_METRICS };

const struct alert_source *sources_named(const char *name)
{
    for (int i = 0; i < SOURCES; i++)
        if (!strcmp(sources[i].name, name))
            return &sources[i];
    return NULL;
}

char *sources_names(char *out, size_t size)
{
    size_t n = 0;
    *out = 0;
    for (int i = 0; i < OF_SAMPLES && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, "%s%s", i ? ", " : "", sources[i].name);
    if (n < size)
        snprintf(out + n, size - n, ", or a key metric, such as gc_share");
    return out;
}

int sources_check(const struct alert_rule *rule, struct error *e)
{
    const char *unit = strrchr(rule->type, ':');
    if (rule->source->measure == measure_metric && strcmp(rule->type, ALERT_TYPE))
        return error_set(e, -EINVAL, "value = %s has no type", rule->source->name);
    if (rule->source->measure == measure_metric && rule->of_samples)
        return error_set(e, -EINVAL, "value = %s is a figure of whole recordings: select by their labels, and not by labels of samples",
                         rule->source->name);
    if (!unit)
        return error_set(e, -EINVAL, "type '%.60s': write it as in cpu:ns or alloc_space:bytes", rule->type);
    if (rule->source->compares && (rule->seasons != 1 || rule->below))
        return error_set(e, -EINVAL, "value = %s needs `above`, and a baseline of one window: previous, day or week", rule->source->name);
    if (rule->source->measure == measure_cores && strcmp(unit, ":ns"))
        return error_set(e, -EINVAL, "value = cores is for types of time such as cpu:ns; use value = rate for %.60s", rule->type);
    return 0;
}

/* ---- a rule's figure ---- */

struct alert_figure sources_ratio(const struct alert_figure *now, const struct alert_figure *before)
{
    struct alert_figure out = {.known = now->known && before->known && before->high > 0, .samples = now->samples, .missing = now->missing};
    missing_add_all(&out.missing, &before->missing);
    if (!out.known)
        return out;
    out.value = now->value / before->value; /* infinite if the baseline has none of it */
    out.low = now->low / before->high;
    out.high = now->high / before->low;
    if (now->value > 0 && before->value > 0) { /* the errors of both are independent, and add up as squares of logarithms */
        out.low = out.value * exp(-hypot(log(now->value / now->low), log(before->high / before->value)));
        out.high = out.value * exp(hypot(log(now->high / now->value), log(before->value / before->low)));
    }
    if (isnan(out.value)) /* 0 / 0 */
        out.known = false;
    return out;
}

bool sources_is_share(const struct alert_rule *rule)
{
    return rule->source->share && (!rule->before || rule->source->compares);
}

/* Computes the mean of several windows, and the interval in which one more of them would be with 95 %: they differ by more than sampling,
 * because days do. */
static void mean_of(const double *values, uint32_t n, struct alert_figure *out)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += values[i];
    out->value = sum / n;
    for (uint32_t i = 0; i < n; i++)
        squares += (values[i] - out->value) * (values[i] - out->value);
    double reach = significance_student(0.025, n - 1) * sqrt(squares / (n - 1) * (1 + 1.0 / n));
    out->low = fmax(0, out->value - reach);
    out->high = out->value + reach;
}

/* Measures the baseline: one window, or the mean of several, of which at least SEASONS_LEAST must have data. */
static int measure_baseline(struct alert_samples *samples, struct alert_window w, struct alert_figure *out, struct error *e)
{
    double values[ALERT_SEASONS_MAX];
    struct alert_figure one;
    struct missing missing = {0};
    uint32_t n = 0;
    int rc = 0;
    for (uint32_t i = 0; !rc && i < w.rule->seasons; i++) {
        w.from -= w.rule->before;
        w.to -= w.rule->before;
        rc = w.rule->source->measure(samples, &w, &one, e);
        if (rc)
            return rc;
        missing_add_all(&missing, &one.missing);
        if (one.known)
            values[n++] = one.value;
    }
    *out = w.rule->seasons == 1 ? one : (struct alert_figure){.known = n >= ALERT_SEASONS_LEAST};
    out->missing = missing;
    if (w.rule->seasons > 1 && out->known)
        mean_of(values, n, out);
    return 0;
}

/* Recordings always pass through object storage, if receivers leave them there. An alert need not wait until none is on its way, but it
 * waits while some are held up. */
static void allow_way(const struct alert_samples *samples, struct alert_figure *f)
{
    struct missing_sum *waiting = &f->missing.sums[MISSING_WAITING];
    if (waiting->parts && !store_waits_long(samples->store))
        *waiting = (struct missing_sum){0};
}

int sources_evaluate(struct alert_samples *samples, const struct alert_rule *rule, const char *value, int64_t to, struct alert_figure *out,
                     struct error *e)
{
    const struct alert_window w = {rule, value, to - rule->window, to};
    struct alert_figure before;
    int rc = rule->source->measure(samples, &w, out, e);
    if (!rc && rule->before && !rule->source->compares) {
        rc = measure_baseline(samples, w, &before, e);
        if (!rc)
            *out = sources_ratio(out, &before);
    }
    if (!rc)
        allow_way(samples, out);
    return rc;
}
