#include "cli/fleet/silences.h"

#include "base/text/number.h"

static const struct table_column columns[] = {
    {"ID", true}, {"RULE", false}, {"OF", false}, {"UNTIL", false}, {"STATE", false}, {"BY", false}, {"NOTE", false},
};

bool silences_wanted(const struct fleet *f)
{
    return cli_switch(f->args, "silences") || cli_option(f->args, "silence") || cli_option(f->args, "end-silence");
}

/* ---- the list ---- */

static const char *or_any(const char *text)
{
    return *text ? text : "(any)";
}

static int print_list(const struct fleet *f, const json_t *answer)
{
    (void)f;
    struct table t;
    char until[FLEET_TIME_MAX];
    size_t i;
    json_t *one;
    table_init(&t, columns, sizeof columns / sizeof *columns);
    json_array_foreach(json_object_get(answer, "silences"), i, one)
    {
        bool lasts = json_is_true(json_object_get(one, "lasts"));
        table_add(&t, "%lld", (long long)json_integer_value(json_object_get(one, "id")));
        table_add(&t, "%s", or_any(fleet_text(one, "rule")));
        table_add(&t, "%s", or_any(fleet_text(one, "of")));
        table_add(&t, "%s", fleet_time(until, json_integer_value(json_object_get(one, "until"))));
        table_add(&t, "%s", lasts ? "lasts" : *fleet_text(one, "ended_by") ? "ended" : "over");
        table_add(&t, "%s", fleet_text(one, "by"));
        table_add(&t, "%s", fleet_text(one, "note"));
    }
    return fleet_table(&t);
}

static int list(const struct fleet *f)
{
    struct buffer query;
    fleet_begin(f, &query, "/v1/alerts/silences");
    return fleet_show(f, &query, print_list);
}

/* ---- changes ---- */

static int tell(const struct fleet *f, const char *where, json_t *body, const char *what)
{
    struct buffer path;
    json_t *answer = NULL;
    buffer_init(&path, FLEET_QUERY_MAX);
    buffer_text(&path, where);
    int status = fleet_tell(f, &path, body, &answer);
    if (!status)
        printf("silence %lld %s\n", (long long)json_integer_value(json_object_get(answer, "id")), what);
    json_decref(answer);
    return status ? status : cli_finish_output();
}

static int begin(const struct fleet *f)
{
    const char *of = cli_option(f->args, "of"), *note = cli_option(f->args, "note"), *rule = f->word_count ? f->words[0] : NULL;
    if (!rule && !of)
        return cli_usage(f->args->command, "--silence needs the name of a rule, --of VALUE, or both");
    json_t *body =
        json_pack("{s:s?,s:s?,s:s,s:s}", "rule", rule, "of", of, "for", cli_option(f->args, "silence"), "note", note ? note : "");
    if (!body)
        return cli_usage(f->args->command, "the rule, --of, --silence and --note must be UTF-8");
    return tell(f, "/v1/alerts/silences", body, "has begun");
}

static int end(const struct fleet *f)
{
    const char *text = cli_option(f->args, "end-silence");
    uint64_t id;
    if (number_parse(text, 1, INT64_MAX, &id))
        return cli_usage(f->args->command, "--end-silence '%.40s': give the ID that --silences shows", text);
    return tell(f, "/v1/alerts/silences/end", json_pack("{s:I}", "id", (json_int_t)id), "has ended");
}

int silences_run(const struct fleet *f)
{
    bool begins = cli_option(f->args, "silence"), ends = cli_option(f->args, "end-silence"), lists = cli_switch(f->args, "silences");
    if (begins + ends + lists + cli_switch(f->args, "preview") > 1)
        return cli_usage(f->args->command, "give one of --preview, --silences, --silence and --end-silence");
    if (!begins && (f->word_count || cli_option(f->args, "of") || cli_option(f->args, "note")))
        return cli_usage(f->args->command, "a rule, --of and --note go with --silence only");
    return begins ? begin(f) : ends ? end(f) : list(f);
}
