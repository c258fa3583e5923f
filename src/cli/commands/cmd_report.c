/* candor report FILE: shows where the time went, how certain that is, and the books. */
#include "cli/cli.h"

#include "cli/convert/kinds_page.h"
#include "cli/read/input.h"
#include "cli/read/trace_id.h"
#include "cli/report/halts.h"
#include "cli/report/output.h"
#include "profile/allocated.h"
#include "profile/filter.h"
#include "report/profile_report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option options[] = {
    {0, "kind", "KIND", PROFILE_KIND_CHOICES("|halt"), "which samples; " PROFILE_KIND_HELP "halt: no samples, but what stopped threads"},
    {0, "sections", "LIST", NULL, "comma-separated: methods, lines, classes, packages, types, tree, bottom-up, threads, books"},
    {0, "group-by", "KEY", NULL,
     "add a table by the values of a label: endpoint, trace_id, ... (see docs/context.md), or any other label of the profile"},
    {0, "trace", "TRACE_ID", NULL, "only samples of this trace; candor trace shows them in order of time"},
    {0, "tree", NULL, NULL, "add the call tree, from the root down"},
    {0, "callers", "REGEX", NULL, "add the tree of callers of the methods that match REGEX"},
    {0, "callees", "REGEX", NULL, "add the tree of methods that the methods matching REGEX call"},
    {0, "threshold", "PERCENT", NULL, "leave out branches of trees with less than this share, in percent (default 1)"},
    {'n', "top", "N", NULL, "rows per table; 0 for all (default 20 methods, 10 lines, 10 threads)"},
    {0, "sort", "BY", "self|total", "order of methods and lines (default self)"},
    {0, "idle", NULL, NULL, "with wall-clock time and locks: also show threads that waited for work"},
    {0, "timeline", NULL, NULL, "with --kind halt: show what each thread did, column by column"},
    {0, "json", NULL, NULL, "as JSON"},
    {'o', "output", "FILE", NULL, "write to this file: .html, a page with all kinds of sample; .json; or .txt"},
    {0, "format", "FORMAT", "text|json|html", "the format of the file, if its name has no extension of a format"},
    KINDS_PAGE_OPTIONS,
    INPUT_OPTIONS,
    {0},
};

enum { HALT_ROWS = 20 };

static const struct {
    const char *name;
    enum report_section section;
} sections[] = {
    {"methods", REPORT_METHODS},     {"lines", REPORT_LINES},     {"classes", REPORT_CLASSES},
    {"packages", REPORT_PACKAGES},   {"types", REPORT_TYPES},     {"tree", REPORT_TREE},
    {"bottom-up", REPORT_BOTTOM_UP}, {"threads", REPORT_THREADS}, {"books", REPORT_BOOKS},
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
            return cli_usage(args->command,
                             "no section '%.*s'; the sections are methods, lines, classes, packages, types, tree, bottom-up, "
                             "threads, books",
                             (int)(len < 60 ? len : 60), list);
        *out |= sections[i].section;
        list = list[len] ? list + len + 1 : NULL;
    }
    if (cli_switch(args, "tree"))
        *out |= REPORT_TREE;
    return CLI_OK;
}

/* The methods that --callers and --callees name. */
struct patterns {
    struct filter_pattern callers, callees;
};

static int parse_callers(const struct cli_args *args, struct patterns *patterns, struct report_options *o)
{
    int status = input_pattern(args, "callers", &patterns->callers);
    status = status ? status : input_pattern(args, "callees", &patterns->callees);
    o->callers = patterns->callers.regex;
    o->callees = patterns->callees.regex;
    return status;
}

static int parse_options(const struct cli_args *args, struct report_options *o)
{
    const char *sort = cli_option(args, "sort");
    o->order = sort && !strcmp(sort, "total") ? STATS_BY_TOTAL : STATS_BY_SELF;
    int status = parse_sections(args, &o->sections);
    o->top_set = cli_option(args, "top") != NULL;
    o->leaves_idle_out = !cli_switch(args, "idle") && !cli_option(args, "state");
    o->all_books = cli_option(args, "sections") != NULL;
    o->each_thread = o->sections == REPORT_THREADS;
    o->label = cli_option(args, "group-by");
    if (!status)
        status = cli_number(args, "top", 0, &o->top);
    return status ? status : cli_percent(args, "threshold", 1, 0, &o->threshold);
}

/* The job of printing the samples of a profile, by a printer or as a page. */
struct print_job {
    const struct cli_args *args; /* NULL = no options, and one path */
    char **paths;
    int count;
    enum profile_kind kind;
    report_printer *printer; /* NULL = a page */
    const struct report_options *options;
    struct profile *profile;
};

int report_print_json(struct profile *p, FILE *out)
{
    const struct report_options o = {.sections = REPORT_METHODS | REPORT_LINES | REPORT_THREADS | REPORT_BOOKS};
    return profile_report(p, out, report_json, &o, NULL);
}

