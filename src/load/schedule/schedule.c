#include "load/schedule/schedule.h"

#include "base/text/number.h"
#include "base/text/units.h"
#include "base/time_units.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int take_rate(const char **text, double *rate)
{
    if (**text < '0' || **text > '9' || number_take_real(text, 0, SCHEDULE_RATE_MAX, rate))
        return -EINVAL;
    if (!strncmp(*text, "/s", 2))
        *text += 2;
    return 0;
}

static int take_step(struct schedule_step *step, const char *text)
{
    uint64_t ns;
    if (take_rate(&text, &step->from))
        return -EINVAL;
    step->to = step->from;
    step->length = INFINITY;
    if (*text == '-' && (text++, take_rate(&text, &step->to)))
        return -EINVAL;
    if (*text == ':') {
        if (units_parse_duration(text + 1, &ns) || !ns)
            return -EINVAL;
        step->length = (double)ns / NS_PER_S;
    } else if (*text || step->to != step->from) {
        return -EINVAL; /* a slope needs a length */
    }
    return 0;
}

int schedule_parse(struct schedule *s, const char *text, struct error *e)
{
    const char *all = text;
    double start = 0, before = 0;
    *s = (struct schedule){0};
    while (*text) {
        char word[64];
        size_t n = strcspn(text, ",");
        struct schedule_step *step = &s->steps[s->count];
        snprintf(word, sizeof word, "%.*s", (int)n, text);
        text += n + (text[n] == ',');
        if (s->count + 2 > SCHEDULE_STEPS_MAX || n >= sizeof word || isinf(start) || take_step(step, word))
            return error_set(e, -EINVAL, "--rate '%.60s' is not a rate up to 1000000; write it like 1000 or 0-1000:10s,1000", all);
        step->start = start;
        step->before = before;
        start += step->length;
        before += step->length * (step->from + step->to) / 2;
        s->count++;
    }
    if (!isinf(start) && s->count) {
        double rate = s->steps[s->count - 1].to;
        s->steps[s->count++] = (struct schedule_step){rate, rate, INFINITY, before, start};
    }
    if (!s->count || schedule_due(s, 0) == UINT64_MAX)
        return error_set(e, -EINVAL, "--rate '%.60s' would send no request", all);
    return 0;
}

/* Returns the time in s from the step's start to its n-th request: n = from t + (to - from) t^2 / (2 length), solved for t without
 * cancellation. */
static double within(const struct schedule_step *step, double n)
{
    if (step->from == step->to)
        return n / step->from;
    double root = step->from * step->from + 2 * (step->to - step->from) / step->length * n;
    return n ? 2 * n / (step->from + sqrt(fmax(root, 0))) : 0;
}

void schedule_deinit(struct schedule *s)
{
    free(s->arrivals);
    s->arrivals = NULL;
}

uint64_t schedule_due(const struct schedule *s, uint64_t n)
{
    if (s->arrivals)
        return n < s->arrival_count ? s->arrivals[n] : UINT64_MAX;
    return schedule_at(s, (double)n);
}

uint64_t schedule_at(const struct schedule *s, double wanted)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const struct schedule_step *step = &s->steps[i];
        if (i + 1 < s->count && wanted >= s->steps[i + 1].before)
            continue;
        double t = within(step, wanted - step->before);
        if (isnan(t) || isinf(t))
            return UINT64_MAX;
        double ns = (step->start + t) * NS_PER_S;
        return ns < 9e18 ? (uint64_t)llround(ns) : UINT64_MAX;
    }
    return UINT64_MAX;
}

uint64_t schedule_count(const struct schedule *s, uint64_t ns)
{
    uint64_t low = 0, high = 1; /* due(low - 1) < ns <= due(high) */
    if (s->arrivals)
        high = s->arrival_count;
    while (!s->arrivals && schedule_due(s, high) < ns)
        high *= 2;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (schedule_due(s, middle) < ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
