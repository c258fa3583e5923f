#include "server/fleet/top.h"

#include "base/array.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "server/fleet/movers.h"
#include "server/fleet/top_side.h"
#include "server/request/question.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT_DEFAULT = 10, LIMIT_MAX = 1000, GROUPS_MAX = 1000 };

/* A service, or a service's version and so on. */
struct shown {
    const char *value;
    uint32_t place;
    struct figures_whole whole;
    int64_t from, to; /* seconds that its recordings cover */
    uint32_t first;   /* its rows in top.rows: all own methods together, then each, the hottest first */
    uint32_t rows;
};

struct top {
    struct question query;
    struct figures_by by, runs; /* the labels of a group; those of a run */
    unsigned lead;
    uint32_t limit;
    struct store_query before;   /* the earlier time; from = to: none */
    struct top_side sides[2];    /* by enum changes_side */
    struct strtab values;        /* of the groups; a place is an id */
    struct shown *list;          /* the group with most weight first */
    uint32_t count;              /* of the groups with any weight */
    struct store_function *rows; /* `group` is a place */
    uint32_t row_count;
};

/* ---- the question ---- */

/* Reads `against`: how long before the time from..to the earlier time of the same length is, at least that length. */
static int read_against(struct top *t, struct http *h)
{
    const char *text = http_parameter(h, "against", NULL);
    int64_t length = t->query.q.to - t->query.q.from;
    uint64_t back = 0;
    t->before = t->query.q;
    if (text && !strcmp(text, "none")) {
        t->before.to = t->before.from;
        return 0;
    }
    if (text && *text && (*text != '-' || units_parse_duration(text + 1, &back) || back / NS_PER_S > INT32_MAX)) {
        http_error(h, HTTP_BAD_REQUEST, "against: '%.40s' is not an earlier time; write -24h, or none", text);
        return -EINVAL;
    }
    int64_t asked = (int64_t)(back / NS_PER_S), shift = asked > length ? asked : length;
    t->before.from -= shift;
    t->before.to -= shift;
    return 0;
}

static int read_question(struct top *t, struct http *h)
{
    int rc = question_init_of_samples(&t->query, h);
    rc = rc ? rc : read_against(t, h);
    rc = rc ? rc : figures_by_init(&t->by, h, "service");
    rc = rc ? rc : figures_by_init(&t->runs, h, "service");
    rc = rc ? rc : question_number(h, "limit", LIMIT_DEFAULT, LIMIT_MAX, &t->limit);
    if (rc)
        return rc;
    for (size_t i = 0; i + 1 < t->by.names.len; i++)
        t->lead += !i || t->by.names.data[i] == STORE_BY_SEPARATOR;
    if (t->before.to > t->before.from) /* only a comparison needs the differences between hosts, which are many */
        figures_by_add(&t->runs, "host", sizeof "host" - 1);
    t->query.q.books = true;
    return 0;
}

/* ---- groups and their methods ---- */

/* Finds the place of each group of the store. Groups that only the earlier time has are not shown. */
static int place_groups(struct top *t, struct top_side *side, bool add)
{
    uint32_t known = t->values.count;
    for (uint32_t i = 0; i < side->found.group_count; i++) {
        size_t len;
        const char *value = top_side_value(side, i, t->lead, &len);
        side->place_of[i] = strtab_add(&t->values, value, len);
        if (len && !side->place_of[i])
            return -ENOMEM;
        if (!add && side->place_of[i] >= known)
            side->place_of[i] = UINT32_MAX;
    }
    return 0;
}

static int compare_names(const void *left, const void *right)
{
    const struct store_function *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return (a->name > b->name) - (a->name < b->name);
}

static int compare_heat(const void *left, const void *right, void *context)
{
    const struct store_function *a = left, *b = right;
    if (a->group != b->group || !a->name || !b->name)
        return compare_names(a, b);
    if (a->self.weight != b->self.weight)
        return a->self.weight < b->self.weight ? 1 : -1;
    if (a->total.weight != b->total.weight)
        return a->total.weight < b->total.weight ? 1 : -1;
    return strcmp(strtab_text(context, a->name), strtab_text(context, b->name));
}

