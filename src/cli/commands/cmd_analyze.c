/* candor analyze FILE: finds problems in a recording, by rules. */
#include "cli/cli.h"

#include "cli/analyze/judge.h"
#include "cli/read/remote.h"

#include <string.h>

static const struct cli_option options[] = {
    {0, "time", "RANGE", NULL,
     "only what began in this time: +10s..+20s from the start, -5s.. to the end, 12:03:07..12:03:09, or absolute "
     "times"},
    JUDGE_OPTIONS CLI_UNPACK_OPTION,
    {0},
};

static int analyze_run(const struct cli_args *args)
{
    const char *path = args->operands[0];
    struct judge judge;
    int status = judge_read(&judge, args);
    if (status)
        return status;
    if (remote_is(path))
        return cli_fail("%s: a server keeps samples, and not what threads waited for; give the recording's FILE", path);
    if (!strcmp(path, "-"))
        return cli_fail("-: the recording is read once for each kind of samples; give it as a file");
    return judge_file(&judge, args, path);
}

const struct cli_command command_analyze = {
    .name = "analyze",
    .arguments = "[OPTION...] FILE",
    .summary = "find what is wrong with a program, by rules, the worst first",
    .about = "Applies rules to a JFR recording, Candor's or the JDK's. The rules cover deadlocks; locks that threads queue "
             "for, and whether their owners sleep or do I/O meanwhile; writers that starve behind readers; pools of threads, "
             "connections or permits that are too small; processors that threads wait for; what the garbage collector takes, "
             "and its long pauses; boxed numbers, and lines that allocate much; leaks; threads that live for little work; "
             "safepoint storms, and loops that reach safepoints late; calls of System.gc(); slow peers; files that are "
             "forced to disk again and again; virtual threads that keep their carriers; exceptions used as control flow; and "
             "what the recording itself misses.\n\n"
             "Each finding shows the problem and its place, how much time it cost, with its 95 % interval, the report "
             "with details, and the remedy. Its score goes from 0 to 100: from 75 it is a warning, below 25 it is not "
             "shown. Scores use the low end of the interval, so what may be chance is not a finding. Quantities are means "
             "over the recording; windows of 10 s and 60 s are also judged by themselves, and the worst is shown if it is "
             "worse than the whole. --time looks at a part.\n\n"
             "The end of the output lists the rules that found nothing, and the rules that this recording does not allow "
             "to judge, with the command that records what they need. 'candor diagnose --jfr on' records all of it.\n\n"
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
