/* candor convert IN OUT: a recording in another format, chosen by OUT's extension. */
#include "cli/cli.h"

#include "format/collapsed.h"
#include "format/flamegraph.h"
#include "format/output.h"
#include "profile/load_jfr.h"
#include "report/report.h"

#include <string.h>

static const struct cli_option options[] = {
    {0, "to", "FORMAT", "collapsed|html|json", "the format, when OUT's name does not tell it"},
    {0, "threads", NULL, NULL, "each stack begins with its thread (collapsed, html)"},
    {0, "unit", "UNIT", "samples|ns", "weights of collapsed stacks (default samples, by the nominal interval)"},
    {0, "title", "TEXT", NULL, "title of the page (html; default: the process)"},
    {0},
};

/* One conversion; its options are those of the command line, or none. */
struct job {
    const char *in, *out;
    const char *title; /* NULL = the process */
    enum collapsed_unit unit;
    bool threads;
    const struct profile *profile;
};

static int write_collapsed(const struct job *job, FILE *f)
{
    return collapsed_write(f, job->profile, job->unit, job->threads);
}

static int write_html(const struct job *job, FILE *f)
{
    const char *slash = strrchr(job->in, '/'), *name = slash ? slash + 1 : job->in;
    const char *command = profile_text(job->profile, job->profile->command);
    const char *title = job->title ? job->title : *command ? command : name;
    char biased[512];
    snprintf(biased, sizeof biased, "%s (safepoint samples: biased)", title);
    return flamegraph_write(f, job->profile, profile_is_safepoint(job->profile) ? biased : title, job->threads);
}

static int write_json(const struct job *job, FILE *f)
{
    struct report_options o = {.sections = REPORT_METHODS | REPORT_LINES | REPORT_THREADS | REPORT_BOOKS};
    struct stats s;
    int rc = stats_compute(&s, job->profile);
    if (!rc)
        rc = report_json(f, job->profile, &s, &o);
    stats_deinit(&s);
    return rc;
}

static const struct format {
    const char *extension;
    const char *name; /* for --to */
    int (*write)(const struct job *job, FILE *f);
} formats[] = {
    {".collapsed", "collapsed", write_collapsed},
    {".folded", "collapsed", write_collapsed},
    {".html", "html", write_html},
    {".json", "json", write_json},
};

/* By the name that --to gave, else by the path's extension. */
static const struct format *find_format(const char *to, const char *path)
{
    size_t len = strlen(path);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        size_t n = strlen(formats[i].extension);
        if (to ? !strcmp(to, formats[i].name) : len > n && !strcmp(path + len - n, formats[i].extension))
            return &formats[i];
    }
    return NULL;
}

static int no_format(const char *out)
{
    if (!strcmp(out, "-"))
        return cli_usage(&command_convert, "standard output has no extension: say --to collapsed, html or json");
    return cli_usage(&command_convert, "%s: unknown format: the name must end in .collapsed, .folded, .html or .json",
                     out);
}

static int write_out(const struct job *job, const struct format *format)
{
    struct error e;
    struct output out;
    if (output_open(&out, job->out, &e))
        return cli_fail("%s", e.text);
    int rc = format->write(job, out.file);
    if (rc) {
        output_abandon(&out);
        return cli_fail("%s: %s", job->in, strerror(-rc));
    }
    return output_close(&out, &e) ? cli_fail("%s", e.text) : CLI_OK;
}

static int convert(struct job *job, const struct format *format)
{
    struct profile p;
    struct error e;
    if (!format)
        return no_format(job->out);
    if (profile_init(&p))
        return cli_fail("%s: out of memory", job->in);
    job->profile = &p;
    int status = profile_load_jfr(&p, job->in, &e) ? cli_fail("%s", e.text) : write_out(job, format);
    profile_deinit(&p);
    return status;
}

static int convert_run(const struct cli_args *args)
{
    const char *unit = cli_option(args, "unit");
    struct job job = {.in = args->operands[0],
                      .out = args->operands[1],
                      .title = cli_option(args, "title"),
                      .unit = unit && !strcmp(unit, "ns") ? COLLAPSED_NS : COLLAPSED_SAMPLES,
                      .threads = cli_switch(args, "threads")};
    return convert(&job, find_format(cli_option(args, "to"), job.out));
}

int convert_file(const char *in, const char *out)
{
    struct job job = {.in = in, .out = out};
    return convert(&job, find_format(NULL, out));
}

const struct cli_command command_convert = {
    .name = "convert",
    .arguments = "[OPTION...] IN OUT",
    .summary = "turn a recording into a flame graph, collapsed stacks or JSON",
    .about = "Reads a recording (any JFR file; '-' is standard input) and writes OUT in the format of its extension: "
             ".html is a "
             "flame graph in one file, .collapsed or .folded are stacks for flamegraph.pl and its kin, .json is what "
             "'candor "
             "report --json' prints. '-' is standard output; say --to then.\n\n"
             "OUT appears whole or not at all.",
    .examples = "candor convert app.jfr app.html\n    a flame graph to open in a browser\n"
                "candor convert --threads app.jfr app.collapsed\n    stacks, each beginning with its thread\n",
    .options = options,
    .operand = CLI_FILE,
    .operands_min = 2,
    .operands_max = 2,
    .run = convert_run,
};
