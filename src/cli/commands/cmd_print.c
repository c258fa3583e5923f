/* candor print FILE: prints the events of any JFR file, one by one. */
#include "cli/cli.h"

#include "cli/read/problems.h"
#include "events/as_json.h"
#include "events/as_text.h"
#include "events/walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option options[] = {
    {'e', "events", "LIST", NULL, "only these types: comma-separated names, '*' and '?' are wildcards"},
    {0, "categories", "LIST", NULL, "only types of these categories, in the same notation"},
    {'n', "limit", "N", NULL, "stop after N events (default: none)"},
    {0, "stack-depth", "N", NULL, "number of frames to print of each stack trace; 0 for all (default 5; with --json all)"},
    {0, "exact", NULL, NULL, "print all digits of numbers and times, and all types of frames"},
    {0, "json", NULL, NULL, "print JSON, one event a line"},
    CLI_UNPACK_OPTION,
    {0},
};

enum { ENOUGH = 1 }; /* ends the walk */

struct job {
    const char *path;
    struct selection selection;
    struct as_text text;
    struct as_json json;
    bool as_json;
    uint32_t limit, printed; /* limit 0 = none */
};

static int print_event(void *context, struct jfr_event *event)
{
    struct job *job = context;
    if (job->as_json) {
        struct jsonw fresh = {.out = stdout};
        job->json.json = fresh;
        as_json_event(&job->json, event);
        jsonw_finish(&job->json.json);
    } else {
        as_text_event(&job->text, event);
    }
    job->printed++;
    return ferror(stdout) || job->printed == job->limit ? ENOUGH : 0;
}

/* Fails if a name fits no event type of the recording, because it is probably mistyped. */
static int check_met(const struct job *job)
{
    const struct selection_pattern *unmet = selection_unmet(&job->selection);
    if (!unmet)
        return CLI_OK;
    return cli_fail("%s: no event type of this recording %s '%.80s'; 'candor summary --all %s' lists them", job->path,
                    unmet->category ? "is in a category" : "is called", unmet->text, job->path);
}

static int print_file(struct job *job, struct jfr_problems *problems)
{
    struct jfr_file *file;
    struct error e;
    if (jfr_file_open(&file, job->path, problems, &e))
        return cli_fail("%s", e.text);
    int rc = walk_events(file, &job->selection, print_event, job, problems, &e);
    jfr_file_close(file);
    int status = rc < 0 ? cli_fail("%s: %s", job->path, e.text) : CLI_OK;
    problems_print(job->path, problems);
    if (job->json.cut)
        cli_fail("%s: %llu values were printed as null, because they are nested too deeply or there are too many", job->path,
                 (unsigned long long)job->json.cut);
    return status || rc == ENOUGH ? status : check_met(job);
}

static int print_run(const struct cli_args *args)
{
    static struct jfr_problems problems;
    struct job job = {.path = args->operands[0], .as_json = cli_switch(args, "json")};
    job.text = (struct as_text){.out = stdout, .exact = cli_switch(args, "exact")};
    uint32_t depth;
    int status = cli_number(args, "limit", 0, &job.limit);
    if (!status)
        status = cli_number(args, "stack-depth", job.as_json ? 0 : 5, &depth);
    if (status)
        return status;
    if (cli_option(args, "limit") && !job.limit)
        return cli_usage(args->command, "--limit 0 would print nothing; leave it out for all events");
    job.text.stack_depth = job.json.stack_depth = depth;
    if (selection_init(&job.selection, cli_option(args, "events"), cli_option(args, "categories")))
        status = cli_fail("%s: out of memory", job.path);
    else
        status = print_file(&job, &problems);
    selection_deinit(&job.selection);
    int written = cli_finish_output();
    return status ? status : written;
}

const struct cli_command command_print = {
    .name = "print",
    .arguments = "[OPTION...] FILE",
    .summary = "print the events of any JFR file, one by one",
    .about = "Prints a recording event by event: any JFR file, from the JDK (8 to 27), async-profiler, Datadog or Candor; "
             "'-' is standard input. Within a chunk of the file, events are in order of their start times.\n\n"
             "A name without a dot matches the last part of a type's name: CPULoad, GC*, jdk.ThreadPark. A category is "
             "one level of the type's category or its initials: GC, 'Java Application', JVM. Case does not matter. With "
             "both options an event is printed if either matches. 'candor summary FILE' lists the types.\n\n"
             "With --json each line is one JSON object in the form that 'jfr print --json' uses for its events; "
             "docs/formats/print-json.md describes it. Damaged parts of the file are skipped, with a line on standard "
             "error.",
    .examples = "candor print --events ThreadPark,JavaMonitor* app.jfr\n"
                "    which threads waited, and where\n"
                "candor print --categories GC --limit 10 app.jfr\n"
                "    the first ten events about garbage collection\n"
                "candor print --json --events CPULoad app.jfr | jq .values.jvmUser\n"
                "    for programs\n",
    .options = options,
    .operand = CLI_FILE,
    .operands_min = 1,
    .operands_max = 1,
    .run = print_run,
};
