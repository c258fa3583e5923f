/* Compares simulated fleets before and after a change, with the code that the server uses (profile/figures/changes.h), and counts what is
 * found. Prints one line: what was counted, as key=value. bench/changes.py calls it and makes the page.
 *
 *     simulate nothing  KEY=VALUE...      nothing changes: how often is something found nevertheless?
 *     simulate grows    KEY=VALUE...      one function costs more after: is it found, and is it named?
 *     simulate moves    KEY=VALUE...      one function is renamed: is that told from a change?
 *
 *     hosts, functions   of the service, which has them on both sides
 *     trials, seed       how often, and which draws
 *     own, other, load   variation of a function's cost: of a host, and of a host on one side; of a host's load on one side
 *     samples            of a host on one side
 *     share, growth      of the function that grows or moves, of all CPU time
 *     times              in place of samples: so many times as many as the arithmetic asks for
 *
 * A host's cost of a function has a gamma distribution, its samples are Poisson draws. The shares of functions are those of Zipf's law, so
 * that the ten thousandth has a hundred thousandth of the time. */
#include "../../tests/draws.h"

#include "profile/figures/changes.h"
#include "profile/figures/significance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double RARE = 1e-4;
enum { PARTS = 100, FUNCTIONS_MAX = 100000, HOSTS_MAX = 10000 };

struct setting {
    double hosts, functions, trials, seed, own, other, load, samples, share, growth, times;
};

struct counts {
    uint32_t any;                          /* comparisons that find something */
    uint64_t sure, tests;                  /* values, over all comparisons */
    uint32_t found, surest, others, moved; /* of the planted function; others: another function's own time is named */
    uint64_t rare;                         /* p values below RARE; by chance, a share of RARE of all values is */
    double detectable;                     /* the sum of what is said to be detectable */
};

static uint32_t figure_of(struct changes *c, const char *name)
{
    uint32_t figure = 0;
    if (changes_figure(c, name, strlen(name), 0, &figure))
        exit(1);
    return figure;
}

/* The figures of a comparison: functions, each called by one of the parts, which the first method calls. */
struct figures {
    uint32_t first, parts[PARTS], *functions, planted, fresh;
};

static void add_edges(struct changes *c, const struct figures *f, uint32_t functions)
{
    uint32_t edge;
    for (uint32_t i = 0; i < PARTS; i++)
        changes_edge(c, f->parts[i], f->first, &edge);
    for (uint32_t i = 0; i < functions; i++)
        changes_edge(c, f->functions[i], f->parts[i % PARTS], &edge);
    changes_edge(c, f->planted, f->parts[0], &edge);
}

static void name_all(struct changes *c, struct figures *f, uint32_t functions)
{
    char name[32];
    f->first = figure_of(c, "run");
    for (uint32_t i = 0; i < PARTS; i++) {
        snprintf(name, sizeof name, "part%u", i);
        f->parts[i] = figure_of(c, name);
    }
    for (uint32_t i = 0; i < functions; i++) {
        snprintf(name, sizeof name, "f%u", i);
        f->functions[i] = figure_of(c, name);
    }
    f->planted = figure_of(c, "planted");
    f->fresh = CHANGES_NO_FIGURE;
    add_edges(c, f, functions);
}

static void add(struct changes *c, const struct figures *f, uint32_t unit, uint32_t figure, uint32_t part, double n)
{
    if (!(n > 0))
        return;
    changes_weigh(c, unit, n, n);
    changes_add(c, f->first, unit, 0, n, n);
    changes_add(c, f->parts[part], unit, 0, n, n);
    if (changes_add(c, figure, unit, n, n, n))
        exit(1);
}

/* Adds what a host had on one side. own: its effects, by function, and of the planted one at the end. */
static void add_host(struct changes *c, struct figures *f, const struct setting *s, const double *shares, const double *own, uint32_t unit,
                     bool moves)
{
    uint32_t functions = (uint32_t)s->functions, side = c->units[unit].side, edge;
    double load = s->samples * gamma_effect(s->load), cost = s->share + (side && !moves ? s->growth : 0);
    for (uint32_t i = 0; i < functions; i++)
        add(c, f, unit, f->functions[i], i % PARTS, poisson(load * shares[i] * own[i] * gamma_effect(s->other)));
    if (moves && side && f->fresh == CHANGES_NO_FIGURE) {
        f->fresh = figure_of(c, "fresh");
        changes_edge(c, f->fresh, f->parts[0], &edge);
    }
    add(c, f, unit, moves && side ? f->fresh : f->planted, 0, poisson(load * cost * own[functions] * gamma_effect(s->other)));
}

static void simulate(struct changes *c, struct figures *f, const struct setting *s, const double *shares, bool moves)
{
    uint32_t functions = (uint32_t)s->functions, unit;
    double *own = calloc(functions + 1, sizeof *own);
    changes_init(c);
    name_all(c, f, functions);
    for (uint32_t host = 0; own && host < (uint32_t)s->hosts; host++) {
        char name[32];
        snprintf(name, sizeof name, "host-%u", host);
        for (uint32_t i = 0; i <= functions; i++)
            own[i] = gamma_effect(s->own);
        for (uint32_t side = 0; side < 2; side++) {
            changes_unit(c, side, name, "", 0, &unit);
            add_host(c, f, s, shares, own, unit, moves);
        }
    }
    free(own);
}

/* ---- what is found ---- */

static bool is_change(enum changes_verdict v)
{
    return v != CHANGES_UNSURE && v != CHANGES_MOVED;
}

