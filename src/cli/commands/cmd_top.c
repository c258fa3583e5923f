/* candor top: shows where a JVM's CPU time goes at present. */
#include "base/time_units.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/session.h"
#include "cli/top/batch.h"
#include "cli/top/live_loop.h"
#include "cli/top/terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct cli_option options[] = {
    {'w', "window", "TIME", NULL, "show the last TIME; 0 for all since the start (default 30s)"},
    {'r', "refresh", "TIME", NULL, "time between two screens (default 2s)"},
    {'s', "sort", "KEY", "self|total|name", "order of the rows (default self)"},
    {'t', "threads", NULL, NULL, "begin with threads instead of methods"},
    {0, "search", "TEXT", NULL, "only rows with TEXT in their names"},
    {'b', "batch", NULL, NULL, "print each screen as plain text instead of drawing it; for scripts"},
    {'n', "count", "N", NULL, "with --batch: print N screens, then end"},
    {0, "top", "N", NULL, "with --batch: rows in a screen; 0 for all (default 20)"},
    {'e', "event", "EVENT", "cpu|safepoint", "what to sample (default cpu)"},
    {'i', "interval", "TIME", NULL, "time between two samples of a thread (default 10ms)"},
    {0, "max-overhead", "PERCENT", NULL,
     "sample less often if the profiler would take more of the JVM's CPU time "
     "(such as 1%)"},
    {'o', "output", "FILE", NULL, "record to this file, and keep it"},
    SESSION_TIMEOUT_OPTION,
    {0},
};

static int read_options(struct look *l, struct model *m, const struct cli_args *args)
{
    unsigned long long window, refresh;
    uint32_t count, rows;
    const char *sort = cli_option(args, "sort"), *search = cli_option(args, "search");
    int status = cli_duration(args, "window", 30 * NS_PER_S, &window);
    if (!status)
        status = cli_duration(args, "refresh", 2 * NS_PER_S, &refresh);
    if (!status)
        status = cli_number(args, "count", 0, &count);
    if (!status)
        status = cli_number(args, "top", 20, &rows);
    if (status)
        return status;
    if (refresh < 100000000u || refresh > 3600 * NS_PER_S)
        return cli_usage(args->command, "--refresh must be from 100ms to 1h");
    if (!cli_switch(args, "batch") && (cli_option(args, "count") || cli_option(args, "top")))
        return cli_usage(args->command, "--count and --top need --batch");
    if (cli_option(args, "count") && !count)
        return cli_usage(args->command, "--count 0 would print nothing; use 1 or more");
    model_init(m, window);
    m->sort = !sort || !strcmp(sort, "self") ? MODEL_BY_SELF : !strcmp(sort, "total") ? MODEL_BY_TOTAL : MODEL_BY_NAME;
    if (cli_switch(args, "threads"))
        model_show(m, ROWS_THREADS);
    if (search)
        snprintf(m->search, sizeof m->search, "%s", search);
    *l = (struct look){.refresh_ns = refresh, .count = count, .rows = rows, .colour = cli_colour(stdout)};
    return CLI_OK;
}

/* Sets the locale. An ssh client may ask for a locale that is not installed here; if its name says UTF-8, C.UTF-8 is used instead. */
static void choose_locale(void)
{
    const char *wanted = getenv("LC_ALL");
    if (!wanted || !*wanted)
        wanted = getenv("LC_CTYPE");
    if (!wanted || !*wanted)
        wanted = getenv("LANG");
    if (!setlocale(LC_CTYPE, "") && wanted && (strcasestr(wanted, "utf-8") || strcasestr(wanted, "utf8")))
        setlocale(LC_CTYPE, "C.UTF-8");
}

static void propose_file(struct model *m, const char *name)
{
    char stamp[32];
    struct tm local;
    time_t now = time(NULL);
    strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", localtime_r(&now, &local));
    snprintf(m->file, sizeof m->file, "candor-%s-%s.jfr", name, stamp);
}

static int watch(const struct session *session, const struct cli_args *args, struct recording *r, struct look *l, struct model *m)
{
    struct source source;
    interrupt_catch();
    int status = source_open(&source, session, r, args);
    if (status)
        return status;
    look_init(l, &source, m);
    propose_file(m, session->name);
    if (!source.own)
        model_say(m, false, "showing the recording that is already running, to %s", source.file);
    status = cli_switch(args, "batch") ? batch_run(l) : live_loop_run(l);
    int ended = source_close(&source);
    if (l->over && *l->state)
        fprintf(stderr, "candor: %.*s\n", (int)strcspn(l->state, ":"), l->state);
    return status ? status : ended;
}

static int top_run(const struct cli_args *args)
{
    struct recording r;
    struct session session;
    struct look l;
    struct model m;
    struct error e;
    int status = recording_read(&r, args);
    if (!status)
        status = read_options(&l, &m, args);
    if (status)
        return status;
    choose_locale();
    if (!cli_switch(args, "batch") && terminal_check(&e))
        return cli_fail("%s", e.text);
    status = session_open(&session, args);
    if (!status)
        status = watch(&session, args, &r, &l, &m);
    session_close(&session);
    model_deinit(&m);
    return status;
}

const struct cli_command command_top = {
    .name = "top",
    .arguments = "[OPTION...] (PID | NAME)",
    .summary = "show live where the CPU time of a JVM goes",
    .about = "Shows the hottest methods or threads of the last 30 seconds, or since the start, and what could not be "
             "seen, like 'candor report': shares of the sampled CPU time with 95 % confidence intervals, and the books, "
             "which account for all CPU time. A bar is solid up to the lower end of the interval, and fainter from there "
             "to the upper end. Enter opens a row: the callers of a method, the methods it calls, the work of a thread. "
             "'?' lists all keys.\n\n"
             "It starts a recording in the JVM as 'candor record' does, into a file of its own in $TMPDIR or /tmp, and "
             "reads the file as it grows. At the end, also by a signal, it stops the recording and removes the file. S "
             "saves the data recorded so far under a name; --output keeps the whole file. If the JVM already has a recording of CPU time, "
             "top shows that recording from now on, and leaves it running. If options say what to record, top starts a recording of its "
             "own beside the other one.\n\n"
             "With NO_COLOR set, or on a terminal without colors, it uses only bold and reverse. With --batch it prints plain text. If "
             "standard output is not a terminal, lines are as long as the names require.",
    .examples = "candor top 4711\n    watch process 4711\n"
                "candor top --window 0 --sort total Main\n    since the start, by total\n"
                "candor top -b -n 1 -r 10s 4711\n    print one screen, of ten seconds\n",
    .options = options,
    .operand = CLI_PROCESS,
    .operands_min = 1,
    .operands_max = 1,
    .run = top_run,
};