static int keep_trace(struct profile *p, const struct cli_args *args, const char *path)
{
    char id[TRACE_ID_DIGITS + 1];
    const char *text = cli_option(args, "trace");
    int status = text ? trace_id_parse(args->command, text, id) : CLI_OK;
    return status || !text ? status : trace_id_keep(p, path, id);
}

static int print_page(const struct print_job *job, FILE *out)
{
    struct kinds_page page = {.args = job->args, .in = job->paths, .count = job->count};
    int rc = allocated_show(job->profile);
    return rc ? rc : kinds_page_write(&page, out, job->profile);
}

static const char *source_of(const struct print_job *job)
{
    return job->args ? cli_option(job->args, "source") : NULL;
}

static int print_job(FILE *out, void *arg)
{
    const struct print_job *job = arg;
    return job->printer ? profile_report(job->profile, out, job->printer, job->options, source_of(job)) : print_page(job, out);
}

static int load(const struct print_job *job)
{
    const struct cli_args *args = job->args;
    int status =
        args ? input_load(job->profile, args, job->paths, job->count, job->kind) : input_load_plain(job->profile, job->paths[0], job->kind);
    return !status && args ? keep_trace(job->profile, args, job->paths[0]) : status;
}

static int print(struct print_job *job, const struct report_output *output)
{
    struct profile p;
    if (profile_init(&p))
        return cli_fail("%s: out of memory", job->paths[0]);
    job->profile = &p;
    int status = load(job);
    status = status ? status : report_output_write(output, job->paths[0], print_job, job);
    profile_deinit(&p);
    return status;
}

static bool asks_for_halts(const struct cli_args *args)
{
    const char *kind = cli_option(args, "kind");
    return kind && !strcmp(kind, "halt");
}

static int print_samples(const struct cli_args *args, const struct report_output *output, struct report_options *o)
{
    static report_printer *const printers[] = {[REPORT_AS_TEXT] = report_text, [REPORT_AS_JSON] = report_json, [REPORT_AS_HTML] = NULL};
    struct print_job job = {
        .args = args, .paths = args->operands, .count = args->operand_count, .printer = printers[output->format], .options = o};
    o->leaves_idle_out = o->leaves_idle_out && output->format == REPORT_AS_TEXT; /* JSON has all samples */
    if (output->path)
        o->width = 0;
    o->colour = !output->path && o->colour;
    int status = input_kind(args, &job.kind);
    return status ? status : print(&job, output);
}

static int report_run(const struct cli_args *args)
{
    struct report_options o = {.width = cli_width(stdout), .colour = cli_colour(stdout)};
    struct report_output output;
    struct patterns patterns = {0};
    int status = parse_options(args, &o);
    status = status ? status : parse_callers(args, &patterns, &o);
    status = status ? status : report_output_parse(args, &output);
    status = status ? status : kinds_page_check(args);
    bool halts = asks_for_halts(args);
    if (!status && cli_option(args, "source") && (halts || output.format == REPORT_AS_JSON))
        status =
            cli_usage(args->command, "--source is for the text and the page of samples: leave the option out, or choose another output");
    if (!status && cli_switch(args, "timeline") && !halts)
        status = cli_usage(args->command, "--timeline needs --kind halt");
    if (!status)
        status = halts ? report_halts(args, o.top_set ? o.top : HALT_ROWS) : print_samples(args, &output, &o);
    filter_pattern_free(&patterns.callers);
    filter_pattern_free(&patterns.callees);
    int written = cli_finish_output();
    return status ? status : written;
}

static int print_summary(const char *file, enum profile_kind kind, FILE *out)
{
    struct report_options o = {.sections = REPORT_METHODS | REPORT_BOOKS,
                               .leaves_idle_out = true,
                               .top_set = true,
                               .top = 10,
                               .width = cli_width(out),
                               .colour = cli_colour(out)};
    char *path = (char *)file;
    struct profile p;
    if (profile_init(&p))
        return cli_fail("%s: out of memory", path);
    struct print_job job = {.paths = &path, .count = 1, .kind = kind, .printer = report_text, .options = &o, .profile = &p};
    int status = load(&job), rc = status ? 0 : print_job(out, &job);
    profile_deinit(&p);
    return rc ? cli_fail("%s: %s", path, strerror(-rc)) : status;
}

int report_print_summary(const char *file, FILE *out)
{
    return print_summary(file, PROFILE_RUNNING, out);
}

int report_print_live(const char *file, FILE *out)
{
    return print_summary(file, PROFILE_LIVE, out);
}

