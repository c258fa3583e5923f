#include "server/metrics/cost.h"

#include "base/array.h"
#include "profile/figures/significance.h"
#include "store/files/contexts.h"
#include "store/query/metrics.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double least_known = 0.9; /* a host counts if at least this part of its recorded time has the metric */
static const char separators[] = {STORE_BY_SEPARATOR, 0};
static const char host_and_service[] = {'h', 'o', 's', 't', STORE_BY_SEPARATOR, 's', 'e', 'r', 'v', 'i', 'c', 'e', 0};

bool cost_is_of_requests(const char *type)
{
    return !strcmp(type, COST_REQUESTS);
}

bool cost_is_possible(const struct selector *s, const char *by)
{
    char name[LABEL_NAME_MAX + 1];
    if (s && selector_is_of_other_labels(s))
        return false;
    while (by && *by) {
        size_t len = strcspn(by, separators);
        snprintf(name, sizeof name, "%.*s", (int)len, by);
        const char *label = selector_sample_label(name);
        if (label && strcmp(label, CONTEXT_ENDPOINT) != 0)
            return false;
        by += len + (by[len] != 0);
    }
    return true;
}

bool cost_is_known(double known_ns, double covered_ns)
{
    return known_ns > 0 && known_ns >= least_known * covered_ns;
}

struct fleet_estimate cost_estimate(double ratio, double draws, double squares, uint32_t hosts)
{
    double reach = significance_normal(0.025) * sqrt(draws);
    if (hosts > 1)
        reach = fmax(reach, significance_student(0.025, hosts - 1) * sqrt(squares * hosts / (hosts - 1)));
    return (struct fleet_estimate){ratio, ratio * exp(-reach), ratio * exp(reach)};
}

void cost_put(struct jsonw *j, const struct fleet_estimate *of)
{
    jsonw_member_number(j, "value", of->value);
    jsonw_member_number(j, "low", of->low);
    jsonw_member_number(j, "high", of->high);
}

/* ---- hosts ---- */

struct finding {
    struct costs *costs;
    struct store_metrics metrics;
};

static int take_minute(void *context, const struct store_minute *m)
{
    struct finding *f = context;
    struct costs *c = f->costs;
    uint32_t len = strtab_len(&f->metrics.values, m->value), before = c->times_cap;
    uint32_t host = strtab_add(&c->hosts, strtab_text(&f->metrics.values, m->value), len);
    if (!host && len)
        return -ENOMEM;
    while (c->times_cap <= host)
        if (ARRAY_GROW(c->times, c->times_cap, c->times_cap))
            return -ENOMEM;
    memset(c->times + before, 0, (c->times_cap - before) * sizeof *c->times);
    c->times[host].covered_ns += (double)m->covered_ns;
    if (m->known & key_metric_bit(KEY_REQUESTS))
        c->times[host].known_ns += m->of[KEY_REQUESTS].covered_ns;
    return 0;
}

static int find_hosts(struct costs *c, struct store *s, const struct store_query *q, struct error *e)
{
    static const uint64_t wanted = (uint64_t)1 << KEY_CPU | (uint64_t)1 << KEY_REQUESTS;
    struct finding f = {.costs = c};
    int rc = store_metrics(s, q, wanted, host_and_service, take_minute, &f, &f.metrics, e);
    store_metrics_deinit(&f.metrics);
    return rc;
}

/* Splits a value "HOST SERVICE ..." into the host, which is both, and the group, which begins with the service. Returns false if the host
 * does not count. */
static bool find_host(const struct costs *c, const char *value, uint32_t *host, const char **group)
{
    size_t len = strcspn(value, separators);
    *group = value[len] ? value + len + 1 : "";
    len += value[len] ? 1 + strcspn(*group, separators) : 0;
    *host = strtab_find(&c->hosts, value, len);
    return *host && cost_is_known(c->times[*host].known_ns, c->times[*host].covered_ns);
}

/* ---- requests ---- */

static int add_requests(struct costs *c, const struct store_label_sums *sums)
{
    const char *text;
    uint32_t host;
    bool added;
    c->by_group = calloc((size_t)sums->count + 1, sizeof *c->by_group);
    for (uint32_t i = 0; c->by_group && i < sums->count; i++) {
        if (!find_host(c, strtab_text(&sums->values, sums->list[i].value), &host, &text))
            continue;
        uint32_t group = strtab_add_text(&c->groups, text);
        uint32_t *place = map_add(&c->requests, (uint64_t)group << 32 | host, &added);
        if (!group || !place || ARRAY_GROW(c->counts, c->count_cap, c->count))
            return -ENOMEM;
        *place = c->count;
        c->counts[c->count++] = (double)sums->list[i].weight;
        c->by_group[group].requests += (double)sums->list[i].weight;
        c->by_group[group].hosts++;
    }
    return c->by_group ? 0 : -ENOMEM;
}

/* Returns the host's part of the requests to the group. */
static double part_of(const struct costs *c, uint32_t group, uint32_t host)
{
    const uint32_t *place = map_find(&c->requests, (uint64_t)group << 32 | host);
    return place ? c->counts[*place] / c->by_group[group].requests : 0;
}

