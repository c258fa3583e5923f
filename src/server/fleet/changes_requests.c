/* The cost of a request on each side of /v1/changes, if the recordings count requests: the key metric `requests`, or, if a side is limited
 * to endpoints, the rows that count requests. Hosts that are on both sides are compared with themselves. */
#include "base/time_units.h"
#include "server/fleet/changes_parts.h"
#include "server/metrics/cost.h"
#include "store/query/metrics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct host {
    double requests[2], known_ns[2], covered_ns[2]; /* by enum changes_side */
};

struct tally {
    struct fleet_changes *f;
    enum changes_side side;
    struct store_metrics metrics;
    struct host *hosts; /* by place in changes.hosts */
};

/* Returns the part of the minute's requests that is within the side's time: at its ends, as much as of the time that is recorded. */
static double part_of(const struct store_minute *m, const struct fleet_side *side)
{
    int64_t begin = m->minute * KEY_MINUTE_S, end = begin + KEY_MINUTE_S;
    begin = begin > side->from ? begin : side->from;
    end = end < side->to ? end : side->to;
    return fmin(1, (double)(end - begin) * NS_PER_S / store_minute_time(m, KEY_REQUESTS));
}

static struct host *host_of(const struct tally *t, const struct strtab *values, uint32_t value)
{
    const struct changes *c = &t->f->changes;
    uint32_t len = strtab_len(values, value), name = strtab_find(&c->names, strtab_text(values, value), len);
    const uint32_t *place = len && !name ? NULL : map_find(&c->host_of, name);
    return place ? &t->hosts[*place] : NULL;
}

static bool is_of_samples(const struct tally *t)
{
    return selector_is_of_samples(&t->f->sides[t->side].selector);
}

static int take_minute(void *context, const struct store_minute *m)
{
    struct tally *t = context;
    struct host *h = host_of(t, &t->metrics.values, m->value);
    if (!h)
        return 0;
    h->covered_ns[t->side] += (double)m->covered_ns;
    if (m->known & key_metric_bit(KEY_REQUESTS)) {
        h->requests[t->side] += is_of_samples(t) ? 0 : m->of[KEY_REQUESTS].amount * part_of(m, &t->f->sides[t->side]);
        h->known_ns[t->side] += m->of[KEY_REQUESTS].covered_ns;
    }
    return 0;
}

/* Adds the requests to the endpoints that the side selects. */
static int count_rows(struct tally *t, struct store_query q, struct error *e)
{
    struct store_label_sums sums;
    struct store_result result = {0};
    q.type = COST_REQUESTS;
    int rc = store_label_sums(t->f->http->server->store, &q, "host", &sums, &result, e);
    for (uint32_t i = 0; !rc && i < sums.count; i++) {
        struct host *h = host_of(t, &sums.values, sums.list[i].value);
        if (h)
            h->requests[t->side] += (double)sums.list[i].weight;
    }
    store_label_sums_deinit(&sums);
    store_result_deinit(&result);
    return rc;
}

static int count_requests(struct tally *t, struct error *e)
{
    static const uint64_t wanted = (uint64_t)1 << KEY_CPU | (uint64_t)1 << KEY_REQUESTS;
    int rc = 0;
    for (t->side = CHANGES_BEFORE; !rc && t->side <= CHANGES_AFTER; t->side++) {
        struct store_query q = t->f->query.q;
        q.selector = &t->f->sides[t->side].selector;
        q.from = t->f->sides[t->side].from;
        q.to = t->f->sides[t->side].to;
        rc = store_metrics(t->f->http->server->store, &q, wanted, "host", take_minute, t, &t->metrics, e);
        store_metrics_deinit(&t->metrics);
        rc = rc || !is_of_samples(t) ? rc : count_rows(t, q, e);
    }
    return rc;
}

/* Whether the host is on that side, and counts requests there. */
static bool counts(const struct tally *t, uint32_t host, enum changes_side side)
{
    const struct host *h = &t->hosts[host];
    return t->f->changes.hosts[host].weight[side] > 0 && h->requests[side] > 0 && cost_is_known(h->known_ns[side], h->covered_ns[side]);
}

static bool is_used(const struct tally *t, uint32_t host, enum changes_side side)
{
    const struct changes *c = &t->f->changes;
    return c->hosts[host].compared && counts(t, host, side) && (c->design == CHANGES_APART || counts(t, host, !side));
}

/* What the used hosts of a side have, and the squares of their deviations. */
struct sums {
    double weight, draws, requests, squares;
    uint32_t hosts;
};

static void sum_side(const struct tally *t, enum changes_side side, struct sums *s)
{
    *s = (struct sums){0};
    for (uint32_t i = 0; i < t->f->changes.host_count; i++) {
        if (!is_used(t, i, side))
            continue;
        s->weight += t->f->changes.hosts[i].weight[side];
        s->draws += t->f->changes.hosts[i].squares[side];
        s->requests += t->hosts[i].requests[side];
        s->hosts++;
    }
}

/* How far a host is from the cost of its side, as a part of the side. */
static double deviation(const struct tally *t, uint32_t host, enum changes_side side, const struct sums *s)
{
    return is_used(t, host, side) ? t->f->changes.hosts[host].weight[side] / s->weight - t->hosts[host].requests[side] / s->requests : 0;
}

static void compare_costs(const struct tally *t, struct sums sums[2], struct fleet_requests *out)
{
    double squares = 0, draws[2];
    for (uint32_t i = 0; i < t->f->changes.host_count; i++) {
        double d[2];
        for (int side = 0; side < 2; side++) {
            d[side] = deviation(t, i, side, &sums[side]);
            sums[side].squares += d[side] * d[side];
        }
        squares += (d[1] - d[0]) * (d[1] - d[0]);
    }
    for (int side = 0; side < 2; side++) {
        struct fleet_side *of = &t->f->sides[side];
        const struct sums *s = &sums[side];
        draws[side] = s->draws / (s->weight * s->weight);
        out->hosts[side] = s->hosts;
        out->cost[side] = cost_estimate(s->weight / s->requests / fleet_unit(of), draws[side], s->squares, s->hosts);
        of->requests = fleet_per_second(of, (double)of->result.weight) / out->cost[side].value;
    }
    uint32_t fewer = sums[0].hosts < sums[1].hosts ? sums[0].hosts : sums[1].hosts;
    out->change = cost_estimate(out->cost[1].value / out->cost[0].value, draws[0] + draws[1], squares, fewer);
    out->known = true;
}

int changes_requests(struct fleet_changes *f, struct error *e)
{
    struct tally t = {.f = f};
    struct sums sums[2];
    for (enum changes_side side = CHANGES_BEFORE; side <= CHANGES_AFTER; side++)
        if (!cost_is_possible(&f->sides[side].selector, NULL))
            return 0;
    t.hosts = calloc((size_t)f->changes.host_count + 1, sizeof *t.hosts);
    int rc = t.hosts ? count_requests(&t, e) : error_set(e, -ENOMEM, "out of memory");
    for (enum changes_side side = CHANGES_BEFORE; !rc && side <= CHANGES_AFTER; side++)
        sum_side(&t, side, &sums[side]);
    if (!rc && sums[CHANGES_BEFORE].hosts && sums[CHANGES_AFTER].hosts)
        compare_costs(&t, sums, &f->requests);
    free(t.hosts);
    return rc;
}
