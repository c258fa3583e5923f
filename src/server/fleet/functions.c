#include "server/fleet/functions.h"

#include "base/array.h"
#include "server/fleet/figures.h"
#include "server/fleet/function_match.h"
#include "server/request/question.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT_DEFAULT = 100, LIMIT_MAX = 10000, GROUPS_MAX = 1000 };

struct functions {
    struct question query;
    struct figures_by by;
    struct function_match match;
    struct store_functions found;
    struct store_result result;
    uint32_t limit;
    struct method *methods; /* the first is all matching methods together */
    uint32_t count, cap;
};

/* A method over all groups. Its rows are next to each other, the heaviest first. */
struct method {
    struct store_function sum;
    uint32_t first, rows;
};

/* ---- order ---- */

static int heavier(const struct store_function *a, const struct store_function *b)
{
    if (a->total.weight != b->total.weight)
        return a->total.weight < b->total.weight ? 1 : -1;
    return (a->self.weight < b->self.weight) - (a->self.weight > b->self.weight);
}

static const char *value_of(const struct store_functions *found, const struct store_function *row)
{
    return strtab_text(&found->values, found->groups[row->group].value);
}

static int compare_rows(const void *left, const void *right, void *context)
{
    const struct store_function *a = left, *b = right;
    if (a->name != b->name)
        return a->name < b->name ? -1 : 1;
    int by = heavier(a, b);
    return by ? by : strcmp(value_of(context, a), value_of(context, b));
}

static int compare_methods(const void *left, const void *right, void *context)
{
    const struct method *a = left, *b = right;
    const struct store_functions *found = context;
    if (!a->sum.name || !b->sum.name) /* all together come first */
        return (a->sum.name > b->sum.name) - (a->sum.name < b->sum.name);
    int by = heavier(&a->sum, &b->sum);
    return by ? by : strcmp(strtab_text(&found->names, a->sum.name), strtab_text(&found->names, b->sum.name));
}

static void add_row(struct method *to, const struct store_function *row)
{
    figures_add_row(&to->sum, row);
    to->rows++;
}

static int sum_methods(struct functions *f)
{
    struct store_functions *found = &f->found;
    if (found->count)
        qsort_r(found->rows, found->count, sizeof *found->rows, compare_rows, found);
    for (uint32_t i = 0; i < found->count; i++) {
        const struct store_function *row = &found->rows[i];
        if (!i || row->name != row[-1].name) {
            if (ARRAY_GROW(f->methods, f->cap, f->count))
                return -ENOMEM;
            f->methods[f->count++] = (struct method){.sum = {.name = row->name}, .first = i};
        }
        add_row(&f->methods[f->count - 1], row);
    }
    if (f->count)
        qsort_r(f->methods, f->count, sizeof *f->methods, compare_methods, found);
    return 0;
}

/* ---- /v1/functions ---- */

static void put_group(struct jsonw *j, const struct functions *f, const struct store_function *row)
{
    struct figures_whole whole = {0};
    figures_add(&whole, &f->found.groups[row->group]);
    jsonw_object(j);
    figures_put_labels(j, &f->by, value_of(&f->found, row));
    figures_put_whole(j, &whole);
    figures_put_row(j, row, &whole);
    jsonw_object_end(j);
}

/* Writes the groups of a method. Returns whether there are more. */
static bool put_groups(struct jsonw *j, const struct functions *f, const struct method *m)
{
    struct method rest = {0};
    jsonw_key(j, "groups");
    jsonw_array(j);
    for (uint32_t i = 0; i < m->rows; i++) {
        const struct store_function *row = &f->found.rows[m->first + i];
        if (i < GROUPS_MAX)
            put_group(j, f, row);
        else
            add_row(&rest, row);
    }
    jsonw_array_end(j);
    if (!rest.rows)
        return false;
    jsonw_key(j, "groups_left_out");
    jsonw_object(j);
    jsonw_member_uint(j, "groups", rest.rows);
    jsonw_member_uint(j, "self", rest.sum.self.weight);
    jsonw_member_uint(j, "total", rest.sum.total.weight);
    jsonw_object_end(j);
    return true;
}

