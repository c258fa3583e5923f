#include "cli/report/halts.h"

#include "base/text/time_range.h"
#include "cli/read/input.h"
#include "cli/read/problems.h"
#include "cli/report/output.h"
#include "report/halts/halts.h"
#include "report/halts/timeline.h"

#include <string.h>

/* Refuses options that apply to samples only. */
static int refuse_options(const struct cli_args *args)
{
    static const char *const of_samples[] = {"sections", "tree",  "callers",     "callees",   "threshold", "sort",       "from",
                                             "select",   "until", "value",       "state",     "method",    "not-method", "package",
                                             "label",    "type",  "not-package", "not-label", "group-by",  "trace",      "idle"};
    for (size_t i = 0; i < sizeof of_samples / sizeof *of_samples; i++)
        if (cli_option(args, of_samples[i]))
            return cli_usage(
                args->command,
                "--%s applies to samples, but halts are not samples; --kind halt takes --time, --thread, --timeline, --top and --json",
                of_samples[i]);
    if (args->operand_count > 1)
        return cli_usage(args->command, "--kind halt takes one FILE");
    if (remote_is(args->operands[0]))
        return cli_fail("%s: a server keeps samples, not halts; give the FILE of a recording", args->operands[0]);
    return remote_check(args);
}

/* Finds the range of time that the user asked for, within the recording. Returns a status. */
static int choose_range(const struct cli_args *args, const struct halts *h, struct time_range *out)
{
    const char *text = cli_option(args, "time"), *path = args->operands[0];
    int64_t end = h->start_ns + (int64_t)h->duration_ns;
    *out = (struct time_range){h->start_ns, end};
    if (!text)
        return CLI_OK;
    if (time_range_parse(out, text, h->start_ns, h->duration_ns))
        return cli_usage(args->command,
                         "--time '%.60s' is not a range of time; write it like +10s..+20s, -5s.., "
                         "12:03:07..12:03:09 or 2026-11-22T16:41:00Z..2026-11-22T16:42:00Z",
                         text);
    if (out->from_ns < h->start_ns)
        out->from_ns = h->start_ns;
    if (out->to_ns > end)
        out->to_ns = end;
    if (out->from_ns >= out->to_ns)
        return cli_fail("%s: nothing was recorded at '%.60s'; 'candor summary' shows the time of the recording", path, text);
    return CLI_OK;
}

/* Returns how many columns of a timeline the terminal has room for. */
static uint32_t timeline_columns(void)
{
    enum { USUAL = 80, LEAST = 20, MOST = 400, BESIDE = TIMELINE_NAME_COLUMNS + 6 };
    unsigned width = cli_width(stdout);
    if (!width)
        return USUAL;
    return width < LEAST + BESIDE ? LEAST : width > MOST + BESIDE ? MOST : width - BESIDE;
}

struct printing {
    const struct halt_view *view;
    const struct halts_report *options;
    bool json;
};

static int write_view(FILE *out, void *arg)
{
    const struct printing *p = arg;
    return p->json ? halts_report_json(out, p->view, p->options) : halts_report_text(out, p->view, p->options);
}

static int print_view(const struct cli_args *args, const struct halt_view *v, struct halts_report *o, struct halts *h,
                      const struct jfr_file *file, const struct regex *thread)
{
    struct report_output output;
    if (report_output_parse(args, &output))
        return CLI_USAGE;
    struct timeline t = {0};
    struct error e = {""};
    int rc = cli_switch(args, "timeline") ? timeline_make(&t, h, v, file, timeline_columns(), o->top, thread, &e) : 0;
    o->timeline = cli_switch(args, "timeline") ? &t : NULL;
    o->colour = !output.path && cli_colour(stdout);
    struct printing printing = {.view = v, .options = o, .json = output.format == REPORT_AS_JSON};
    int status = rc ? cli_fail("%s: %s", args->operands[0], *e.text ? e.text : strerror(-rc))
                    : report_output_write(&output, args->operands[0], write_view, &printing);
    timeline_deinit(&t);
    o->timeline = NULL;
    return status;
}

static int print_range(const struct cli_args *args, struct halts *h, const struct jfr_file *file, struct halts_report *o)
{
    struct time_range range;
    struct filter_pattern thread = {0};
    struct halt_view v = {0};
    int status = choose_range(args, h, &range);
    status = status ? status : input_pattern(args, "thread", &thread);
    const struct regex *wanted = thread.regex;
    if (!status && halt_view_make(&v, h, range.from_ns, range.to_ns, wanted))
        status = cli_fail("%s: out of memory", args->operands[0]);
    status = status ? status : print_view(args, &v, o, h, file, wanted);
    halt_view_deinit(&v);
    filter_pattern_free(&thread);
    return status;
}

static int print_file(const struct cli_args *args, uint32_t top)
{
    static struct jfr_problems problems;
    struct halts_report o = {.top = top, .asked = cli_option(args, "time") != NULL, .problems = &problems};
    struct jfr_file *file;
    struct halts h;
    struct error e;
    if (jfr_file_open(&file, args->operands[0], &problems, &e))
        return cli_fail("%s", e.text);
    int rc = halts_read(&h, file, &problems, &e);
    int status = rc ? cli_fail("%s: %s", args->operands[0], e.text) : print_range(args, &h, file, &o);
    jfr_file_close(file);
    if (!rc && !cli_switch(args, "json")) {
        fflush(stdout);
        problems_print(args->operands[0], &problems);
    }
    halts_deinit(&h);
    return status;
}

int report_halts(const struct cli_args *args, uint32_t top)
{
    int status = refuse_options(args);
    return status ? status : print_file(args, top);
}
