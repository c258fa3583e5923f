#include "server/metrics/scrape.h"

#include "base/array.h"
#include "base/map.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "server/metrics/scrape_methods.h"
#include "server/request/exposition.h"
#include "server/request/question.h"
#include "store/query/metrics.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* A JVM counts with its latest minute of the last WINDOW_S seconds. JVMs send their recordings at different times, so the minute is not the
 * same for all. A minute of which less than LEAST_NS is recorded counts only if there is no other. */
enum { WINDOW_S = 600, SERVICES_MAX = 100 };
#define LEAST_NS (10 * (uint64_t)NS_PER_S)

struct service {
    uint32_t name; /* string id */
    uint32_t jvms;
    uint64_t known;
    struct sum {
        double amount, over; /* of a share, of its base; otherwise 1 */
    } sums[KEY_METRICS];
};

struct scrape {
    struct store_metrics of;
    struct map places; /* labelset -> place in `jvms` */
    struct store_minute *jvms;
    uint32_t jvm_count, jvm_cap;
    struct map names; /* string id -> place in `services` */
    struct service *services;
    uint32_t service_count, service_cap;
};

/* ---- the latest minutes ---- */

static int take_minute(void *context, const struct store_minute *m)
{
    struct scrape *s = context;
    bool added;
    uint32_t *place = map_add(&s->places, m->labelset, &added);
    if (!place || ARRAY_GROW(s->jvms, s->jvm_cap, s->jvm_count))
        return -ENOMEM;
    if (added)
        *place = s->jvm_count++;
    if (added || m->covered_ns >= LEAST_NS || s->jvms[*place].covered_ns < LEAST_NS)
        s->jvms[*place] = *m;
    return 0;
}

/* ---- sums by service ---- */

static void add_metric(struct sum *sum, const struct store_minute *m, enum key_metric metric, double value)
{
    if (key_metric_rows[metric].sort == KEY_SORT_SHARE) {
        sum->amount += m->of[metric].amount;
        sum->over += store_minute_base(m, metric);
    } else if (key_metric_rows[metric].sort == KEY_SORT_LONGEST) {
        *sum = (struct sum){value > sum->amount ? value : sum->amount, 1};
    } else {
        *sum = (struct sum){sum->amount + value, 1};
    }
}

static int add_jvm(struct scrape *s, const struct store_minute *m)
{
    bool added;
    double value;
    uint32_t *place = map_add(&s->names, m->value, &added);
    if (!place || ARRAY_GROW(s->services, s->service_cap, s->service_count))
        return -ENOMEM;
    if (added) {
        *place = s->service_count;
        s->services[s->service_count++] = (struct service){.name = m->value};
    }
    struct service *to = &s->services[*place];
    to->jvms++;
    for (int i = 0; i < KEY_METRICS; i++) {
        enum key_metric metric = (enum key_metric)i;
        if (!store_minute_value(m, metric, &value))
            continue;
        to->known |= key_metric_bit(metric);
        add_metric(&to->sums[metric], m, metric, value);
    }
    return 0;
}

static int by_cpu(const void *left, const void *right)
{
    double a = ((const struct service *)left)->sums[KEY_CPU].amount, b = ((const struct service *)right)->sums[KEY_CPU].amount;
    return (a < b) - (a > b);
}

static int add_up(struct scrape *s)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < s->jvm_count; i++)
        rc = add_jvm(s, &s->jvms[i]);
    if (s->service_count)
        qsort(s->services, s->service_count, sizeof *s->services, by_cpu);
    return rc;
}

/* ---- the text ---- */

static void put_metric(FILE *out, const struct scrape *s, enum key_metric metric)
{
    const struct key_metric_row *row = &key_metric_rows[metric];
    bool any = false;
    for (uint32_t i = 0; i < s->service_count && i < SERVICES_MAX; i++) {
        const struct service *one = &s->services[i];
        if (!(one->known & key_metric_bit(metric)))
            continue;
        if (!any)
            fprintf(out, "# HELP candor_service_%s %s (%s).\n# TYPE candor_service_%s gauge\n", row->name, row->meaning,
                    key_unit_rows[row->unit].word, row->name);
        any = true;
        fprintf(out, "candor_service_%s{service=\"", row->name);
        exposition_label(out, strtab_text(&s->of.values, one->name));
        fprintf(out, "\"} %.9g\n", one->sums[metric].amount / one->sums[metric].over);
    }
}

