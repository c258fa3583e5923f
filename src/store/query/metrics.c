#include "store/query/metrics.h"

#include "base/time_units.h"
#include "store/query/choice.h"
#include "store/store_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MINUTES_PER_HOUR = 60 };

#define MINUTE_NS ((double)KEY_MINUTE_S * NS_PER_S)

/* ---- values ---- */

double store_minute_time(const struct store_minute *m, enum key_metric metric)
{
    double covered = m->of[metric].covered_ns;
    return covered < MINUTE_NS ? covered : MINUTE_NS;
}

double store_minute_base(const struct store_minute *m, enum key_metric metric)
{
    enum key_metric base = key_metric_rows[metric].base;
    if (base == KEY_TIME)
        return m->of[metric].covered_ns;
    return m->known & key_metric_bit(base) ? m->of[base].amount : 0;
}

bool store_minute_value(const struct store_minute *m, enum key_metric metric, double *value)
{
    const struct key_metric_row *row = &key_metric_rows[metric];
    double over = row->sort == KEY_SORT_LONGEST ? 1
                  : row->sort == KEY_SORT_SHARE ? store_minute_base(m, metric)
                                                : store_minute_time(m, metric);
    if (!(m->known & key_metric_bit(metric)) || !(over > 0))
        return false;
    *value = m->of[metric].amount / over / key_unit_rows[row->unit].size;
    return true;
}

/* ---- from recordings to JVMs ---- */

struct joining {
    const struct map *labelsets;
    store_visit_minute *visit;
    void *context;
    struct minute_slot {
        struct store_minute sum;
        uint64_t most_ns; /* what the recording in `sum` covers */
        bool used;
    } slots[MINUTES_PER_HOUR];
    int64_t hour; /* of the minutes in `slots` */
    uint64_t labelset;
    bool any;
};

static bool is_selected(void *context, uint64_t labelset)
{
    const struct joining *j = context;
    return map_find(j->labelsets, labelset) != NULL;
}

static int flush(struct joining *j)
{
    int rc = 0;
    for (int i = 0; j->any && !rc && i < MINUTES_PER_HOUR; i++) {
        if (j->slots[i].used)
            rc = j->visit(j->context, &j->slots[i].sum);
        j->slots[i].used = false;
    }
    j->any = false;
    return rc;
}

static void add_amount(struct store_minute *to, enum key_metric metric, int64_t amount, uint64_t covered_ns)
{
    struct store_amount *sum = &to->of[metric];
    double time = (double)covered_ns, one = (double)amount;
    if (!(to->known & key_metric_bit(metric)))
        *sum = (struct store_amount){0};
    sum->covered_ns += time;
    if (key_metric_rows[metric].sort == KEY_SORT_LONGEST)
        sum->amount = one > sum->amount ? one : sum->amount;
    else
        sum->amount += key_metric_rows[metric].sort == KEY_SORT_LEVEL ? one * time : one;
}

static int take_minute(void *context, const struct catalogue_metric_hit *hit)
{
    struct joining *j = context;
    const struct key_minute *m = &hit->minute;
    int64_t hour = m->minute / MINUTES_PER_HOUR - (m->minute % MINUTES_PER_HOUR < 0);
    int rc = hour != j->hour || hit->labelset != j->labelset ? flush(j) : 0;
    if (rc)
        return rc;
    j->hour = hour;
    j->labelset = hit->labelset;
    j->any = true;
    struct minute_slot *slot = &j->slots[m->minute - hour * MINUTES_PER_HOUR];
    if (!slot->used) {
        slot->used = true;
        slot->most_ns = 0;
        slot->sum.labelset = hit->labelset;
        slot->sum.value = *map_find(j->labelsets, hit->labelset) - 1;
        slot->sum.minute = m->minute;
        slot->sum.covered_ns = slot->sum.known = 0;
    }
    if (m->covered_ns >= slot->most_ns) {
        slot->most_ns = m->covered_ns;
        slot->sum.recording = hit->recording;
    }
    slot->sum.covered_ns += m->covered_ns;
    for (uint64_t left = m->known; left; left &= left - 1) {
        enum key_metric metric = (enum key_metric)__builtin_ctzll(left);
        add_amount(&slot->sum, metric, m->amounts[metric], m->covered_ns);
        slot->sum.known |= key_metric_bit(metric);
    }
    return 0;
}

static uint64_t with_bases(uint64_t wanted)
{
    for (int metric = 0; metric < KEY_METRICS; metric++)
        if (wanted & key_metric_bit((enum key_metric)metric) && key_metric_rows[metric].base != KEY_TIME)
            wanted |= key_metric_bit(key_metric_rows[metric].base);
    return wanted;
}

/* ---- recordings without metrics ---- */

struct counting {
    const struct map *labelsets;
    uint64_t recordings;
};

static int count_unmeasured(void *context, uint64_t labelset, uint64_t recordings)
{
    struct counting *n = context;
    if (map_find(n->labelsets, labelset))
        n->recordings += recordings;
    return 0;
}

int store_metrics(struct store *s, const struct store_query *q, uint64_t wanted, const char *by, store_visit_minute *visit, void *context,
                  struct store_metrics *out, struct error *e)
{
    struct map labelsets = {0};
    struct store_asking asking = {s, q};
    struct catalogue_patience patience = store_patience(&asking);
    struct counting unmeasured = {.labelsets = &labelsets};
    struct joining *j = calloc(1, sizeof *j);
    *out = (struct store_metrics){0};
    int rc = !j || strtab_init(&out->values) ? error_set(e, -ENOMEM, "out of memory") : 0;
    rc = rc ? rc : choice_labels(s, q, by, &labelsets, &out->values, e);
    if (!rc) {
        j->labelsets = &labelsets;
        j->visit = visit;
        j->context = context;
        const struct catalogue_metric_visitor visitor = {is_selected, take_minute, j, with_bases(wanted)};
        int64_t from = q->from / KEY_MINUTE_S, to = (q->to + KEY_MINUTE_S - 1) / KEY_MINUTE_S;
        rc = catalogue_metrics(s->catalogue, from, to, &patience, &visitor, e);
        rc = rc ? rc : flush(j);
    }
    rc = rc ? rc : catalogue_unmeasured(s->catalogue, q->from, q->to, &patience, count_unmeasured, &unmeasured, e);
    out->unmeasured = unmeasured.recordings;
    map_deinit(&labelsets);
    free(j);
    return rc;
}

void store_metrics_deinit(struct store_metrics *m)
{
    strtab_deinit(&m->values);
}
