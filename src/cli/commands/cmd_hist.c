/* candor hist: summarizes, splits, unites and draws HDR histogram logs, and shows their course over time. */
#include "base/text/number.h"
#include "base/text/word_list.h"
#include "base/time_units.h"
#include "cli/cli.h"

#include "base/text/units.h"
#include "cli/hist/compare.h"
#include "cli/hist/plot.h"
#include "cli/hist/print.h"
#include "format/write/output.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

static const struct cli_option options[] = {
    {'f', "format", "FORMAT", "text|csv|hgrm|hgrm-c|json",
     "how to print (default text); hgrm-c: as HdrHistogram_c "
     "and wrk2"},
    {0, "json", NULL, NULL, "the same as --format json"},
    {'o', "output", "FILE", NULL, "file to write; for plot its name ends in .svg or .html; for split it is a folder (default: this one)"},
    {0, "tags", "LIST", NULL, "only these tags, comma-separated"},
    {0, "ignore-tags", NULL, NULL, "ignore tags and treat all as one"},
    {'s', "start", "TIME", NULL, "leave out intervals that start earlier than this after the first interval"},
    {'e', "end", "TIME", NULL, "leave out intervals that start this long after the first interval, or later than that"},
    {'i', "interval", "TIME", NULL, "merge intervals into windows of this length (time, plot, union)"},
    {0, "relative", NULL, NULL, "let the time of each log begin at 0, for logs of different days or of machines whose clocks differ"},
    {'u', "unit", "UNIT", "ns|us|ms|s", "unit to show, for values in ns (default ms)"},
    {0, "ratio", "NUMBER", NULL, "divide all values by NUMBER before showing them; instead of --unit, for values that are not in ns"},
    {'p', "percentiles", "LIST", NULL, "percentiles to show (default 50,90,95,99,99.9,99.99,99.999)"},
    {0, "ticks", "N", NULL, "number of percentiles in hgrm output and in the plot each time that the distance to 100 % halves (default 5)"},
    {0, "dialect", "DIALECT", "java|c", "header of the logs that split and union write (default java)"},
    {0},
};

struct hist_job {
    const struct cli_args *args;
    struct hist_choice choice;
    struct hist_view view;
    double window; /* s; 0 = the intervals of the log */
    enum candor_log_dialect dialect;
    const char *output;
    struct hist_series series;
    struct hist_series other; /* of compare: the second log */
};

/* ---- options ---- */

static int set_percentiles(struct hist_job *job)
{
    const char *list = cli_option(job->args, "percentiles");
    char word[32];
    struct hist_view *v = &job->view;
    for (list = list ? list : "50,90,95,99,99.9,99.99,99.999"; word_list_next(&list, word, sizeof word);) {
        double percentile;
        if (number_parse_real(word, 0, 100, &percentile) || v->percentile_count == HIST_PERCENTILES_MAX ||
            (v->percentile_count && percentile <= v->percentiles[v->percentile_count - 1]))
            return cli_usage(job->args->command, "--percentiles must be at most %d numbers from 0 to 100 in rising order, not '%s'",
                             HIST_PERCENTILES_MAX, word);
        v->percentiles[v->percentile_count++] = percentile;
    }
    return CLI_OK;
}

static int set_unit(struct hist_job *job)
{
    static const struct {
        const char *name;
        double ratio;
    } units[] = {{"ns", 1}, {"us", NS_PER_US}, {"ms", NS_PER_MS}, {"s", NS_PER_S}};
    const char *unit = cli_option(job->args, "unit"), *ratio = cli_option(job->args, "ratio");
    if (ratio) {
        job->view.unit = "";
        if (number_parse_real(ratio, DBL_MIN, 1e15, &job->view.ratio))
            return cli_usage(job->args->command, "--ratio must be a number above 0, not '%.40s'", ratio);
        return unit ? cli_usage(job->args->command, "--unit and --ratio exclude each other") : CLI_OK;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(units[i].name, unit ? unit : "ms")) {
            job->view.ratio = units[i].ratio;
            job->view.unit = units[i].name;
        }
    return CLI_OK;
}