static void put_counts(FILE *out, const struct scrape *s)
{
    uint32_t left_out = s->service_count > SERVICES_MAX ? s->service_count - SERVICES_MAX : 0;
    fprintf(out, "# HELP candor_service_jvms JVMs that the metrics of a service are of.\n# TYPE candor_service_jvms gauge\n");
    for (uint32_t i = 0; i < s->service_count - left_out; i++) {
        fputs("candor_service_jvms{service=\"", out);
        exposition_label(out, strtab_text(&s->of.values, s->services[i].name));
        fprintf(out, "\"} %" PRIu32 "\n", s->services[i].jvms);
    }
    fprintf(out,
            "# HELP candor_services_left_out Services beyond the %d with most CPU time, which are not listed here.\n"
            "# TYPE candor_services_left_out gauge\ncandor_services_left_out %" PRIu32 "\n"
            "# HELP candor_recordings_without_metrics Recordings of the last ten minutes without any of these metrics.\n"
            "# TYPE candor_recordings_without_metrics gauge\ncandor_recordings_without_metrics %" PRIu64 "\n",
            SERVICES_MAX, left_out, s->of.unmeasured);
}

/* ---- methods ---- */

/* Adds to the text what the methods of the listed services use that use most. */
static int put_methods(FILE *out, struct server *server, const struct store_query *q, const struct scrape *s, struct error *e)
{
    const char *names[SERVICES_MAX];
    uint32_t n = 0;
    for (; n < s->service_count && n < SERVICES_MAX; n++)
        names[n] = strtab_text(&s->of.values, s->services[n].name);
    return scrape_methods_write(out, server, q, names, n, e);
}

static void put_all(FILE *out, const struct scrape *s)
{
    for (int metric = 0; metric < KEY_METRICS; metric++)
        put_metric(out, s, (enum key_metric)metric);
    put_counts(out, s);
}

static void scrape_deinit(struct scrape *s)
{
    free(s->jvms);
    free(s->services);
    map_deinit(&s->places);
    map_deinit(&s->names);
    store_metrics_deinit(&s->of);
}

/* Computes the metrics of what the query selects, and sets its time: the last minutes. */
static int compute(struct scrape *s, struct server *server, struct store_query *q, struct error *e)
{
    q->to = (int64_t)(clock_realtime_ns() / NS_PER_S) + 1;
    q->from = q->to - WINDOW_S;
    int rc = store_metrics(server->store, q, key_metric_bit(KEY_METRICS) - 1, "service", take_minute, s, &s->of, e);
    return rc ? rc : add_up(s);
}

int scrape_write(FILE *out, struct server *server, struct error *e)
{
    struct selector everything = {0};
    struct store_query q = {.selector = &everything};
    struct scrape s = {0};
    int rc = compute(&s, server, &q, e);
    if (!rc)
        put_all(out, &s);
    if (!rc && server->limits.top_methods)
        rc = put_methods(out, server, &q, &s, e);
    scrape_deinit(&s);
    return rc;
}

void scrape_answer(struct http *h)
{
    struct question query;
    struct http_writer w;
    struct scrape s = {0};
    struct error e;
    int rc = question_init(&query, h);
    if (!rc) {
        rc = compute(&s, h->server, &query.q, &e);
        if (rc) {
            question_failed(h, rc, &e);
        } else if (!http_write_begin(h, &w)) {
            put_all(w.out, &s);
            rc = h->server->limits.top_methods ? put_methods(w.out, h->server, &query.q, &s, &e) : 0;
            if (rc) {
                http_write_abandon(&w);
                question_failed(h, rc, &e);
            } else {
                http_write_end(h, &w, HTTP_OK, "text/plain; version=0.0.4; charset=utf-8");
            }
        }
    }
    scrape_deinit(&s);
    question_deinit(&query);
}
