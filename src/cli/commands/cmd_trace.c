/* candor trace FILE TRACE_ID: shows what the threads did for one request. */
#include "cli/cli.h"

#include "base/text/trace_link.h"
#include "cli/fleet/fleet.h"
#include "cli/read/input.h"
#include "cli/read/remote.h"
#include "cli/read/trace_id.h"
#include "format/read/formats.h"
#include "report/trace.h"

#include <string.h>

static const struct cli_option options[] = {
    {0, "json", NULL, NULL, "as JSON"},
    {0, "trace-link", "URL", NULL,
     "also print where a tracing system shows the trace: its address, with {trace} for the id, such as https://jaeger/trace/{trace}"},
    {0, "from", "TIME", NULL, "for a server: the beginning: -1h, 2026-11-22T16:41:00Z or seconds since the epoch (default -1h)"},
    REMOTE_OPTIONS,
    CLI_UNPACK_OPTION,
    {0},
};

/* Whether the profile has samples of the kind. Samples of any source count as CPU time, unless their weights are in another unit. */
static bool has_samples(const struct profile *p, enum profile_kind kind)
{
    return p->kind == kind && p->unit == profile_kinds[kind].unit &&
           (kind == PROFILE_RUNNING || profile_kind_comes_from(kind, profile_text(p, p->source)));
}

static int read_kind(struct profile *p, struct trace *t, const char *path, const char *id, int i)
{
    struct error e;
    p->kind = trace_kinds[i];
    if (formats_load(p, path, NULL, NULL, &e))
        return cli_fail("%s", e.text);
    if (!has_samples(p, trace_kinds[i]))
        return CLI_OK;
    int status = trace_id_keep(p, path, id);
    if (!status && trace_add(t, p))
        status = cli_fail("%s: out of memory", path);
    return status;
}

static int print(struct trace *t, const char *path, const char *id, bool json)
{
    if (trace_finish(t))
        return cli_fail("%s: out of memory", path);
    if (!t->samples)
        return cli_fail("%s: no sample of trace %s; a request shorter than the sampling interval may have none", path, id);
    (json ? trace_json : trace_text)(stdout, t, id);
    return cli_finish_output();
}

/* ---- a server ---- */

static int print_answer(const struct fleet *f, const json_t *answer)
{
    const char *text = fleet_text(answer, "text");
    long long read = json_integer_value(json_object_get(json_object_get(answer, "recordings"), "read"));
    if (!*text)
        return cli_fail(
            "%s: no sample of trace %s in %lld recordings of that time; a request shorter than the sampling interval may have none",
            f->address, f->words[0], read);
    fputs(text, stdout);
    return cli_finish_output();
}

static int ask(const struct cli_args *args, const char *id)
{
    const struct fleet f = {args, args->operands[0], args->operands + 1, 1};
    struct buffer query;
    char path[sizeof "/v1/spans/" + TRACE_ID_DIGITS];
    snprintf(path, sizeof path, "/v1/spans/%s", id);
    fleet_begin(&f, &query, path);
    if (!cli_switch(args, "json"))
        fleet_put(&query, "format", "text");
    return fleet_show(&f, &query, print_answer);
}

/* Returns the name of an option that only a server takes, if one is given. */
static const char *given(const struct cli_args *args)
{
    static const char *const names[] = {"select", "from", "until", "token-file", "ca-file"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (cli_option(args, names[i]))
            return names[i];
    return NULL;
}

/* ---- both ---- */

static int trace_run(const struct cli_args *args)
{
    char id[TRACE_ID_DIGITS + 1];
    char *path = args->operands[0];
    struct profile profiles[TRACE_KINDS];
    struct trace t = {0};
    struct error e;
    int status = trace_id_parse(args->command, args->operands[1], id), made = 0;
    t.link = cli_option(args, "trace-link");
    if (!status && t.link && trace_link_check(t.link, &e))
        return cli_usage(args->command, "%s", e.text);
    if (!status && t.link && remote_is(path))
        return cli_usage(args->command, "--trace-link is for a FILE; a server has an option of its own, candor server --trace-link");
    if (!status && remote_is(path))
        return ask(args, id);
    if (!status && given(args))
        return cli_usage(args->command, "--%s needs a server: give http://HOST:PORT instead of a FILE", given(args));
    if (!status && !strcmp(path, "-"))
        return cli_fail(
            "-: standard input can be read only once, but this command reads the recording once for each kind of sample; give a file");
    for (; !status && made < TRACE_KINDS; made++) {
        if (profile_init(&profiles[made])) {
            status = cli_fail("%s: out of memory", path);
            break;
        }
        status = read_kind(&profiles[made], &t, path, id, made);
    }
    status = status ? status : print(&t, path, id, cli_switch(args, "json"));
    trace_deinit(&t);
    while (made--)
        profile_deinit(&profiles[made]);
    return status;
}

const struct cli_command command_trace = {
    .name = "trace",
    .arguments = "[OPTION...] FILE TRACE_ID",
    .summary = "show one request's life across its threads",
    .about =
        "Prints what the threads of one trace did, in order of time: where they used the CPU, where and in which state they waited, "
        "what they allocated, which locks they waited for, and who held these locks for which request. Each line has the span and the "
        "program's method. Successive samples at the same place are one line, "
        "with the sum of their weights.\n\n"
        "The program must set a context on its threads, with candor-context.jar or, if it uses OpenTelemetry, with "
        "candor-opentelemetry.jar (docs/context.md). The output shows only samples: with -e cpu,wall,alloc,lock all "
        "of these. A request that is shorter than the intervals may have no sample. For a frequent request it is better "
        "to look at its endpoint: candor report --group-by endpoint.\n\n"
        "Instead of a FILE you can give a server (candor server), as http://HOST:PORT. It reads the recordings that it still has from "
        "--from to --until, so the output shows the request in all services; each thread then has its service and host. Standard error "
        "says how many recordings were not read.\n\n"
        "docs/formats/trace-json.md describes the output of --json.",
    .examples = "candor trace app.jfr 4bf92f3577b34da6a3ce929d0e0e4736\n"
                "    what that request's threads did\n"
                "candor trace http://candor.example:4041 4bf92f3577b34da6a3ce929d0e0e4736\n"
                "    the same in all services that send to the server, in the last hour\n"
                "candor report --group-by trace_id --top 10 app.jfr\n"
                "    the ten traces with the most CPU time\n",
    .options = options,
    .operand = CLI_FILE,
    .operands_min = 2,
    .operands_max = 2,
    .run = trace_run,
};