static void put_found(struct jsonw *j, const struct functions *f, const struct figures_whole *whole)
{
    const struct store_function none = {0};
    bool any = f->count;
    jsonw_key(j, "found");
    jsonw_object(j);
    jsonw_member_uint(j, "methods", any ? f->count - 1 : 0);
    figures_put_row(j, any ? &f->methods[0].sum : &none, whole);
    jsonw_object_end(j);
}

static void put_head(struct jsonw *j, const struct functions *f)
{
    const struct store_result *r = &f->result;
    jsonw_member_text(j, "type", r->type);
    jsonw_member_uint(j, "recordings", r->recordings);
    question_put_span(j, r);
    question_put_books(j, r);
    figures_put_by(j, &f->by);
}

static void put_functions(struct http *h, const struct functions *f)
{
    struct http_writer w;
    struct figures_whole whole = {0};
    bool more = f->count > f->limit + 1;
    if (http_write_begin(h, &w))
        return;
    for (uint32_t i = 0; i < f->found.group_count; i++)
        figures_add(&whole, &f->found.groups[i]);
    jsonw_object(&w.json);
    put_head(&w.json, f);
    figures_put_whole(&w.json, &whole);
    put_found(&w.json, f, &whole);
    jsonw_key(&w.json, "methods");
    jsonw_array(&w.json);
    for (uint32_t i = 1; i < f->count && i <= f->limit && !w.full; i++) {
        jsonw_object(&w.json);
        jsonw_member_text(&w.json, "name", strtab_text(&f->found.names, f->methods[i].sum.name));
        figures_put_row(&w.json, &f->methods[i].sum, &whole);
        more |= put_groups(&w.json, f, &f->methods[i]);
        jsonw_object_end(&w.json);
    }
    jsonw_array_end(&w.json);
    jsonw_member_uint(&w.json, "methods_left_out", f->count > f->limit + 1 ? f->count - 1 - f->limit : 0);
    question_put_complete(&w.json, &f->result.missing, f->result.type, more);
    jsonw_object_end(&w.json);
    http_write_end(h, &w, HTTP_OK, "application/json");
}

/* ---- /v1/functions/series ---- */

/* Orders all methods together by group and time. */
static int compare_points(const void *left, const void *right, void *context)
{
    const struct store_functions *found = context;
    const struct store_group *a = &found->groups[((const struct store_function *)left)->group];
    const struct store_group *b = &found->groups[((const struct store_function *)right)->group];
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return (a->slice > b->slice) - (a->slice < b->slice);
}

static int sum_series(struct functions *f)
{
    struct store_functions *found = &f->found;
    if (found->count)
        qsort_r(found->rows, found->count, sizeof *found->rows, compare_points, found);
    for (uint32_t i = 0; i < found->count; i++) {
        if (!i || value_of(found, &found->rows[i]) != value_of(found, &found->rows[i - 1])) {
            if (ARRAY_GROW(f->methods, f->cap, f->count))
                return -ENOMEM;
            f->methods[f->count++] = (struct method){.sum = {.name = 1, .group = found->rows[i].group}, .first = i};
        }
        add_row(&f->methods[f->count - 1], &found->rows[i]);
    }
    return 0;
}

static int compare_series(const void *left, const void *right, void *context)
{
    const struct method *a = left, *b = right;
    int by = heavier(&a->sum, &b->sum);
    return by ? by : strcmp(value_of(context, &a->sum), value_of(context, &b->sum));
}

static void put_points(struct jsonw *j, const struct functions *f, const struct method *m, int64_t step)
{
    jsonw_object(j);
    figures_put_labels(j, &f->by, value_of(&f->found, &m->sum));
    jsonw_member_uint(j, "self", m->sum.self.weight);
    jsonw_member_uint(j, "total", m->sum.total.weight);
    jsonw_key(j, "points");
    jsonw_array(j);
    for (uint32_t i = 0; i < m->rows; i++) {
        const struct store_function *row = &f->found.rows[m->first + i];
        jsonw_array(j);
        jsonw_int(j, f->query.q.from + f->found.groups[row->group].slice * step);
        jsonw_uint(j, row->self.weight);
        jsonw_uint(j, row->total.weight);
        jsonw_array_end(j);
    }
    jsonw_array_end(j);
    jsonw_object_end(j);
}