static int set_format(struct hist_job *job)
{
    static const char *const names[] = {"text", "csv", "hgrm", "hgrm-c", "json"};
    const char *format = cli_switch(job->args, "json") ? "json" : cli_option(job->args, "format");
    for (int i = 0; format && i < 5; i++)
        if (!strcmp(format, names[i]))
            job->view.format = (enum hist_format)i;
    const char *dialect = cli_option(job->args, "dialect");
    job->dialect = dialect && !strcmp(dialect, "c") ? CANDOR_LOG_C : CANDOR_LOG_JAVA;
    return CLI_OK;
}

static int set_times(struct hist_job *job)
{
    unsigned long long from, to, window;
    uint32_t ticks;
    int status = cli_duration(job->args, "start", 0, &from);
    if (!status)
        status = cli_duration(job->args, "end", 0, &to);
    if (!status)
        status = cli_duration(job->args, "interval", 0, &window);
    if (!status)
        status = cli_number(job->args, "ticks", 5, &ticks);
    if (status)
        return status;
    if (!ticks || ticks > 1000)
        return cli_usage(job->args->command, "--ticks must be a number from 1 to 1000");
    job->choice.from = (double)from / NS_PER_S;
    job->choice.to = cli_option(job->args, "end") ? (double)to / NS_PER_S : INFINITY;
    job->window = (double)window / NS_PER_S;
    job->view.ticks = (int)ticks;
    if (job->choice.to <= job->choice.from)
        return cli_usage(job->args->command, "--end must be later than --start");
    return CLI_OK;
}

static int set_job(struct hist_job *job)
{
    job->output = cli_option(job->args, "output");
    job->choice.only = cli_option(job->args, "tags");
    job->choice.ignore_tags = cli_switch(job->args, "ignore-tags");
    job->choice.relative = cli_switch(job->args, "relative");
    int status = set_unit(job);
    job->choice.ratio = job->view.ratio;
    if (!status)
        status = set_times(job);
    if (!status)
        status = set_percentiles(job);
    return status ? status : set_format(job);
}

/* ---- reading ---- */

/* Reads a file. With `names`, an operand "name=file" of union gives the file a name, if no file of the whole name exists. */
static int read_one(struct hist_job *job, struct hist_series *s, const char *operand, bool names)
{
    struct error e;
    struct stat st;
    char prefix[128];
    const char *equals = names ? strchr(operand, '=') : NULL;
    if (!equals || equals == operand || !stat(operand, &st))
        return series_read(s, operand, NULL, &job->choice, &e) ? cli_fail("%s", e.text) : CLI_OK;
    size_t n = (size_t)(equals - operand);
    if (n >= sizeof prefix || strcspn(operand, ", \t") < n)
        return cli_usage(job->args->command, "'%.*s' is not a name for a log's tags", (int)n, operand);
    snprintf(prefix, sizeof prefix, "%.*s", (int)n, operand);
    return series_read(s, equals + 1, prefix, &job->choice, &e) ? cli_fail("%s", e.text) : CLI_OK;
}

/* Reads files into one series. Parts that cannot be read are reported once and make the command fail; the rest is used. */
static int read_all(struct hist_job *job, struct hist_series *s, char **files, int count, bool names)
{
    int status = CLI_OK;
    for (int i = 0; i < count && !status; i++)
        status = read_one(job, s, files[i], names);
    series_sort(s, &job->choice);
    if (!status && !s->count && !s->problems)
        return cli_fail("no interval is left: %s", job->choice.only ? "does any have one of these --tags?" : "see --start and --end");
    return status;
}

static int tell_problems(const struct hist_series *s)
{
    if (!s->problems)
        return CLI_OK;
    if (s->problems == 1)
        return cli_fail("%s%s", s->first_problem, s->count ? "; the rest is used" : "");
    return cli_fail("%s, and %u more damaged lines%s", s->first_problem, s->problems - 1, s->count ? "; the rest is used" : "");
}

/* ---- verbs ---- */

/* Opens the output. An earlier file is replaced only when the new one is complete. */
static int open_output(const char *path, struct output *out)
{
    struct error e;
    return output_open(out, path ? path : "-", &e) ? cli_fail("%s", e.text) : CLI_OK;
}

