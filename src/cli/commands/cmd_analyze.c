/* candor analyze FILE: finds problems in a recording, by rules. */
#include "cli/cli.h"

#include "cli/analyze/judge.h"
#include "cli/read/remote.h"

#include <string.h>

static const struct cli_option options[] = {
    {0, "time", "RANGE", NULL,
     "only samples and halts that began in this time: +10s..+20s from the start, -5s.. to the end, 12:03:07..12:03:09, or absolute times"},
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
        return cli_fail("%s: a server keeps samples, but not what threads waited for; give the FILE of a recording", path);
    if (!strcmp(path, "-"))
        return cli_fail(
            "-: standard input can be read only once, but this command reads the recording once for each kind of sample; give a file");
    return judge_file(&judge, args, path);
}

const struct cli_command command_analyze = {
    .name = "analyze",
    .arguments = "[OPTION...] FILE",
    .summary = "find problems of a program by rules, and show the worst first",
    .about = "Applies rules to a JFR recording, Candor's or the JDK's. The rules cover deadlocks; contended locks, and whether their "
             "owners sleep or do I/O while they hold them; writers that starve behind readers; pools of threads, connections or permits "
             "that are too small; a lack of processors; the cost and the long pauses of garbage collection; boxed numbers, and lines that "
             "allocate much; leaks; threads that end after little work; frequent safepoints, and loops that reach safepoints late; calls "
             "of System.gc(); slow peers; files that are forced to disk again and again; virtual threads that keep their carrier threads; "
             "exceptions used as control flow; and CPU time that the recording itself misses.\n\n"
             "Each finding shows the problem and its place, how much time it cost, with its 95 % interval, the report "
             "with details, and the remedy. Its score goes from 0 to 100: from 75 it is a warning, below 25 it is not "
             "shown. Scores use the low end of the interval, so a value that may be due to chance is not a finding. Quantities are means "
             "over the recording. The rules also judge windows of 10 s and 60 s separately, and show the worst window if it is worse than "
             "the whole recording. --time judges only a part of the recording.\n\n"
             "The end of the output lists the rules that found nothing, and the rules that could not be judged because the recording lacks "
             "their events, with the command that records these. 'candor diagnose' records the events of all rules.\n\n"
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