static void square_requests(struct costs *c, const struct store_label_sums *sums)
{
    const char *text;
    uint32_t host;
    for (uint32_t i = 0; i < sums->count; i++)
        if (find_host(c, strtab_text(&sums->values, sums->list[i].value), &host, &text)) {
            uint32_t group = strtab_find(&c->groups, text, strlen(text));
            double part = part_of(c, group, host);
            c->by_group[group].squares += part * part;
        }
}

/* ---- weights ---- */

/* Finds the cell of a sum, if its host and its group have requests. Returns 0 or -ENOMEM. *cell: NULL = it has none. */
static int find_cell(struct costs *c, const struct store_label_sums *sums, const struct store_label_sum *sum, struct cost_cell **cell,
                     double *part)
{
    const char *text, *type = strtab_text(&sums->types, sum->type);
    uint32_t host, group;
    bool added;
    *cell = NULL;
    if (cost_is_of_requests(type) || !find_host(c, strtab_text(&sums->values, sum->value), &host, &text) ||
        !(group = strtab_find(&c->groups, text, strlen(text))))
        return 0;
    uint32_t known = strtab_add_text(&c->types, type);
    uint32_t *place = map_add(&c->places, (uint64_t)group << 32 | known, &added);
    if (!known || !place || ARRAY_GROW(c->cells, c->cell_cap, c->cell_count))
        return -ENOMEM;
    if (added) {
        *place = c->cell_count++;
        c->cells[*place] = (struct cost_cell){0};
    }
    *cell = &c->cells[*place];
    *part = part_of(c, group, host);
    return 0;
}

static int add_weights(struct costs *c, const struct store_label_sums *sums)
{
    struct cost_cell *cell;
    double part;
    for (uint32_t i = 0; i < sums->count; i++) {
        if (find_cell(c, sums, &sums->list[i], &cell, &part))
            return -ENOMEM;
        if (!cell)
            continue;
        cell->weight += (double)sums->list[i].weight;
        cell->draws += sums->list[i].squares;
        cell->hosts += !(part > 0);
    }
    for (uint32_t i = 0; i < sums->count; i++) {
        if (find_cell(c, sums, &sums->list[i], &cell, &part))
            return -ENOMEM;
        if (!cell || !(cell->weight > 0))
            continue;
        double deviation = (double)sums->list[i].weight / cell->weight - part;
        cell->squares += deviation * deviation - part * part;
    }
    return 0;
}

/* ---- all of it ---- */

int costs_find(struct costs *c, struct store *s, const struct store_query *q, const char *by, struct error *e)
{
    struct store_label_sums requests = {0}, weights = {0};
    struct store_result results[2] = {0};
    struct store_query counted = *q;
    struct buffer names;
    *c = (struct costs){0};
    if (!cost_is_possible(q->selector, by))
        return 0;
    counted.type = COST_REQUESTS;
    buffer_init(&names, 1 << 16);
    buffer_text(&names, "host");
    buffer_u8(&names, STORE_BY_SEPARATOR);
    buffer_put(&names, by, strlen(by) + 1);
    int rc = names.failed || strtab_init(&c->groups) || strtab_init(&c->types) || strtab_init(&c->hosts) ? -ENOMEM : 0;
    if (rc)
        error_set(e, rc, "out of memory");
    rc = rc ? rc : store_label_sums(s, &counted, (const char *)names.data, &requests, &results[0], e);
    if (!rc && requests.count) {
        rc = find_hosts(c, s, q, e);
        if (!rc && add_requests(c, &requests))
            rc = error_set(e, -ENOMEM, "out of memory");
        if (!rc)
            square_requests(c, &requests);
        rc = rc ? rc : store_label_sums(s, q, (const char *)names.data, &weights, &results[1], e);
        if (!rc && add_weights(c, &weights))
            rc = error_set(e, -ENOMEM, "out of memory");
    }
    buffer_deinit(&names);
    store_label_sums_deinit(&requests);
    store_label_sums_deinit(&weights);
    store_result_deinit(&results[0]);
    store_result_deinit(&results[1]);
    return rc;
}

bool costs_of(const struct costs *c, const char *group, const char *type, struct fleet_estimate *out, uint32_t *hosts)
{
    uint32_t of = c->by_group ? strtab_find(&c->groups, group, strlen(group)) : 0;
    const uint32_t *place = of ? map_find(&c->places, (uint64_t)of << 32 | strtab_find(&c->types, type, strlen(type))) : NULL;
    if (!place || !(c->cells[*place].weight > 0))
        return false;
    const struct cost_cell *cell = &c->cells[*place];
    *hosts = c->by_group[of].hosts + cell->hosts;
    *out = cost_estimate(cell->weight / c->by_group[of].requests, cell->draws / (cell->weight * cell->weight),
                         fmax(0, c->by_group[of].squares + cell->squares), *hosts);
    return true;
}

void costs_deinit(struct costs *c)
{
    strtab_deinit(&c->groups);
    strtab_deinit(&c->types);
    strtab_deinit(&c->hosts);
    map_deinit(&c->requests);
    map_deinit(&c->places);
    free(c->times);
    free(c->by_group);
    free(c->counts);
    free(c->cells);
}