static int close_output(struct output *out, int rc)
{
    struct error e;
    if (rc) {
        output_abandon(out);
        return cli_fail("%s", strerror(-rc));
    }
    if (out->file == stdout) {
        output_abandon(out);
        return cli_finish_output(); /* prints no error if the reader has closed the pipe */
    }
    return output_close(out, &e) ? cli_fail("%s", e.text) : CLI_OK;
}

static int summarize(struct hist_job *job)
{
    struct output out;
    int status = open_output(job->output, &out);
    return status ? status : close_output(&out, hist_print_totals(&job->series, &job->view, out.file));
}

static int over_time(struct hist_job *job)
{
    struct output out;
    if (job->view.format == HIST_HGRM || job->view.format == HIST_HGRM_C)
        return cli_usage(job->args->command, "'candor hist time' prints text, csv or json; use one of these with --format");
    int status = open_output(job->output, &out);
    return status ? status : close_output(&out, hist_print_times(&job->series, &job->view, job->window, out.file));
}

static int draw(struct hist_job *job)
{
    struct output out;
    size_t len = job->output ? strlen(job->output) : 0;
    bool page = len > 5 && !strcmp(job->output + len - 5, ".html");
    if (!page && !(len > 4 && !strcmp(job->output + len - 4, ".svg")))
        return cli_usage(job->args->command, "'candor hist plot' needs -o FILE.svg or -o FILE.html");
    int status = open_output(job->output, &out);
    return status ? status : close_output(&out, hist_plot(&job->series, &job->view, job->window, page, out.file));
}

struct log_writing {
    const struct hist_job *job;
    FILE *out;
    uint32_t tag; /* the only tag to write; UINT32_MAX = all */
};

static int write_interval(void *context, uint32_t tag, double start, double length, const struct candor_histogram *h)
{
    const struct log_writing *w = context;
    if (w->tag != UINT32_MAX && tag != w->tag)
        return 0;
    return candor_histogram_log_write(w->out, w->job->series.tags[tag], (uint64_t)llround(start * NS_PER_S),
                                      (uint64_t)llround(length * NS_PER_S), h, w->job->dialect == CANDOR_LOG_C ? 1 : NS_PER_MS);
}

static int write_log(const struct hist_job *job, FILE *out, uint32_t tag)
{
    struct log_writing w = {job, out, tag};
    candor_histogram_log_start(out, (uint64_t)(job->series.start * NS_PER_S), job->dialect, "written by candor hist " CANDOR_VERSION);
    return series_windows(&job->series, job->window, write_interval, &w);
}

static int unite(struct hist_job *job)
{
    struct output out;
    int status = open_output(job->output, &out);
    return status ? status : close_output(&out, write_log(job, out.file, UINT32_MAX));
}

/* Makes the file name "TAG.NAME" in the folder. Characters of a tag that a file name may not have are replaced. */
static void split_name(const struct hist_job *job, uint32_t tag, const char *file, char *name, size_t size)
{
    const char *base = strrchr(file, '/');
    const char *text = *job->series.tags[tag] ? job->series.tags[tag] : "default";
    int folder = snprintf(name, size, "%s/", job->output ? job->output : ".");
    snprintf(name + folder, size - (size_t)folder, "%s.%s", text, strcmp(file, "-") ? base ? base + 1 : file : "hlog");
    for (char *c = name + folder; *c; c++)
        if (*c == '/' || (c == name + folder && *c == '.'))
            *c = '_';
}

static int split(struct hist_job *job)
{
    char name[4096];
    int status = CLI_OK;
    if (job->output && strlen(job->output) > 2000)
        return cli_usage(job->args->command, "the folder's name is too long");
    for (uint32_t tag = 0; tag < job->series.tag_count && !status; tag++) {
        struct output out;
        split_name(job, tag, job->args->operands[job->args->operand_count - 1], name, sizeof name);
        status = open_output(name, &out);
        if (!status)
            status = close_output(&out, write_log(job, out.file, tag));
        if (!status)
            printf("%s\n", name);
    }
    return status ? status : cli_finish_output();
}

