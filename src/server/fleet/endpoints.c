#include "server/fleet/endpoints.h"

#include "base/array.h"
#include "server/metrics/cost.h"
#include "server/fleet/figures.h"
#include "server/request/question.h"
#include "store/files/contexts.h"
#include "store/query/label_sums.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT_DEFAULT = 100, LIMIT_MAX = 10000 };

/* One endpoint of a service: its sums are next to each other, in the order of types. */
struct group {
    uint32_t first, count;
};

struct endpoints {
    struct question query;
    struct figures_by by;
    struct store_label_sums sums;
    struct store_result result;
    struct costs costs;
    uint32_t limit;
    uint32_t *order; /* the types as they are listed: CPU time first, others by name */
    uint32_t *rank;  /* by type: its place in `order` */
    uint32_t types;  /* the number of types with samples */
    struct strtab services;
    struct figures_whole *wholes; /* by service, and by type within it */
    struct group *groups;         /* the heaviest first */
    uint32_t count, cap;
};

/* ---- order ---- */

static int compare_types(const void *left, const void *right, void *context)
{
    static const char cpu[] = "cpu:ns";
    const char *a = strtab_text(context, *(const uint32_t *)left), *b = strtab_text(context, *(const uint32_t *)right);
    bool a_first = !strcmp(a, cpu), b_first = !strcmp(b, cpu);
    return a_first != b_first ? b_first - a_first : strcmp(a, b);
}

/* Lists the types that have samples. */
static int order_types(struct endpoints *p)
{
    uint32_t known = p->sums.types.count;
    p->order = calloc((size_t)known + 1, sizeof *p->order);
    p->rank = calloc((size_t)known + 1, sizeof *p->rank);
    if (!p->order || !p->rank)
        return -ENOMEM;
    for (uint32_t i = 0; i < p->sums.count; i++)
        p->rank[p->sums.list[i].type] = 1;
    for (uint32_t type = 0; type < known; type++)
        if (p->rank[type])
            p->order[p->types++] = type;
    qsort_r(p->order, p->types, sizeof *p->order, compare_types, &p->sums.types);
    for (uint32_t i = 0; i < p->types; i++)
        p->rank[p->order[i]] = i;
    return 0;
}

static int compare_sums(const void *left, const void *right, void *context)
{
    const struct store_label_sum *a = left, *b = right;
    const struct endpoints *p = context;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return (p->rank[a->type] > p->rank[b->type]) - (p->rank[a->type] < p->rank[b->type]);
}

/* Compares groups by their weight of the first type, then of the second, and so on. */
static int compare_groups(const void *left, const void *right, void *context)
{
    const struct group *a = left, *b = right;
    const struct endpoints *p = context;
    const struct store_label_sum *of_a = &p->sums.list[a->first], *of_b = &p->sums.list[b->first];
    for (uint32_t i = 0, k = 0, type = 0; type < p->types; type++) {
        uint64_t weight_a = i < a->count && p->rank[of_a[i].type] == type ? of_a[i++].weight : 0;
        uint64_t weight_b = k < b->count && p->rank[of_b[k].type] == type ? of_b[k++].weight : 0;
        if (weight_a != weight_b)
            return weight_a < weight_b ? 1 : -1;
    }
    return strcmp(strtab_text(&p->sums.values, of_a->value), strtab_text(&p->sums.values, of_b->value));
}

static int list_groups(struct endpoints *p)
{
    struct store_label_sum *list = p->sums.list;
    if (p->sums.count)
        qsort_r(list, p->sums.count, sizeof *list, compare_sums, p);
    for (uint32_t i = 0; i < p->sums.count; i++) {
        if (!i || list[i].value != list[i - 1].value) {
            if (ARRAY_GROW(p->groups, p->cap, p->count))
                return -ENOMEM;
            p->groups[p->count++] = (struct group){.first = i};
        }
        p->groups[p->count - 1].count++;
    }
    if (p->count)
        qsort_r(p->groups, p->count, sizeof *p->groups, compare_groups, p);
    return 0;
}

