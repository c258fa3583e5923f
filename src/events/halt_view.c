#include "events/halt_view.h"

#include "base/array.h"

#include <string.h>

/* ---- rows ---- */

uint64_t halt_overlap(const struct halt_view *v, const struct halt *one)
{
    int64_t from = one->start_ns > v->from_ns ? one->start_ns : v->from_ns;
    int64_t to = halt_end(one) < v->to_ns ? halt_end(one) : v->to_ns;
    return to > from ? (uint64_t)(to - from) : 0;
}

static bool is_in(const struct halt_view *v, const struct halt *one)
{
    return one->ns ? halt_overlap(v, one) > 0 : one->start_ns >= v->from_ns && one->start_ns < v->to_ns;
}

static bool is_wanted(const struct halt_view *v, const struct halt *one, const struct regex *thread)
{
    bool of_one = halt_scope(one) == HALT_OF_THREAD || halt_scope(one) == HALT_OF_MOMENT;
    return is_in(v, one) && !(thread && of_one && !regex_matches(thread, halts_text(v->h, one->thread)));
}

static int find_rows(struct halt_view *v, const struct regex *thread)
{
    for (uint32_t i = 0; i < v->h->count; i++) {
        if (!is_wanted(v, &v->h->list[i], thread))
            continue;
        if (ARRAY_GROW(v->rows, v->cap, v->count))
            return -ENOMEM;
        v->rows[v->count++] = i;
    }
    return 0;
}

/* ---- sums ---- */

static int by_kind_and_duration(const void *left, const void *right, void *context)
{
    const struct halt *list = context, *a = &list[*(const uint32_t *)left], *b = &list[*(const uint32_t *)right];
    if (a->kind != b->kind)
        return (int)a->kind - (int)b->kind;
    return (a->ns > b->ns) - (a->ns < b->ns);
}

/* Returns the percentile: the duration that `permille` thousandths of n halts do not exceed. */
static uint64_t rank(const struct halt_view *v, const uint32_t *sorted, uint32_t n, uint64_t permille)
{
    uint64_t at = (n * permille + 999) / 1000;
    return v->h->list[sorted[at ? at - 1 : 0]].ns;
}

static void sum_kind(struct halt_view *v, const uint32_t *sorted, uint32_t n)
{
    enum halt_kind kind = (enum halt_kind)v->h->list[sorted[0]].kind;
    struct halt_sums *s = &v->kinds[kind];
    for (uint32_t i = 0; i < n; i++) {
        s->count += v->h->list[sorted[i]].count;
        s->by_agent += v->h->list[sorted[i]].told_by_agent ? v->h->list[sorted[i]].count : 0;
        s->total_ns += halt_overlap(v, &v->h->list[sorted[i]]);
    }
    if (kind == HALT_SAFEPOINTS_COUNTED) /* the duration of each single one is unknown */
        return;
    s->p50_ns = rank(v, sorted, n, 500);
    s->p90_ns = rank(v, sorted, n, 900);
    s->p99_ns = rank(v, sorted, n, 990);
    s->max_ns = v->h->list[sorted[n - 1]].ns;
}

static void sum_kinds(struct halt_view *v, uint32_t *sorted)
{
    qsort_r(sorted, v->count, sizeof *sorted, by_kind_and_duration, v->h->list);
    for (uint32_t i = 0, n; i < v->count; i += n) {
        for (n = 1; i + n < v->count && v->h->list[sorted[i + n]].kind == v->h->list[sorted[i]].kind; n++)
            ;
        sum_kind(v, sorted + i, n);
    }
}

/* ---- causes ---- */

/* Returns the site that is part of a halt's cause. Only halts without a duration have one: waits for the same thing are one row, wherever
 * they happen. */
static uint32_t site_of_cause(const struct halt *one)
{
    return halt_scope(one) == HALT_OF_MOMENT ? one->site : 0;
}

static int by_cause(const void *left, const void *right, void *context)
{
    const struct halt *list = context, *a = &list[*(const uint32_t *)left], *b = &list[*(const uint32_t *)right];
    uint32_t site_a = site_of_cause(a), site_b = site_of_cause(b);
    if (a->kind != b->kind)
        return (int)a->kind - (int)b->kind;
    if (a->what != b->what)
        return a->what < b->what ? -1 : 1;
    return (site_a > site_b) - (site_a < site_b);
}

static int largest_first(const void *left, const void *right)
{
    const struct halt_cause *a = left, *b = right;
    if (a->kind != b->kind)
        return (int)a->kind - (int)b->kind;
    if (a->total_ns != b->total_ns)
        return a->total_ns > b->total_ns ? -1 : 1;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return (a->what > b->what) - (a->what < b->what);
}

static int sum_causes(struct halt_view *v, uint32_t *sorted)
{
    struct halt *list = v->h->list;
    qsort_r(sorted, v->count, sizeof *sorted, by_cause, list);
    for (uint32_t i = 0; i < v->count; i++) {
        const struct halt *one = &list[sorted[i]];
        if (!i || by_cause(&sorted[i - 1], &sorted[i], list)) {
            if (ARRAY_GROW(v->causes, v->cause_cap, v->cause_count))
                return -ENOMEM;
            v->causes[v->cause_count++] =
                (struct halt_cause){.kind = (enum halt_kind)one->kind, .what = one->what, .site = site_of_cause(one)};
        }
        struct halt_cause *c = &v->causes[v->cause_count - 1];
        c->count += one->count;
        c->total_ns += halt_overlap(v, one);
        if (one->ns > c->max_ns)
            c->max_ns = one->ns;
    }
    if (v->cause_count)
        qsort(v->causes, v->cause_count, sizeof *v->causes, largest_first);
    return 0;
}