static void count(const struct changes *c, const struct figures *f, const struct setting *s, struct counts *n)
{
    const struct changes_value *v = &c->figures[f->planted].value[CHANGES_SELF];
    struct changes_bounds bounds;
    bool other = false;
    double most = 0;
    for (uint32_t i = 0; i < (uint32_t)s->functions; i++) {
        const struct changes_value *w = &c->figures[f->functions[i]].value[CHANGES_SELF];
        other |= is_change(w->verdict);
        most = fmax(most, fabs(w->deviations));
    }
    changes_bounds(c, f->planted, CHANGES_SELF, &bounds);
    for (uint32_t i = 0; i < 2 * c->figure_count; i++)
        n->rare += c->figures[i / 2].value[i % 2].tested && c->figures[i / 2].value[i % 2].p < RARE;
    n->any += c->sure > 0;
    n->sure += c->sure;
    n->tests += c->tests;
    n->found += v->verdict == CHANGES_DEARER;
    n->surest += fabs(v->deviations) >= most;
    n->others += other;
    n->moved += v->verdict == CHANGES_MOVED && v->partner == f->fresh;
    n->detectable += bounds.detectable;
}

/* ---- the arithmetic ---- */

/* The samples of a host on one side with which four of five comparisons find the growth: that is, with which it is as many standard errors
 * as the level and the power ask for, where the variance of a host's share is that of Poisson draws and that of its effects. 0 = the
 * effects alone are too much, whatever the time. */
static double samples_needed(const struct setting *s)
{
    double tests = 2 * s->functions + PARTS, p = s->share, after = p + s->growth, loads = 1 + s->load * s->load;
    double reach = significance_student(0.01 / (2 * tests), compare_degrees(s->hosts - 1)) + significance_normal(0.2);
    double effects = s->other * s->other * (p * p + after * after) * loads + s->own * s->own * s->growth * s->growth;
    double room = s->growth * s->growth * s->hosts / (reach * reach) - effects;
    return room > 0 ? (p + after) * loads / room : 0;
}

/* ---- the program ---- */

static int read_setting(struct setting *s, char *word)
{
    const struct {
        const char *key;
        double *out, most;
    } keys[] = {{"hosts", &s->hosts, HOSTS_MAX},
                {"functions", &s->functions, FUNCTIONS_MAX},
                {"trials", &s->trials, 1e6},
                {"seed", &s->seed, 1e9},
                {"own", &s->own, 1},
                {"other", &s->other, 1},
                {"load", &s->load, 1},
                {"samples", &s->samples, 1e12},
                {"share", &s->share, 0.5},
                {"growth", &s->growth, 0.5},
                {"times", &s->times, 1e3}};
    char *value = strchr(word, '='), *end;
    if (value)
        *value++ = 0;
    for (size_t i = 0; value && i < sizeof keys / sizeof *keys; i++)
        if (!strcmp(keys[i].key, word)) {
            *keys[i].out = strtod(value, &end);
            return *end || !(*keys[i].out >= 0) || *keys[i].out > keys[i].most;
        }
    return -1;
}

static double *zipf(const struct setting *s)
{
    uint32_t n = (uint32_t)s->functions;
    double *shares = calloc(n + 1, sizeof *shares), sum = 0;
    for (uint32_t i = 0; shares && i < n; i++)
        sum += shares[i] = 1.0 / (i + 2);
    for (uint32_t i = 0; shares && i < n; i++)
        shares[i] *= (1 - s->share) / sum;
    return shares;
}

static int run(const char *kind, const struct setting *s)
{
    struct counts n = {0};
    struct figures f = {.functions = calloc((size_t)s->functions + 1, sizeof *f.functions)};
    double *shares = zipf(s);
    int rc = f.functions && shares ? 0 : 1;
    draws_state = 88172645463325252ULL + (uint64_t)s->seed * 0x9e3779b97f4a7c15ULL;
    for (uint32_t i = 0; !rc && i < (uint32_t)s->trials; i++) {
        struct changes c;
        simulate(&c, &f, s, shares, !strcmp(kind, "moves"));
        rc = changes_compute(&c);
        count(&c, &f, s, &n);
        changes_deinit(&c);
    }
    printf("samples=%.0f any=%u sure=%llu tests=%llu rare=%llu found=%u surest=%u others=%u moved=%u detectable=%.9f\n", s->samples, n.any,
           (unsigned long long)n.sure, (unsigned long long)n.tests, (unsigned long long)n.rare, n.found, n.surest, n.others, n.moved,
           n.detectable / s->trials);
    free(f.functions);
    free(shares);
    return rc;
}

int main(int argc, char **argv)
{
    struct setting s = {.hosts = 100, .functions = 10000, .trials = 1, .own = 0.2, .other = 0.03, .load = 0.3, .samples = 1e5};
    const char *kind = argc > 1 ? argv[1] : "";
    bool good = !strcmp(kind, "nothing") || !strcmp(kind, "grows") || !strcmp(kind, "moves");
    for (int i = 2; good && i < argc; i++)
        good = !read_setting(&s, argv[i]);
    if (!good) {
        fprintf(stderr, "usage: simulate nothing|grows|moves KEY=VALUE...; the source says which keys\n");
        return 2;
    }
    if (s.times > 0 && !(s.samples = s.times * samples_needed(&s))) {
        fprintf(stderr, "hosts differ too much: no time is enough\n");
        return 1;
    }
    return run(kind, &s);
}