/* Adds up the rows of all hosts of a group. */
static int sum_rows(struct top *t, const struct top_side *side)
{
    const struct store_functions *found = &side->found;
    t->rows = calloc((size_t)found->count + 1, sizeof *t->rows);
    if (!t->rows)
        return -ENOMEM;
    for (uint32_t i = 0; i < found->count; i++) {
        t->rows[i] = found->rows[i];
        t->rows[i].group = side->place_of[found->rows[i].group];
    }
    qsort(t->rows, found->count, sizeof *t->rows, compare_names);
    for (uint32_t i = 0; i < found->count; i++) {
        struct store_function *last = t->row_count ? &t->rows[t->row_count - 1] : NULL;
        if (last && !compare_names(last, &t->rows[i]))
            figures_add_row(last, &t->rows[i]);
        else
            t->rows[t->row_count++] = t->rows[i];
    }
    qsort_r(t->rows, t->row_count, sizeof *t->rows, compare_heat, (void *)&found->names);
    return 0;
}

static int compare_shown(const void *left, const void *right)
{
    const struct shown *a = left, *b = right;
    if (a->whole.weight != b->whole.weight)
        return a->whole.weight < b->whole.weight ? 1 : -1;
    return strcmp(a->value, b->value);
}

static int list_groups(struct top *t, const struct top_side *side)
{
    t->count = t->values.count;
    t->list = calloc((size_t)t->count + 1, sizeof *t->list);
    if (!t->list)
        return -ENOMEM;
    for (uint32_t i = 0; i < t->count; i++)
        t->list[i] = (struct shown){.value = strtab_text(&t->values, i), .place = i, .from = INT64_MAX, .to = INT64_MIN};
    for (uint32_t i = 0; i < side->found.group_count; i++) {
        const struct store_group *group = &side->found.groups[i];
        struct shown *to = &t->list[side->place_of[i]];
        figures_add(&to->whole, group);
        to->from = group->from < to->from ? group->from : to->from;
        to->to = group->to > to->to ? group->to : to->to;
    }
    for (uint32_t i = 0; i < t->row_count; i++) {
        struct shown *to = &t->list[t->rows[i].group];
        to->first = to->rows++ ? to->first : i;
    }
    qsort(t->list, t->count, sizeof *t->list, compare_shown);
    while (t->count && !t->list[t->count - 1].whole.weight)
        t->count--;
    return 0;
}

/* ---- the answer ---- */

static void put_time(struct jsonw *j, const char *key, const struct store_query *q)
{
    jsonw_key(j, key);
    jsonw_object(j);
    jsonw_key(j, "from");
    jsonw_int(j, q->from);
    jsonw_key(j, "to");
    jsonw_int(j, q->to);
    jsonw_object_end(j);
}

/* Writes how many cores the group kept busy, or null for other weights than CPU time. */
static void put_cores(struct jsonw *j, const struct top *t, const struct shown *s)
{
    bool cpu = !strcmp(t->sides[CHANGES_AFTER].result.type, "cpu:ns") && s->to > s->from;
    jsonw_key(j, "cores");
    if (cpu)
        jsonw_number(j, (double)s->whole.weight / NS_PER_S / (double)(s->to - s->from));
    else
        jsonw_null(j);
}