/* ---- the wholes of shares ---- */

static const char *value_of(const struct endpoints *p, const struct store_label_sum *sum, size_t *service)
{
    const char *value = strtab_text(&p->sums.values, sum->value);
    *service = strcspn(value, (char[]){STORE_BY_SEPARATOR, 0});
    return value;
}

static struct figures_whole *whole_of(const struct endpoints *p, const struct store_label_sum *sum)
{
    size_t len;
    const char *value = value_of(p, sum, &len);
    return &p->wholes[(size_t)strtab_find(&p->services, value, len) * p->types + p->rank[sum->type]];
}

static void add_sum(struct figures_whole *to, const struct store_label_sum *sum)
{
    to->weight += sum->weight;
    to->samples += sum->samples;
    to->squares += sum->squares;
}

static int sum_services(struct endpoints *p)
{
    size_t len;
    if (strtab_init(&p->services))
        return -ENOMEM;
    for (uint32_t i = 0; i < p->sums.count; i++) {
        const char *value = value_of(p, &p->sums.list[i], &len);
        if (len && !strtab_add(&p->services, value, len))
            return -ENOMEM;
    }
    p->wholes = calloc((size_t)p->services.count * p->types + 1, sizeof *p->wholes);
    for (uint32_t i = 0; p->wholes && i < p->sums.count; i++)
        add_sum(whole_of(p, &p->sums.list[i]), &p->sums.list[i]);
    return p->wholes ? 0 : -ENOMEM;
}

/* ---- the answer ---- */

/* Whether the group's samples have no endpoint, which is the second label. */
static bool is_without(const struct endpoints *p, const struct store_label_sum *sum)
{
    size_t len;
    const char *value = value_of(p, sum, &len);
    return !value[len] || !value[len + 1] || value[len + 1] == STORE_BY_SEPARATOR;
}

static const char *type_of(const struct endpoints *p, uint32_t type)
{
    return strtab_text(&p->sums.types, type);
}

static void put_figure(struct jsonw *j, const struct endpoints *p, uint32_t type, const char *name, uint64_t weight,
                       const struct figures_whole *whole)
{
    if (cost_is_of_requests(type_of(p, type)))
        figures_put_exact(j, name, weight, whole);
    else
        figures_put(j, name, weight, whole);
}

