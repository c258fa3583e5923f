/* candor analyze FILE: what is wrong, by rules. */
#include "cli/cli.h"

#include "analysis/analyze.h"
#include "analysis/findings_print.h"
#include "analysis/recording_evidence.h"
#include "cli/read/problems.h"
#include "cli/read/remote.h"

#include <errno.h>
#include <string.h>

static const struct cli_option options[] = {
    {0, "time", "RANGE", NULL,
     "only what began in a time: +10s..+20s from the start, -5s.. to the end, 12:03:07..12:03:09, or absolute times"},
    {'n', "top", "N", NULL, "findings to show; 0 for all (default 10)"},
    {0, "json", NULL, NULL, "as JSON"},
    CLI_UNPACK_OPTION,
    {0},
};

enum { TOP = 10 };

static int print(const struct evidence *e, const struct findings_print *o, bool json)
{
    struct findings f;
    int rc = findings_init(&f);
    rc = rc ? rc : analyze(&f, e);
    if (!rc)
        (json ? findings_print_json : findings_print_text)(stdout, &f, o);
    findings_deinit(&f);
    return rc ? cli_fail("%s: out of memory", o->file) : cli_finish_output();
}

static int analyze_file(const struct cli_args *args, uint32_t top)
{
    static struct jfr_problems problems;
    const char *path = args->operands[0];
    struct recording_evidence *r;
    struct error e;
    int rc = recording_evidence_load(&r, path, cli_option(args, "time"), &problems, &e);
    if (rc == -EDOM)
        return cli_usage(args->command, "%s", e.text);
    if (rc)
        return cli_fail("%s%s%s", rc == -ERANGE ? path : "", rc == -ERANGE ? ": " : "", e.text);
    const struct evidence *evidence = recording_evidence_get(r);
    int status = print(evidence, &(struct findings_print){path, evidence->duration_ns, top}, cli_switch(args, "json"));
    problems_print(path, &problems);
    recording_evidence_free(r);
    return status;
}

static int analyze_run(const struct cli_args *args)
{
    const char *path = args->operands[0];
    uint32_t top;
    int status = cli_number(args, "top", TOP, &top);
    if (status)
        return status;
    if (remote_is(path))
        return cli_fail("%s: a server keeps samples, and not what threads waited for; give the recording's FILE", path);
    if (!strcmp(path, "-"))
        return cli_fail("-: the recording is read once for each kind of samples; give it as a file");
    return analyze_file(args, top);
}

const struct cli_command command_analyze = {
    .name = "analyze",
    .arguments = "[OPTION...] FILE",
    .summary = "what is wrong: findings by rules, the worst first",
    .about =
        "Judges a JFR recording, Candor's or the JDK's, by rules about waiting: deadlocks; locks that threads queue for, and whether "
        "their owners sleep or do I/O meanwhile; writers that starve behind readers; pools of threads that are too small for their "
        "queue; safepoints in a storm, and loops that are late to them; calls of System.gc(); slow peers; files that are forced to disk "
        "again and again; virtual threads that keep their carriers; exceptions as the way the program goes.\n\n"
        "Each finding says what and where, how much time it cost, with its 95 % interval, which report shows it, and what to do. Its score "
        "goes from 0 to 100: from 75 it is a warning, below 25 it is not shown. Scores rest on the low end of the interval, so what may be "
        "chance is not found. Quantities are means over the recording; --time looks at a part of it.\n\n"
        "At the end stands which rules found nothing, and which could not be judged by this recording, with the command that records what "
        "they take. The most tells -e cpu,wall,lock,halt with --jfr on.\n\n"
        "docs/findings.md has the rules with their limits, docs/formats/analyze-json.md the output of --json.",
    .examples = "candor record -e cpu,wall,lock,halt --jfr on -d 60s -o app.jfr 4711 && candor analyze app.jfr\n"
                "    what keeps the program waiting\n"
                "candor analyze --json app.jfr | jq '.findings[0]'\n    for programs\n",
    .options = options,
    .operand = CLI_FILE,
    .operands_min = 1,
    .operands_max = 1,
    .run = analyze_run,
};
