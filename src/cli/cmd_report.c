/* candor report FILE: where the time went, how sure that is, and the books. */
#include "cli/cli.h"

#include "profile/load_jfr.h"
#include "report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const struct cli_option options[] = {
    {0, "kind", "KIND", "cpu|wall|alloc|lock|live|waiting",
     "which samples (default cpu); waiting: of threads that waited, from -e safepoint"},
    {0, "sections", "LIST", NULL, "comma-separated: methods, lines, tree, threads, books"},
    {0, "tree", NULL, NULL, "with the call tree, from the root down"},
    {0, "threshold", "PERCENT", NULL, "leave out branches of the tree below this (default 1)"},
    {'n', "top", "N", NULL, "rows per table; 0 for all (default 20 methods, 10 lines, 10 threads)"},
    {0, "sort", "BY", "self|total", "order of methods and lines (default self)"},
    {0, "json", NULL, NULL, "as JSON"},
    {0},
};

static const struct {
    const char *name;
    enum report_section section;
} sections[] = {
    {"methods", REPORT_METHODS}, {"lines", REPORT_LINES}, {"tree", REPORT_TREE},
    {"threads", REPORT_THREADS}, {"books", REPORT_BOOKS},
};

static int parse_sections(const struct cli_args *args, unsigned *out)
{
    const char *list = cli_option(args, "sections");
    *out = REPORT_METHODS | REPORT_LINES | REPORT_THREADS | REPORT_BOOKS;
    if (list)
        *out = 0;
    while (list) {
        size_t len = strcspn(list, ","), i = 0, n = sizeof sections / sizeof *sections;
        while (i < n && (strlen(sections[i].name) != len || memcmp(sections[i].name, list, len)))
            i++;
        if (i == n)
            return cli_usage(args->command, "no section '%.*s'; there are methods, lines, tree, threads, books",
                             (int)(len < 60 ? len : 60), list);
        *out |= sections[i].section;
        list = list[len] ? list + len + 1 : NULL;
    }
    if (cli_switch(args, "tree"))
        *out |= REPORT_TREE;
    return CLI_OK;
}

static int parse_top(const struct cli_args *args, struct report_options *o)
{
    const char *text = cli_option(args, "top");
    char *end;
    if (!text)
        return CLI_OK;
    errno = 0;
    unsigned long top = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || top > INT32_MAX)
        return cli_usage(args->command, "--top wants a number, not '%.60s'", text);
    o->top_set = true;
    o->top = (uint32_t)top;
    return CLI_OK;
}

static int parse_threshold(const struct cli_args *args, struct report_options *o)
{
    const char *text = cli_option(args, "threshold");
    char *end = NULL;
    double percent = text ? strtod(text, &end) : 1;
    if (text && (end == text || *end || !(percent >= 0 && percent <= 100)))
        return cli_usage(args->command, "--threshold wants a percentage, not '%.60s'", text);
    o->threshold = percent / 100;
    return CLI_OK;
}

/* The terminal's width; where output goes elsewhere, lines are as long as they need to be. */
static unsigned terminal_width(FILE *out)
{
    struct winsize size;
    if (!isatty(fileno(out)))
        return 0;
    if (!ioctl(fileno(out), TIOCGWINSZ, &size) && size.ws_col)
        return size.ws_col;
    return 80;
}

static int parse_options(const struct cli_args *args, struct report_options *o)
{
    const char *sort = cli_option(args, "sort");
    o->order = sort && !strcmp(sort, "total") ? STATS_BY_TOTAL : STATS_BY_SELF;
    int status = parse_sections(args, &o->sections);
    if (!status)
        status = parse_top(args, o);
    return status ? status : parse_threshold(args, o);
}

typedef int report_printer(FILE *out, const struct profile *p, struct stats *s, const struct report_options *o);

static int print(const char *path, enum profile_kind kind, FILE *out, report_printer *printer, const struct report_options *o)
{
    struct profile p;
    struct stats s = {0};
    struct error e;
    int status = CLI_OK;
    if (profile_init(&p))
        return cli_fail("%s: out of memory", path);
    p.kind = kind;
    if (profile_load_jfr(&p, path, &e)) {
        status = cli_fail("%s", e.text);
    } else if (kind == PROFILE_WAITING && !profile_is_safepoint(&p)) {
        status = cli_fail("%s: no samples of waiting threads in this recording; record with -e safepoint", path);
    } else {
        int rc = stats_compute(&s, &p);
        if (!rc)
            rc = printer(out, &p, &s, o);
        if (rc)
            status = cli_fail("%s: %s", path, strerror(-rc));
    }
    stats_deinit(&s);
    profile_deinit(&p);
    return status;
}

static int report_run(const struct cli_args *args)
{
    const char *path = args->operands[0], *kind = cli_option(args, "kind");
    struct report_options o = {.width = terminal_width(stdout), .colour = cli_colour(stdout)};
    int status = parse_options(args, &o);
    if (status)
        return status;
    bool waiting = kind && !strcmp(kind, "waiting");
    if (kind && strcmp(kind, "cpu") && !waiting)
        return cli_fail("%s: no %s samples in this recording, only cpu", path, kind);
    status = print(path, waiting ? PROFILE_WAITING : PROFILE_RUNNING, stdout,
                   cli_switch(args, "json") ? report_json : report_text, &o);
    int written = cli_finish_output();
    return status ? status : written;
}

int report_print_summary(const char *file, FILE *out)
{
    struct report_options o = {.sections = REPORT_METHODS | REPORT_BOOKS,
                               .top_set = true,
                               .top = 10,
                               .width = terminal_width(out),
                               .colour = cli_colour(out)};
    return print(file, PROFILE_RUNNING, out, report_text, &o);
}

const struct cli_command command_report = {
    .name = "report",
    .arguments = "[OPTION...] FILE",
    .summary = "where the time went: hot methods, lines, threads, and the books",
    .about =
        "Reads a recording (any JFR file; '-' is standard input) and prints where the CPU time went. 't' is the share "
        "of "
        "samples with the method anywhere on the stack, 's' with it at the top; in brackets stands the 95 % confidence "
        "interval. Functions of the kernel are marked (kernel). At the root of the stacks of the JVM's own threads stands what "
        "they work at: [JIT], [GC] or [VM operation], and on it the method that is compiled, or the operation.\n\n"
        "The books at the end say where the CPU time of the whole process went: into samples with a stack, samples "
        "without one, time that was lost or that no clock could show. The residual is what is left over. A recording "
        "that is not Candor's has no books.\n\n"
        "Of a recording of the event safepoint the report shows the threads that were running, by the wall clock, and with "
        "--kind waiting those that waited, whose stacks are exact. Its books are of the threads' time, not of CPU time.\n\n"
        "docs/formats/report-json.md describes the output of --json.",
    .examples = "candor report app.jfr\n    the hot methods, lines and threads, and the books\n"
                "candor report --sections tree --threshold 5 app.jfr\n    the call tree, branches of 5 % and more\n"
                "candor report --kind waiting app.jfr\n    where threads waited, of a recording made with -e safepoint\n"
                "candor report --json app.jfr | jq '.methods[:3]'\n    for programs\n",
    .options = options,
    .operand = CLI_FILE,
    .operands_min = 1,
    .operands_max = 1,
    .run = report_run,
};