static void put_methods(struct jsonw *j, const struct top *t, const struct shown *s)
{
    static const struct store_function none;
    const struct strtab *names = &t->sides[CHANGES_AFTER].found.names;
    figures_put(j, "own", s->rows ? t->rows[s->first].self.weight : none.self.weight, &s->whole);
    jsonw_key(j, "methods");
    jsonw_array(j);
    for (uint32_t i = 1; i < s->rows && i <= t->limit; i++) {
        const struct store_function *row = &t->rows[s->first + i];
        jsonw_object(j);
        jsonw_member_text(j, "name", strtab_text(names, row->name));
        figures_put(j, "own", row->self.weight, &s->whole);
        figures_put(j, "total", row->total.weight, &s->whole);
        jsonw_member_uint(j, "samples", row->total.samples);
        jsonw_member_uint(j, "own_samples", row->self.samples);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
    jsonw_member_uint(j, "methods_left_out", s->rows > t->limit + 1 ? s->rows - 1 - t->limit : 0);
}

static int put_group(struct jsonw *j, const struct top *t, const struct shown *s)
{
    int rc = 0;
    jsonw_object(j);
    figures_put_labels(j, &t->by, s->value);
    put_cores(j, t, s);
    figures_put_whole(j, &s->whole);
    put_methods(j, t, s);
    if (t->before.to > t->before.from)
        rc = movers_put(j, t->sides, s->place, t->count, t->limit);
    jsonw_object_end(j);
    return rc;
}

static void put_head(struct jsonw *j, const struct top *t)
{
    const struct store_result *r = &t->sides[CHANGES_AFTER].result;
    jsonw_member_text(j, "type", r->type);
    jsonw_member_uint(j, "recordings", r->recordings);
    put_time(j, "time", &t->query.q);
    if (t->before.to > t->before.from)
        put_time(j, "against", &t->before);
    question_put_span(j, r);
    question_put_books(j, r);
    figures_put_by(j, &t->by);
}

static void put_top(struct http *h, const struct top *t)
{
    struct http_writer w;
    struct error e;
    int rc = 0;
    struct missing missing = t->sides[CHANGES_AFTER].result.missing;
    missing_add_all(&missing, &t->sides[CHANGES_BEFORE].result.missing);
    if (http_write_begin(h, &w))
        return;
    jsonw_object(&w.json);
    put_head(&w.json, t);
    jsonw_key(&w.json, "groups");
    jsonw_array(&w.json);
    for (uint32_t i = 0; !rc && i < t->count && i < GROUPS_MAX && !w.full; i++) {
        rc = store_is_over(h->server->store, &t->query.q, &e);
        rc = rc ? rc : put_group(&w.json, t, &t->list[i]);
    }
    jsonw_array_end(&w.json);
    jsonw_member_uint(&w.json, "groups_left_out", t->count > GROUPS_MAX ? t->count - GROUPS_MAX : 0);
    question_put_complete(&w.json, &missing, t->sides[CHANGES_AFTER].result.type, t->count > GROUPS_MAX);
    jsonw_object_end(&w.json);
    if (!rc) {
        http_write_end(h, &w, HTTP_OK, "application/json");
        return;
    }
    http_write_abandon(&w);
    if (rc == -ENOMEM || rc == -E2BIG)
        error_set(&e, rc, rc == -E2BIG ? "too many methods on too many hosts: select fewer, or against=none" : "out of memory");
    question_failed(h, rc, &e);
}

/* ---- from the question to the answer ---- */

static int fill(struct top *t, struct http *h, struct error *e)
{
    struct store *store = h->server->store;
    struct top_side *now = &t->sides[CHANGES_AFTER], *before = &t->sides[CHANGES_BEFORE];
    int rc = top_side_init(now, store, &t->query.q, &t->runs, t->lead, e);
    if (!*now->result.type)
        t->before.to = t->before.from; /* there is nothing to compare */
    if (!rc && t->before.to > t->before.from) {
        t->before.type = now->result.type;
        t->before.books = false;
        rc = top_side_init(before, store, &t->before, &t->runs, t->lead, e);
    }
    if (rc)
        return rc;
    if (strtab_init(&t->values) || place_groups(t, now, true) || sum_rows(t, now) || list_groups(t, now) || place_groups(t, before, false))
        return error_set(e, -ENOMEM, "out of memory");
    return 0;
}

void top_answer(struct http *h)
{
    struct top t = {0};
    struct error e;
    if (!read_question(&t, h)) {
        int rc = fill(&t, h, &e);
        if (rc)
            question_failed(h, rc, &e);
        else
            put_top(h, &t);
    }
    top_side_deinit(&t.sides[CHANGES_BEFORE]);
    top_side_deinit(&t.sides[CHANGES_AFTER]);
    strtab_deinit(&t.values);
    figures_by_deinit(&t.by);
    figures_by_deinit(&t.runs);
    question_deinit(&t.query);
    free(t.list);
    free(t.rows);
}
