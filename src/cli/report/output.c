#include "cli/report/output.h"

#include "format/write/output.h"

#include <string.h>

static const struct {
    const char *name;
    const char *extension;
} formats[] = {[REPORT_AS_TEXT] = {"text", ".txt"}, [REPORT_AS_JSON] = {"json", ".json"}, [REPORT_AS_HTML] = {"html", ".html"}};

/* Returns the format for the path's extension; REPORT_FORMATS = none. */
static enum report_format format_of(const char *path)
{
    size_t len = strlen(path);
    for (enum report_format i = 0; i < REPORT_FORMATS; i++) {
        size_t n = strlen(formats[i].extension);
        if (len > n && !strcmp(path + len - n, formats[i].extension))
            return i;
    }
    return REPORT_FORMATS;
}

/* Refuses options that the page does not need, because it shows everything in its own way. */
static int refuse_for_page(const struct cli_args *args)
{
    static const char *const of_text[] = {"sections", "group-by", "trace", "callers", "callees", "threshold", "top", "sort"};
    for (size_t i = 0; i < sizeof of_text / sizeof *of_text; i++)
        if (cli_option(args, of_text[i]))
            return cli_usage(args->command, "--%s applies only to text and JSON; leave it out, because the page shows everything",
                             of_text[i]);
    static const char *const switches[] = {"tree", "idle"};
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        if (cli_switch(args, switches[i]))
            return cli_usage(args->command, "--%s applies only to text and JSON; leave it out, because the page shows everything",
                             switches[i]);
    const char *kind = cli_option(args, "kind");
    if (kind && !strcmp(kind, "halt"))
        return cli_usage(args->command,
                         "--kind halt is printed only as text or JSON; for a page leave --kind out, for text leave --format html out");
    return CLI_OK;
}

int report_output_parse(const struct cli_args *args, struct report_output *o)
{
    const char *format = cli_option(args, "format");
    bool json = cli_switch(args, "json");
    *o = (struct report_output){.format = json ? REPORT_AS_JSON : REPORT_AS_TEXT, .path = cli_option(args, "output")};
    if (o->path && !strcmp(o->path, "-"))
        o->path = NULL;
    for (enum report_format i = 0; format && i < REPORT_FORMATS; i++)
        if (!strcmp(format, formats[i].name))
            o->format = i;
    if (json && o->format != REPORT_AS_JSON)
        return cli_usage(args->command, "--json and --format %s exclude each other: leave one of them out", format);
    if (o->path && !format && !json)
        o->format = format_of(o->path);
    if (o->format == REPORT_FORMATS)
        return cli_usage(args->command, "%s: the name must end in .html, .json or .txt; or give --format html, json or text", o->path);
    if (o->path && cli_check_output(args, o->path))
        return CLI_USAGE;
    if (o->format == REPORT_AS_HTML)
        return refuse_for_page(args);
    if (cli_option(args, "trace-link"))
        return cli_usage(args->command, "--trace-link is for a page: add -o FILE.html");
    return CLI_OK;
}

int report_output_write(const struct report_output *o, const char *name, int (*write)(FILE *out, void *arg), void *arg)
{
    struct output out;
    struct error e;
    if (o->path && output_open(&out, o->path, &e))
        return cli_fail("%s", e.text);
    int rc = write(o->path ? out.file : stdout, arg);
    if (rc) {
        if (o->path)
            output_abandon(&out);
        return cli_fail("%s: %s", name, strerror(-rc));
    }
    return o->path && output_close(&out, &e) ? cli_fail("%s", e.text) : CLI_OK;
}
