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
     "only what began in this time: +10s..+20s from the start, -5s.. to the end, 12:03:07..12:03:09, or absolute "
     "times"},
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
    .summary = "find what is wrong with a program, by rules, the worst first",
    .about =
        "Applies rules to a JFR recording, Candor's or the JDK's. The rules cover deadlocks; locks that threads queue "
        "for, and whether their owners sleep or do I/O meanwhile; writers that starve behind readers; pools of threads, "
        "connections or permits that are too small; processors that threads wait for; what the garbage collector takes, "
        "and its long pauses; boxed numbers, and lines that allocate much; leaks; threads that live for little work; "
        "safepoint storms, and loops that reach safepoints late; calls of System.gc(); slow peers; files that are "
        "forced to disk again and again; virtual threads that keep their carriers; exceptions used as control flow; and "
        "what the recording itself misses.\n\n"
        "Each finding shows the problem and its place, how much time it cost, with its 95 % interval, the report "
        "with details, and the remedy. Its score goes from 0 to 100: from 75 it is a warning, below 25 it is not "
        "shown. Scores use the low end of the interval, so what may be chance is not a finding. Quantities are means "
        "over the recording; --time looks at a part of it.\n\n"
        "The end of the output lists the rules that found nothing, and the rules that this recording does not allow "
        "to judge, with the command that records what they need. A recording with -e cpu,wall,alloc,live,lock,halt and --jfr on shows all.\n\n"
        "docs/findings.md describes the rules with their limits, docs/formats/analyze-json.md the output of --json.",
    .examples = "candor record -e cpu,wall,alloc,live,lock,halt --jfr on -d 60s -o app.jfr 4711 && candor analyze app.jfr\n"
                "    what is wrong with the program\n"
                "candor analyze --json app.jfr | jq '.findings[0]'\n    for programs\n",
    .options = options,
    .operand = CLI_FILE,
    .operands_min = 1,
    .operands_max = 1,
    .run = analyze_run,
};