/* Reads the second log of compare, and compares. `series` has the first. */
static int compare(struct hist_job *job)
{
    struct output out;
    if (job->view.format != HIST_TEXT && job->view.format != HIST_JSON)
        return cli_usage(job->args->command, "'candor hist compare' prints text or json; use one of these with --format");
    if (!hist_have_common_tag(&job->series, &job->other))
        return cli_fail("the logs have no tag in common, so there is nothing to compare; --ignore-tags compares all values");
    int status = open_output(job->output, &out);
    return status ? status : close_output(&out, hist_compare(&job->series, &job->other, &job->view, out.file));
}

static const struct verb {
    const char *name;
    int (*run)(struct hist_job *job);
    bool names; /* operands may be NAME=FILE */
} verbs[] = {{"summarize", summarize, false}, {"split", split, false}, {"union", unite, true},
             {"time", over_time, false},      {"plot", draw, false},   {"compare", compare, false}};

static int hist_run(const struct cli_args *args)
{
    struct hist_job job = {.args = args};
    const struct verb *verb = NULL;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (!strcmp(args->operands[0], verbs[i].name))
            verb = &verbs[i];
    int first = verb != NULL;
    verb = verb ? verb : &verbs[0];
    if (args->operand_count == first)
        return cli_usage(args->command, "the file is missing: candor hist %s FILE...", verb->name);
    if (verb->run == split && args->operand_count > first + 1)
        return cli_usage(args->command, "split takes one log; merge several with 'candor hist union' first");
    if (verb->run == compare && args->operand_count != first + 2)
        return cli_usage(args->command, "compare takes two logs: candor hist compare A B; merge several with 'candor hist union' first");
    int status = set_job(&job);
    if (status)
        return status;
    int each = verb->run == compare ? 1 : args->operand_count - first;
    series_init(&job.series);
    series_init(&job.other);
    status = read_all(&job, &job.series, args->operands + first, each, verb->names);
    if (!status && verb->run == compare)
        status = read_all(&job, &job.other, args->operands + first + 1, 1, false);
    if (!status && job.series.count && (verb->run != compare || job.other.count))
        status = verb->run(&job);
    int damaged = tell_problems(&job.series), other_damaged = tell_problems(&job.other);
    series_deinit(&job.series);
    series_deinit(&job.other);
    return status ? status : damaged ? damaged : other_damaged;
}

const struct cli_command command_hist = {
    .name = "hist",
    .arguments = "[summarize | split | union | time | plot | compare] [OPTION...] FILE...",
    .summary = "summarize, split, merge, plot and compare HDR histogram logs",
    .about =
        "Reads HDR histogram logs (log format 1.0 to 1.3, histograms of encoding V0 to V2, as written by 'candor load', "
        "HdrHistogram in Java and C, and tools built on them), and percentile tables in files named .hgrm. '-' is standard "
        "input. Several files are treated as one.\n\n"
        "summarize (the default) prints count, rate, mean and percentiles of each tag; with --format hgrm the "
        "percentile spectrum. split writes a log TAG.FILE for each tag. union writes one log of all; NAME=FILE puts "
        "'NAME::' before the tags of a file. time prints a line for each interval and tag. plot draws the percentile "
        "spectrum on a log axis and the maximum over time. compare takes two logs, and says at which percentiles they differ by more than "
        "chance.\n\n"
        "Damaged lines are reported and left out, and make the command end with status 1. Values are in ns unless "
        "--ratio says otherwise; --start and --end count from the first interval of all files.\n\n"
        "docs/formats/hist-json.md describes --json.",
    .examples = "candor hist run.hlog\n"
                "    percentiles of each tag\n"
                "candor hist plot -o run.html --tags get-rt,get-st run.hlog\n"
                "    a plot of response and service times\n"
                "candor hist union -o all.hlog one=host1.hlog two=host2.hlog\n"
                "    the logs of two machines in one\n"
                "candor hist time -i 10s -s 1m -p 50,99 --format csv run.hlog\n"
                "    every ten seconds, without the first minute\n",
    .options = options,
    .operand = CLI_FILE,
    .operands_min = 1,
    .operands_max = -1,
    .run = hist_run,
};
