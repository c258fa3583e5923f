/* candor fleet functions: where methods run, the one with most weight first, a row for each service. */
#include "base/text/units.h"
#include "cli/fleet/figures.h"
#include "cli/fleet/fleet.h"
#include "cli/fleet/table.h"

#include <ctype.h>

enum { BY_COLUMNS_MAX = 8, TITLE_MAX = 64 };

struct columns {
    struct table_column list[TABLE_COLUMNS_MAX];
    char titles[BY_COLUMNS_MAX][TITLE_MAX];
    unsigned count;
};

/* A column for each label, its name in upper case; then the figures. */
static void make_columns(struct columns *c, const json_t *by)
{
    static const struct table_column figures[] = {{"SELF", true},  {"SHARE", true}, {"95 %", true},   {"TOTAL", true},
                                                  {"SHARE", true}, {"95 %", true},  {"METHOD", false}};
    *c = (struct columns){0};
    for (size_t i = 0; i < json_array_size(by) && i < BY_COLUMNS_MAX; i++) {
        char *title = c->titles[i];
        snprintf(title, TITLE_MAX, "%s", json_string_value(json_array_get(by, i)));
        for (; *title; title++)
            *title = (char)toupper((unsigned char)*title);
        c->list[c->count++] = (struct table_column){c->titles[i], false};
    }
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        c->list[c->count++] = figures[i];
}

static void add_row(struct table *t, const struct columns *c, const json_t *by, const json_t *group, const char *unit, const char *name)
{
    unsigned labels = c->count - 7;
    for (unsigned i = 0; i < labels; i++) {
        const char *value = json_string_value(json_object_get(json_object_get(group, "labels"), json_string_value(json_array_get(by, i))));
        table_add(t, "%s", value ? value : "");
    }
    figures_add(t, group, "self", unit);
    figures_add(t, group, "total", unit);
    table_add(t, "%s", name ? name : "");
}

static int print(const struct fleet *f, const json_t *answer)
{
    struct columns columns;
    struct table t;
    size_t i, k;
    json_t *method, *group, *by = json_object_get(answer, "by"), *methods = json_object_get(answer, "methods");
    const char *unit = figures_unit(answer);
    make_columns(&columns, by);
    table_init(&t, columns.list, columns.count);
    json_array_foreach(methods, i, method) json_array_foreach(json_object_get(method, "groups"), k, group)
        add_row(&t, &columns, by, group, unit, json_string_value(json_object_get(method, "name")));
    if (!json_array_size(methods))
        fprintf(stderr, "%s: no sample of that time has a method with such a name\n", f->address);
    return table_end(&t, stdout) ? cli_fail("out of memory") : cli_finish_output();
}

static int functions_run(const struct fleet *f)
{
    struct buffer query;
    int status;
    fleet_begin(f, &query, "/v1/functions");
    fleet_put(&query, "match", f->words[0]);
    figures_put_options(f, &query);
    json_t *answer = fleet_ask(f, &query, &status);
    if (answer)
        status = print(f, answer);
    json_decref(answer);
    return status;
}

const struct fleet_view fleet_functions = {
    .name = "functions",
    .words = "TEXT",
    .summary = "where methods run, and how much of each service's time they have",
    .options = "by type limit",
    .words_min = 1,
    .words_max = 1,
    .run = functions_run,
};