/* Writes the sums of all services for each type, and how much of it has no endpoint. */
static void put_types(struct jsonw *j, const struct endpoints *p)
{
    jsonw_key(j, "types");
    jsonw_array(j);
    for (uint32_t i = 0; i < p->types; i++) {
        struct figures_whole all = {0}, without = {0};
        for (uint32_t k = 0; k < p->sums.count; k++) {
            const struct store_label_sum *sum = &p->sums.list[k];
            if (sum->type != p->order[i])
                continue;
            add_sum(&all, sum);
            if (is_without(p, sum))
                add_sum(&without, sum);
        }
        jsonw_object(j);
        jsonw_member_text(j, "type", type_of(p, p->order[i]));
        figures_put_whole(j, &all);
        put_figure(j, p, p->order[i], "without", without.weight, &all);
        jsonw_member_uint(j, "without_samples", without.samples);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
}

static void put_cost(struct jsonw *j, const struct endpoints *p, const struct store_label_sum *sum)
{
    struct fleet_estimate cost;
    uint32_t hosts;
    if (!costs_of(&p->costs, strtab_text(&p->sums.values, sum->value), type_of(p, sum->type), &cost, &hosts))
        return;
    jsonw_key(j, "per_request");
    jsonw_object(j);
    cost_put(j, &cost);
    jsonw_member_uint(j, "hosts", hosts);
    jsonw_object_end(j);
}

static void put_group(struct jsonw *j, const struct endpoints *p, const struct group *g)
{
    jsonw_object(j);
    figures_put_labels(j, &p->by, strtab_text(&p->sums.values, p->sums.list[g->first].value));
    jsonw_key(j, "types");
    jsonw_array(j);
    for (uint32_t i = 0; i < g->count; i++) {
        const struct store_label_sum *sum = &p->sums.list[g->first + i];
        jsonw_object(j);
        jsonw_member_text(j, "type", type_of(p, sum->type));
        put_figure(j, p, sum->type, "weight", sum->weight, whole_of(p, sum));
        jsonw_member_uint(j, "samples", sum->samples);
        put_cost(j, p, sum);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
    jsonw_object_end(j);
}

/* Writes the sums of the groups beyond the limit. */
static void put_left_out(struct jsonw *j, const struct endpoints *p)
{
    jsonw_key(j, "left_out");
    jsonw_object(j);
    jsonw_member_uint(j, "groups", p->count - p->limit);
    jsonw_key(j, "types");
    jsonw_array(j);
    for (uint32_t type = 0; type < p->types; type++) {
        struct figures_whole rest = {0};
        for (uint32_t i = p->limit; i < p->count; i++)
            for (uint32_t k = 0; k < p->groups[i].count; k++)
                if (p->rank[p->sums.list[p->groups[i].first + k].type] == type)
                    add_sum(&rest, &p->sums.list[p->groups[i].first + k]);
        jsonw_object(j);
        jsonw_member_text(j, "type", type_of(p, p->order[type]));
        jsonw_member_uint(j, "weight", rest.weight);
        jsonw_member_uint(j, "samples", rest.samples);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
    jsonw_object_end(j);
}

static void put_answer(struct http *h, const struct endpoints *p)
{
    struct http_writer w;
    bool more = p->count > p->limit;
    if (http_write_begin(h, &w))
        return;
    jsonw_object(&w.json);
    jsonw_member_uint(&w.json, "recordings", p->result.recordings);
    question_put_span(&w.json, &p->result);
    figures_put_by(&w.json, &p->by);
    put_types(&w.json, p);
    jsonw_key(&w.json, "groups");
    jsonw_array(&w.json);
    for (uint32_t i = 0; i < p->count && i < p->limit && !w.full; i++)
        put_group(&w.json, p, &p->groups[i]);
    jsonw_array_end(&w.json);
    if (more)
        put_left_out(&w.json, p);
    question_put_complete(&w.json, &p->result.missing, p->types == 1 ? strtab_text(&p->sums.types, *p->order) : "", more);
    jsonw_object_end(&w.json);
    http_write_end(h, &w, HTTP_OK, "application/json");
}

/* ---- from the question to the answer ---- */

static int read_question(struct endpoints *p, struct http *h)
{
    int rc = question_init_of_samples(&p->query, h);
    rc = rc ? rc : figures_by_init(&p->by, h, "service," CONTEXT_ENDPOINT);
    return rc ? rc : question_number(h, "limit", LIMIT_DEFAULT, LIMIT_MAX, &p->limit);
}

static int fill(struct endpoints *p, struct http *h, struct error *e)
{
    int rc = store_label_sums(h->server->store, &p->query.q, figures_by_names(&p->by), &p->sums, &p->result, e);
    if (!rc && (order_types(p) || sum_services(p) || list_groups(p)))
        rc = error_set(e, -ENOMEM, "out of memory");
    return rc ? rc : costs_find(&p->costs, h->server->store, &p->query.q, figures_by_names(&p->by), e);
}

void endpoints_answer(struct http *h)
{
    struct endpoints p = {0};
    struct error e;
    if (!read_question(&p, h)) {
        int rc = fill(&p, h, &e);
        if (rc)
            question_failed(h, rc, &e);
        else
            put_answer(h, &p);
    }
    store_label_sums_deinit(&p.sums);
    costs_deinit(&p.costs);
    store_result_deinit(&p.result);
    strtab_deinit(&p.services);
    figures_by_deinit(&p.by);
    question_deinit(&p.query);
    free(p.order);
    free(p.rank);
    free(p.wholes);
    free(p.groups);
}
