/* The thread that evaluates rules. Each second it looks whether the file has changed and which rules are due. A rule is due when a window
 * is complete that it has not seen yet. */
#include "base/array.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "server/alerts/action.h"
#include "server/alerts/alerts_internal.h"
#include "server/alerts/values.h"
#include "server/logs/audit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ROUND_S = 60, KEEP_S = 86400 }; /* the longest time for one query; how long alerts stay that neither fire nor have data */

/* One evaluation that is due. */
struct due {
    uint32_t rule;
    char *value; /* NULL = the rule has no `each` */
    int64_t to;
};

struct round {
    struct alerts *alerts;
    struct due *list;
    uint32_t count, cap;
};

int64_t watch_window_end(const struct alert_rule *rule, int64_t now)
{
    return (now - rule->delay) / rule->interval * rule->interval;
}

/* ---- the file ---- */

int watch_use(struct alerts *a, struct alert_rules *rules)
{
    struct alert_status *status = calloc((size_t)rules->count + 1, sizeof *status);
    struct alert_sending sending[ALERT_TARGETS_MAX] = {0};
    if (!status)
        return -ENOMEM;
    for (uint32_t i = 0; i < rules->target_count; i++)
        for (uint32_t k = 0; k < a->rules.target_count; k++)
            if (!strcmp(rules->targets[i].name, a->rules.targets[k].name))
                sending[i] = a->sending[k];
    memcpy(a->sending, sending, sizeof sending);
    for (int i = 0; i < ALERT_TARGETS_MAX; i++)
        a->sending[i].next_ns = 0;
    free(a->status);
    rules_deinit(&a->rules);
    a->status = status;
    a->rules = *rules;
    a->generation++;
    a->read_at = (int64_t)(clock_realtime_ns() / NS_PER_S);
    *a->problem = 0;
    return 0;
}

static bool same_file(const struct stat *x, const struct stat *y)
{
    return x->st_ino == y->st_ino && x->st_size == y->st_size && x->st_mtim.tv_sec == y->st_mtim.tv_sec &&
           x->st_mtim.tv_nsec == y->st_mtim.tv_nsec;
}

/* Reads the rules again if the file has changed, and has stayed the same since the last look: before, it may still be being written. If the
 * rules are broken, the earlier ones stay. */
static void read_again(struct alerts *a)
{
    struct stat now = {0};
    struct alert_rules rules;
    struct error e;
    char text[700];
    stat(a->path, &now);
    bool is_still = same_file(&now, &a->changing);
    a->changing = now;
    if (!is_still || same_file(&now, &a->seen))
        return;
    a->seen = now;
    int rc = rules_read(&rules, a->path, &e);
    pthread_mutex_lock(&a->lock);
    if (!rc) {
        table_fit(&a->table, &a->rules, &rules);
        rc = watch_use(a, &rules) ? error_set(&e, -ENOMEM, "out of memory") : 0;
    }
    if (rc)
        snprintf(a->problem, sizeof a->problem, "%s", e.text);
    pthread_mutex_unlock(&a->lock);
    if (rc) {
        rules_deinit(&rules);
        snprintf(text, sizeof text, "alerts: %s; the previous rules stay in use", e.text);
    } else {
        snprintf(text, sizeof text, "alerts: %s was read again: %u rules", a->path, a->rules.count);
    }
    a->tell(text);
    audit_event(a->server->audit, "alerts", text);
}

/* ---- alerts that are due ---- */

static int add_due(struct round *r, uint32_t rule, const char *value, int64_t to)
{
    char *copy = value ? strdup(value) : NULL;
    if ((value && !copy) || ARRAY_GROW(r->list, r->cap, r->count)) {
        free(copy);
        return -ENOMEM;
    }
    r->list[r->count++] = (struct due){rule, copy, to};
    return 0;
}