/* ---- explained time ---- */

struct step { /* the beginning or the end of a halt */
    int64_t ns;
    int change;      /* 1 or -1 */
    uint32_t thread; /* the thread, if the halt is one of a single thread */
    bool all;
};

static int steps_by_time(const void *left, const void *right)
{
    const struct step *a = left, *b = right;
    return (a->ns > b->ns) - (a->ns < b->ns);
}

static uint32_t make_steps(const struct halt_view *v, struct step *steps)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < v->count; i++) {
        const struct halt *one = &v->h->list[v->rows[i]];
        enum halt_scope scope = halt_scope(one);
        uint64_t ns = halt_overlap(v, one);
        int64_t from = one->start_ns > v->from_ns ? one->start_ns : v->from_ns;
        if (!ns || (scope != HALT_OF_ALL && scope != HALT_OF_THREAD))
            continue;
        steps[n++] = (struct step){from, 1, one->thread, scope == HALT_OF_ALL};
        steps[n++] = (struct step){from + (int64_t)ns, -1, one->thread, scope == HALT_OF_ALL};
    }
    if (n)
        qsort(steps, n, sizeof *steps, steps_by_time);
    return n;
}

/* The number of halts at a moment, within each other or not. */
struct depths {
    int *of_thread; /* by thread name */
    bool *known;
    int64_t all;
    uint32_t waiting; /* number of threads with at least one halt */
};

static void take_step(struct depths *d, const struct step *s)
{
    if (s->all) {
        d->all += s->change;
        return;
    }
    int before = d->of_thread[s->thread], after = before + s->change;
    d->of_thread[s->thread] = after;
    d->waiting += (uint32_t)(after > 0) - (uint32_t)(before > 0);
}

static void take_time(struct halt_view *v, const struct depths *d, uint64_t ns)
{
    *(d->all > 0 ? &v->stopped_ns : d->waiting ? &v->waited_ns : &v->unexplained_ns) += ns;
    if (!ns || d->all > 0)
        return;
    if (d->waiting && d->waiting == v->threads)
        v->all_waited_ns += ns;
    if (d->waiting > v->most_waiting)
        v->most_waiting = d->waiting;
}

static uint32_t count_threads(struct depths *d, const struct step *steps, uint32_t n)
{
    uint32_t threads = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!steps[i].all && !d->known[steps[i].thread]) {
            d->known[steps[i].thread] = true;
            threads++;
        }
    return threads;
}

static int split_time(struct halt_view *v)
{
    struct step *steps = calloc(2 * (size_t)v->count + 1, sizeof *steps);
    struct depths d = {.of_thread = calloc(v->h->strings.count, sizeof *d.of_thread),
                       .known = calloc(v->h->strings.count, sizeof *d.known)};
    int rc = steps && d.of_thread && d.known ? 0 : -ENOMEM;
    uint32_t n = rc ? 0 : make_steps(v, steps);
    int64_t at = v->from_ns;
    if (!rc)
        v->threads = count_threads(&d, steps, n);
    for (uint32_t i = 0; i < n; i++) {
        take_time(v, &d, (uint64_t)(steps[i].ns - at));
        take_step(&d, &steps[i]);
        at = steps[i].ns;
    }
    v->unexplained_ns += (uint64_t)(v->to_ns - at);
    free(steps);
    free(d.of_thread);
    free(d.known);
    return rc;
}

/* ---- the view ---- */

int halt_view_make(struct halt_view *v, const struct halts *h, int64_t from_ns, int64_t to_ns, const struct regex *thread)
{
    *v = (struct halt_view){.h = h, .from_ns = from_ns, .to_ns = to_ns};
    int rc = find_rows(v, thread);
    uint32_t *sorted = rc ? NULL : malloc(((size_t)v->count + 1) * sizeof *sorted);
    if (!sorted)
        return -ENOMEM;
    if (v->count) {
        memcpy(sorted, v->rows, v->count * sizeof *sorted);
        sum_kinds(v, sorted);
        rc = sum_causes(v, sorted);
    }
    free(sorted);
    return rc ? rc : split_time(v);
}

void halt_view_deinit(struct halt_view *v)
{
    free(v->rows);
    free(v->causes);
    *v = (struct halt_view){0};
}

/* ---- the longest ---- */

static int by_overlap(const void *left, const void *right, void *context)
{
    const struct halt_view *v = context;
    uint32_t i = *(const uint32_t *)left, k = *(const uint32_t *)right;
    uint64_t a = halt_overlap(v, &v->h->list[i]), b = halt_overlap(v, &v->h->list[k]);
    if (a != b)
        return a > b ? -1 : 1;
    return (i > k) - (i < k);
}

static int by_place(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

int64_t halt_view_longest(const struct halt_view *v, enum halt_scope scope, uint32_t top, uint32_t **out)
{
    uint32_t n = 0;
    *out = malloc(((size_t)v->count + 1) * sizeof **out);
    if (!*out)
        return -ENOMEM;
    for (uint32_t i = 0; i < v->count; i++)
        if (halt_scope(&v->h->list[v->rows[i]]) == scope)
            (*out)[n++] = v->rows[i];
    if (!top || n <= top)
        return n;
    qsort_r(*out, n, sizeof **out, by_overlap, (void *)(uintptr_t)v);
    qsort(*out, top, sizeof **out, by_place);
    return top;
}