const struct cli_command command_report = {
    .name = "report",
    .arguments = "[OPTION...] FILE...",
    .summary = "show where the time went: hot methods, lines, trees, threads, and the books",
    .about =
        "Reads recordings and profiles, and prints where the CPU time went. 't' is the share of samples with the "
        "method anywhere on the stack, 's' with it at the top; brackets contain the 95 % confidence interval.\n\n"
        "Functions of the kernel are marked (kernel). 'Your own code' adds up the time by the innermost method of the program itself, "
        "that is, neither the JDK's nor a known library's, with everything that it calls; 'get < shop.Cart.total' is a method with the "
        "own method that calls it most. Threads of a pool share a row; --sections threads lists each. The stacks of the JVM's own threads "
        "begin with the kind of "
        "work, [JIT], [GC] or [VM operation], followed by the method that is being compiled, or the operation.\n\n"
        "The books at the end account for the CPU time of the whole process: samples with a stack, samples without "
        "one, and time that was lost or that no clock could show. The residual is the remainder. If almost all time is in "
        "samples, they are one line; --sections books shows all accounts. A recording that is "
        "not Candor's has no books.\n\n"
        "For a recording of the event safepoint, the report shows the threads that were running, by wall-clock time, "
        "and with --kind waiting the threads that waited, whose stacks are exact. Its books cover the threads' time, "
        "not CPU time.\n\n"
        "--kind nativemem prints allocated native memory, for a recording by async-profiler, and --kind nativeleak prints the part "
        "that was not freed.\n\n"
        "--kind alloc prints allocated bytes, for a recording made with -e alloc or by the JDK: by class, then by "
        "the method and line that allocates. In trees the class is at the leaf.\n\n"
        "If a recording has no CPU samples, and --kind is not given, the report shows wall-clock time, or allocations, "
        "or native memory. docs/formats/samples.md describes which events of a JFR file are samples of which kind.\n\n"
        "--kind live prints what is alive at the end, for a recording made with -e live or for the JDK's old object "
        "samples. It also prints leak candidates, by class and by the program's own method that allocates it: those "
        "that grew in each quarter of the recording, by more than chance. If nothing grows, the probability that a recording shows a "
        "candidate is 1e-6. A candidate may be a cache that is still being filled.\n\n"
        "--kind lock prints the time that threads waited for monitors or were parked, for a recording made with -e "
        "lock or by the JDK: by lock, with the threads that held it, then by method and line. Threads that wait for "
        "each other in a cycle when the recording ends are a deadlock, which is printed first. In trees the lock's "
        "class is at the leaf. Threads that were parked until there was work are left out and counted, unless --idle "
        "is given. --kind holder prints what threads did while they held a lock that others waited for: "
        "their stacks, weighted by that waiting.\n\n"
        "For a recording of the event wall, the report shows all threads, running or not; those that wait for work only with --idle. "
        "--sections books shows how long threads were in which state, and --state parked selects one state. For a recording of cpu and "
        "wall it shows the CPU time, and with "
        "--kind wall the threads' time.\n\n"
        "--kind halt prints what stopped threads, for a recording made by the JDK's own recorder, or by Candor with "
        "-e halt: GC pauses with their collector and cause, safepoints with the time until all threads had stopped and the threads "
        "that were late, VM operations, and for single threads monitors, waits, parking, sockets, files, class loading; also the "
        "place, and the thread that requested the halt or delayed it. With --time "
        "12:03:07..12:03:09 it shows why nothing was running then: the halts that overlap that time, and how much of the time has no "
        "explanation. --timeline draws what each thread did during that time, as far as samples and halts show it; it needs -e wall "
        "to show most of it. It takes one FILE, and only the options --time, --thread, --timeline, --top and "
        "--json, -o and --format; docs/formats/halts-json.md describes its JSON.\n\n" INPUT_FORMATS " " INPUT_FILTERS "\n\n"
        "-o FILE.html writes one page to open in a browser: flame graph, methods, time and threads of every kind of "
        "sample that the recording has, or of the one that --kind names; also its findings, halts and locks, unless an option "
        "chooses a part of it. From standard input it has one kind. FILE is replaced only when it is complete.\n\n"
        "docs/formats/report-json.md describes the output of --json.",
    .examples = "candor report app.jfr\n"
                "    the hot methods, lines and threads, and the books\n"
                "candor report -o app.html app.jfr\n"
                "    all kinds of sample in one page, to open in a browser\n"
                "candor report --sections tree --threshold 5 app.jfr\n"
                "    the call tree, branches of 5 % and more\n"
                "candor report --kind wall --state parked app.jfr\n"
                "    where threads were parked, for a recording made with -e wall\n"
                "candor report --kind waiting app.jfr\n"
                "    where threads waited, for a recording made with -e safepoint\n"
                "candor report --select 'service=\"shop\"' --from -30m http://host:4041\n"
                "    a server's data for the last half hour\n"
                "candor report --kind alloc --tree app.jfr\n"
                "    what is allocated where, for a recording made with -e cpu,alloc\n"
                "candor report --kind live app.jfr\n"
                "    what is alive, and what grows, for a recording made with -e live\n"
                "candor report --kind halt --time 12:03:07..12:03:09 app.jfr\n"
                "    why nothing was running between these two times\n"
                "candor report --kind lock app.jfr\n"
                "    the locks that threads waited for, and their holders, for a recording made with -e lock\n"
                "candor report --group-by endpoint app.jfr\n"
                "    the cost of each endpoint of an instrumented program (docs/context.md)\n"
                "candor report --json app.jfr | jq '.methods[:3]'\n"
                "    for programs\n",
    .often = "kind,sections,top,json,output,select",
    .options = options,
    .operand = CLI_FILE,
    .operands_min = 1,
    .operands_max = -1,
    .run = report_run,
};