/* Adds the alerts of the rule that wait or fire: they must learn that there are no data. */
static int add_alerts(struct alerts *a, const struct alert_rule *rule, struct alert_values *v)
{
    int rc = 0;
    pthread_mutex_lock(&a->lock);
    for (uint32_t i = table_first(&a->table, rule->name); !rc && i < a->table.count && !strcmp(a->table.list[i].rule, rule->name); i++)
        if (a->table.list[i].value && (a->table.list[i].state == ALERT_PENDING || a->table.list[i].state == ALERT_FIRING))
            rc = values_add(v, a->table.list[i].value);
    pthread_mutex_unlock(&a->lock);
    return rc;
}

/* Alerts come before other values, so that none that fires is left out when there are too many. */
static int add_values(struct round *r, uint32_t index, int64_t to, struct error *e)
{
    struct alerts *a = r->alerts;
    const struct alert_rule *rule = &a->rules.list[index];
    const struct store_query patience = {.until_ns = clock_monotonic_ns() + ROUND_S * NS_PER_S};
    struct alert_values v = {0};
    int rc = add_alerts(a, rule, &v);
    rc = rc ? rc : values_find(&v, rule, a->server->store, &patience, to - rule->window, to, e);
    for (uint32_t i = 0; !rc && i < v.count; i++)
        rc = add_due(r, index, v.list[i], to);
    pthread_mutex_lock(&a->lock);
    a->status[index].cut = v.cut;
    pthread_mutex_unlock(&a->lock);
    values_deinit(&v);
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc;
}

static void note_failure(struct alerts *a, uint32_t rule, const struct error *e)
{
    pthread_mutex_lock(&a->lock);
    a->counts.failed++;
    snprintf(a->status[rule].problem, sizeof a->status[rule].problem, "%.299s", e->text);
    pthread_mutex_unlock(&a->lock);
}

/* Adds the windows of a rule that are due. After a small step back of the clock, a rule waits until its next window; after a large one
 * it continues from the new time. */
static void add_rule(struct round *r, uint32_t index, int64_t now)
{
    struct alerts *a = r->alerts;
    const struct alert_rule *rule = &a->rules.list[index];
    struct error e = {"out of memory"};
    int64_t to = watch_window_end(rule, now), last = a->status[index].last;
    if (to == last || (to < last && last - to <= rule->interval))
        return;
    pthread_mutex_lock(&a->lock);
    a->status[index].last = to;
    *a->status[index].problem = 0;
    pthread_mutex_unlock(&a->lock);
    if (*rule->each ? add_values(r, index, to, &e) : add_due(r, index, NULL, to))
        note_failure(a, index, &e);
}

/* Orders rules by the data that they read, so that rules about the same samples follow each other. */
static int compare_due(const void *left, const void *right, void *context)
{
    const struct due *x = left, *y = right;
    const struct alert_rules *rules = context;
    const struct alert_rule *a = &rules->list[x->rule], *b = &rules->list[y->rule];
    int by = strcmp(a->select, b->select);
    by = by ? by : strcmp(x->value ? x->value : "", y->value ? y->value : "");
    by = by ? by : strcmp(a->type, b->type);
    by = by ? by : (x->to > y->to) - (x->to < y->to);
    by = by ? by : (a->window > b->window) - (a->window < b->window);
    return by ? by : (x->rule > y->rule) - (x->rule < y->rule);
}

/* ---- evaluating ---- */

static bool is_keeper(struct alerts *a)
{
    pthread_mutex_lock(&a->lock);
    bool is = alerts_is_keeper(a);
    pthread_mutex_unlock(&a->lock);
    return is;
}

static void tell_change(struct alerts *a, const struct alert_rule *rule, const char *value, enum alert_state state)
{
    char text[400];
    snprintf(text, sizeof text, "alert %s%s%s%s%.200s: %s", rule->name, value ? " " : "", value ? rule->each : "", value ? "=" : "",
             value ? value : "", alert_states[state]);
    a->tell(text);
}

