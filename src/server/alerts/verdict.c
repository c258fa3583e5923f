#include "server/alerts/verdict.h"

const char *const alert_states[ALERT_STATES] = {"inactive", "pending", "firing", "resolved"};

bool verdict_is_beyond(const struct alert_rule *rule, const struct alert_figure *figure, double threshold)
{
    return figure->known && (rule->below ? figure->high < threshold : figure->low > threshold);
}

enum alert_state verdict_for_targets(const struct alert *a)
{
    if (a->state == ALERT_FIRING || a->state == ALERT_RESOLVED)
        return a->state;
    return a->ended ? ALERT_RESOLVED : ALERT_INACTIVE;
}

static void enter(struct alert *a, enum alert_state state, int64_t to)
{
    a->state = state;
    a->since = to;
    a->held = 0;
    if (state == ALERT_FIRING) {
        a->started = to;
        a->ended = 0;
        a->announced = false;
    }
    if (state == ALERT_RESOLVED)
        a->ended = to > a->started ? to : a->started; /* the clock may have been set back */
}

/* The clock was set back: no time of the alert may be in the future. */
static void limit_times(struct alert *a, int64_t to)
{
    int64_t *const times[] = {&a->since, &a->seen};
    for (int i = 0; i < 2; i++)
        *times[i] = *times[i] > to ? to : *times[i];
}

static void verdict_of_waiting(struct alert *a, const struct alert_rule *rule, bool beyond, int64_t to, int64_t passed)
{
    if (!beyond)
        return;
    if (a->state != ALERT_PENDING)
        enter(a, ALERT_PENDING, to);
    else
        a->held += passed;
    if (a->held >= rule->hold)
        enter(a, ALERT_FIRING, to);
}

static void verdict_of_firing(struct alert *a, const struct alert_rule *rule, const struct alert_figure *figure, bool complete, int64_t to)
{
    bool over = figure->known ? complete && !verdict_is_beyond(rule, figure, rule->resolve) : to - a->seen >= rule->no_data;
    if (over)
        enter(a, ALERT_RESOLVED, to);
}

bool verdict(struct alert *a, const struct alert_rule *rule, const struct alert_figure *figure, int64_t to, int64_t step, bool silent)
{
    enum alert_state before = a->state;
    int64_t passed = a->at && to > a->at ? to - a->at : 0;
    bool complete = !missing_parts(&figure->missing);
    /* Data that are missing make a value smaller, and its ratio to a baseline smaller or larger. */
    bool usable = complete || (!rule->below && !rule->before);
    bool beyond = usable && verdict_is_beyond(rule, figure, rule->threshold);
    passed = passed < step ? passed : step;
    if (to < a->at)
        limit_times(a, to);
    a->at = to;
    a->seen = figure->known || !a->seen ? to : a->seen;
    a->figure = *figure;
    if (a->state == ALERT_FIRING)
        verdict_of_firing(a, rule, figure, complete, to);
    else if (a->state == ALERT_PENDING && !beyond && (figure->known ? complete : to - a->seen >= rule->no_data))
        enter(a, ALERT_INACTIVE, to);
    else
        verdict_of_waiting(a, rule, beyond, to, passed);
    if (a->state == ALERT_FIRING && !silent && !rules_is_quiet(rule, to))
        a->announced = true;
    return a->state != before;
}
