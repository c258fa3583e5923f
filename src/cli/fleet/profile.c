/* candor fleet profile: asks for recordings on demand, and shows what became of those that were asked for. */
#include "base/text/number.h"
#include "cli/fleet/fleet.h"

#include <string.h>
#include <unistd.h>

enum { LOOK_S = 1, JVMS_MAX = 1000 };

static const struct table_column columns[] = {
    {"ID", true},     {"STATE", false}, {"WHAT", false},      {"OF", false},     {"BY", false},
    {"SINCE", false}, {"HOST", false},  {"RECORDING", false}, {"REASON", false},
};

static json_int_t int_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

/* ---- all ---- */

static void add_request(struct table *t, const json_t *one, bool first)
{
    char since[FLEET_TIME_MAX];
    if (!first) {
        for (int i = 0; i < 6; i++)
            table_add(t, "%s", "");
        return;
    }
    table_add(t, "%lld", (long long)int_of(one, "id"));
    table_add(t, "%s", fleet_text(one, "state"));
    table_add(t, "%s %llds", fleet_text(one, "events"), (long long)int_of(one, "seconds"));
    table_add(t, "%s", fleet_text(one, "select"));
    table_add(t, "%s", fleet_text(one, "by"));
    table_add(t, "%s", fleet_time(since, int_of(one, "created")));
}

/* Adds a row for each JVM that was asked; at least one. */
static void add_rows(struct table *t, const json_t *one)
{
    const json_t *tasks = json_object_get(one, "tasks");
    size_t n = json_array_size(tasks);
    for (size_t i = 0; i < n || !i; i++) {
        const json_t *task = json_array_get(tasks, i);
        add_request(t, one, !i);
        table_add(t, "%s", fleet_text(task, "host"));
        table_add(t, "%s", fleet_text(task, "state"));
        table_add(t, "%s", fleet_text(task, "reason"));
    }
}

static int print_all(const struct fleet *f, const json_t *answer)
{
    struct table t;
    size_t i;
    json_t *one;
    (void)f;
    table_init(&t, columns, sizeof columns / sizeof *columns);
    json_array_foreach(json_object_get(answer, "profiles"), i, one) add_rows(&t, one);
    return fleet_table(&t);
}

/* ---- one ---- */

/* The number of the request that is waited for, and its state as the server said it last. */
static json_int_t waited_for;
static bool is_over;

/* Prints the request as soon as it is over. */
static int print_when_over(const struct fleet *f, const json_t *answer)
{
    struct table t;
    size_t i;
    json_t *one;
    int status = CLI_FAILED;
    json_array_foreach(json_object_get(answer, "profiles"), i, one)
    {
        const char *state = fleet_text(one, "state");
        if (int_of(one, "id") != waited_for)
            continue;
        status = CLI_OK;
        is_over = strcmp(state, "waiting") != 0 && strcmp(state, "running") != 0;
        if (!is_over)
            continue;
        table_init(&t, columns, sizeof columns / sizeof *columns);
        add_rows(&t, one);
        status = fleet_table(&t);
        if (!status && !strcmp(state, "done"))
            printf("candor report --select '%s' --from -1h %s\n", fleet_text(one, "recordings"), f->address);
        else if (!status)
            status = cli_fail("%s: nothing was recorded: the request has %s", f->address, state);
    }
    return status;
}

static int wait_for(const struct fleet *f, json_int_t id)
{
    int status = CLI_OK;
    waited_for = id;
    while (!status && !is_over) {
        struct buffer query;
        sleep(LOOK_S);
        buffer_init(&query, FLEET_QUERY_MAX);
        buffer_text(&query, "/v1/profiles");
        status = fleet_show(f, &query, print_when_over);
    }
    return status;
}

static void put_text(const struct fleet *f, json_t *body, const char *option, const char *key)
{
    const char *value = cli_option(f->args, option);
    if (value)
        json_object_set_new(body, key, json_string(value));
}

static int ask(const struct fleet *f)
{
    struct buffer path;
    json_t *body = json_object(), *answer = NULL;
    const char *jvms = cli_option(f->args, "jvms");
    uint64_t n;
    put_text(f, body, "select", "select");
    put_text(f, body, "event", "events");
    put_text(f, body, "interval", "interval");
    put_text(f, body, "duration", "duration");
    put_text(f, body, "within", "within");
    put_text(f, body, "share", "share");
    if (jvms && number_parse(jvms, 1, JVMS_MAX, &n)) {
        json_decref(body);
        return cli_usage(f->args->command, "--jvms '%.20s': use a number from 1 to %d", jvms, JVMS_MAX);
    }
    if (jvms)
        json_object_set_new(body, "jvms", json_integer((json_int_t)n));
    buffer_init(&path, FLEET_QUERY_MAX);
    buffer_text(&path, "/v1/profiles");
    int status = fleet_tell(f, &path, body, &answer);
    json_int_t id = int_of(answer, "id");
    json_decref(answer);
    if (status)
        return status;
    if (cli_switch(f->args, "wait"))
        return wait_for(f, id);
    printf("%lld\n", (long long)id);
    return cli_finish_output();
}

/* ---- the view ---- */

static int profile_run(const struct fleet *f)
{
    static const char *const of_asking[] = {"event", "interval", "duration", "within", "share", "jvms", "wait"};
    struct buffer query;
    if (cli_switch(f->args, "wait") && cli_switch(f->args, "json"))
        return cli_usage(f->args->command, "--wait prints a table: use it without --json");
    if (cli_option(f->args, "select"))
        return ask(f);
    for (size_t i = 0; i < sizeof of_asking / sizeof *of_asking; i++)
        if (cli_option(f->args, of_asking[i]))
            return cli_usage(f->args->command, "--%s needs --select: say which JVMs to record", of_asking[i]);
    buffer_init(&query, FLEET_QUERY_MAX);
    buffer_text(&query, "/v1/profiles");
    return fleet_show(f, &query, print_all);
}

const struct fleet_view fleet_profile = {
    .name = "profile",
    .words = "",
    .summary = "ask for recordings of some JVMs, or show what was asked for",
    .options = "event duration interval jvms share within wait",
    .run = profile_run,
};