static void apply(struct alerts *a, const struct due *d, const struct alert_figure *figure)
{
    const struct alert_rule *rule = &a->rules.list[d->rule];
    pthread_mutex_lock(&a->lock);
    struct alert *alert = table_get(&a->table, rule->name, d->value);
    bool silent = silences_find(&a->silences, rule->name, d->value, (int64_t)(clock_realtime_ns() / NS_PER_S));
    bool changed = alert && verdict(alert, rule, figure, d->to, rule->interval, silent);
    enum alert_state state = alert ? alert->state : ALERT_INACTIVE;
    a->counts.fired += changed && state == ALERT_FIRING;
    a->counts.resolved += changed && state == ALERT_RESOLVED;
    pthread_mutex_unlock(&a->lock);
    if (changed && (state == ALERT_FIRING || state == ALERT_RESOLVED))
        tell_change(a, rule, d->value, state);
    if (changed && state == ALERT_FIRING)
        action_do(a, rule, d->value, d->to);
}

static void evaluate(struct round *r)
{
    struct alerts *a = r->alerts;
    struct alert_samples samples = {.store = a->server->store, .patterns = a->patterns};
    struct alert_figure figure;
    struct error e;
    for (uint32_t i = 0; i < r->count && is_keeper(a) && !store_is_over(a->server->store, &(struct store_query){0}, &e); i++) {
        const struct due *d = &r->list[i];
        samples.until_ns = clock_monotonic_ns() + ROUND_S * NS_PER_S;
        if (sources_evaluate(&samples, &a->rules.list[d->rule], d->value, d->to, &figure, &e))
            note_failure(a, d->rule, &e);
        else
            apply(a, d, &figure);
    }
    pthread_mutex_lock(&a->lock);
    a->counts.reads += samples.reads;
    a->counts.evaluations += r->count;
    pthread_mutex_unlock(&a->lock);
    samples_deinit(&samples);
}

/* Forgets alerts of values that have gone, such as services that no longer exist. */
static void forget_old(struct alerts *a)
{
    struct alert_table *t = &a->table;
    uint32_t kept = 0;
    int64_t now = (int64_t)(clock_realtime_ns() / NS_PER_S);
    pthread_mutex_lock(&a->lock);
    for (uint32_t i = 0; i < t->count; i++) {
        const struct alert *one = &t->list[i];
        bool idle = one->value && (one->state == ALERT_INACTIVE || one->state == ALERT_RESOLVED);
        const struct alert_rule *rule = idle && now - one->at > KEEP_S ? rules_find(&a->rules, one->rule) : NULL;
        if (rule && watch_window_end(rule, now) - one->at > KEEP_S)
            free(one->value);
        else
            t->list[kept++] = *one;
    }
    t->count = kept;
    pthread_mutex_unlock(&a->lock);
}

static void evaluate_due(struct alerts *a)
{
    uint64_t begun = clock_monotonic_ns();
    struct round r = {.alerts = a};
    int64_t now = (int64_t)(clock_realtime_ns() / NS_PER_S);
    for (uint32_t i = 0; i < a->rules.count; i++)
        add_rule(&r, i, now);
    if (r.count) {
        qsort_r(r.list, r.count, sizeof *r.list, compare_due, &a->rules);
        evaluate(&r);
        forget_old(a);
        alerts_save(a);
        pthread_mutex_lock(&a->lock);
        a->counts.ns += clock_monotonic_ns() - begun;
        pthread_cond_broadcast(&a->wake);
        pthread_mutex_unlock(&a->lock);
    }
    for (uint32_t i = 0; i < r.count; i++)
        free(r.list[i].value);
    free(r.list);
}

void *watch_run(void *alerts)
{
    struct alerts *a = alerts;
    pthread_mutex_lock(&a->lock);
    while (!a->stopping) {
        pthread_mutex_unlock(&a->lock);
        uint32_t generation = a->generation;
        read_again(a);
        alerts_take_over(a);
        if (!patterns_tidy(a->patterns, generation != a->generation) && is_keeper(a))
            evaluate_due(a);
        pthread_mutex_lock(&a->lock);
        alerts_wait(a);
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}