static void put_series(struct http *h, const struct functions *f, int64_t step)
{
    struct http_writer w;
    struct method rest = {0};
    if (http_write_begin(h, &w))
        return;
    jsonw_object(&w.json);
    put_head(&w.json, f);
    jsonw_key(&w.json, "step");
    jsonw_int(&w.json, step);
    jsonw_key(&w.json, "from");
    jsonw_int(&w.json, f->query.q.from);
    jsonw_key(&w.json, "to");
    jsonw_int(&w.json, f->query.q.to);
    jsonw_key(&w.json, "series");
    jsonw_array(&w.json);
    for (uint32_t i = 0; i < f->count && !w.full; i++) {
        if (i < f->limit)
            put_points(&w.json, f, &f->methods[i], step);
        else
            add_row(&rest, &f->methods[i].sum);
    }
    jsonw_array_end(&w.json);
    if (rest.rows) {
        jsonw_key(&w.json, "series_left_out");
        jsonw_object(&w.json);
        jsonw_member_uint(&w.json, "series", rest.rows);
        jsonw_member_uint(&w.json, "self", rest.sum.self.weight);
        jsonw_member_uint(&w.json, "total", rest.sum.total.weight);
        jsonw_object_end(&w.json);
    }
    question_put_complete(&w.json, &f->result.missing, f->result.type, rest.rows);
    jsonw_object_end(&w.json);
    http_write_end(h, &w, HTTP_OK, "application/json");
}

/* ---- both ---- */

static int ask(struct http *h, struct functions *f, const struct store_function_query *wanted, int order(struct functions *f))
{
    struct error e;
    f->query.q.books = true;
    int rc = store_functions(h->server->store, &f->query.q, wanted, &f->found, &f->result, &e);
    if (!rc && order(f))
        rc = error_set(&e, -ENOMEM, "out of memory");
    if (rc)
        question_failed(h, rc, &e);
    return rc;
}

static void functions_deinit(struct functions *f)
{
    free(f->methods);
    store_functions_deinit(&f->found);
    store_result_deinit(&f->result);
    function_match_deinit(&f->match);
    figures_by_deinit(&f->by);
    question_deinit(&f->query);
}

/* Reads what both questions have in common. */
static int functions_init(struct functions *f, struct http *h, const char *first)
{
    *f = (struct functions){0};
    int rc = question_init_of_samples(&f->query, h);
    rc = rc ? rc : function_match_init(&f->match, h);
    rc = rc ? rc : figures_by_init(&f->by, h, first);
    return rc ? rc : question_number(h, "limit", LIMIT_DEFAULT, LIMIT_MAX, &f->limit);
}

void functions_answer(struct http *h)
{
    struct functions f;
    int rc = functions_init(&f, h, "service");
    const struct store_function_query wanted = {
        .matches = function_match_has, .context = &f.match, .by = figures_by_names(&f.by), .whole = true};
    if (!rc && !ask(h, &f, &wanted, sum_methods))
        put_functions(h, &f);
    functions_deinit(&f);
}

void functions_series_answer(struct http *h)
{
    struct functions f;
    int64_t step = 1;
    int rc = functions_init(&f, h, "");
    rc = rc ? rc : question_step(h, &f.query, &step);
    const struct store_function_query wanted = {
        .matches = function_match_has, .context = &f.match, .by = figures_by_names(&f.by), .slice = step, .together = true};
    if (!rc && !ask(h, &f, &wanted, sum_series)) {
        if (f.count)
            qsort_r(f.methods, f.count, sizeof *f.methods, compare_series, &f.found);
        put_series(h, &f, step);
    }
    functions_deinit(&f);
}
