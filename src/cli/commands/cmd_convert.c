/* candor convert IN OUT: writes a recording in another format, chosen by OUT's extension. */
#include "cli/cli.h"
#include "cli/convert/code.h"
#include "cli/convert/kinds_page.h"
#include "cli/convert/option_places.h"
#include "cli/convert/recording.h"
#include "cli/read/input.h"
#include "format/export.h"
#include "format/page/flamegraph.h"
#include "format/write/output.h"
#include "profile/allocated.h"

#include <errno.h>
#include <string.h>

/* The formats for --to: those of recordings, of profiles, and of machine code. */
#define PROFILES(piece) FORMAT_NAMES_BOTH(piece) FORMAT_NAMES_WRITTEN(piece) FORMAT_NAMES_OWN(piece)
#define TO              "jfr" PROFILES(FORMAT_NAMES_BAR) "|jitdump|perfmap"

static const struct cli_option options[] = {
    {0, "to", "FORMAT", TO, "the format of OUT, if its name has no extension of a format"},
    {0, "kind", "KIND", PROFILE_KIND_CHOICES(""), "which samples; " PROFILE_KIND_HELP "the class of an object or a lock is at the leaf"},
    {0, "threads", NULL, NULL, "each stack begins with its thread (collapsed, html)"},
    {0, "unit", "UNIT", "samples|ns",
     "unit of the weights in collapsed stacks: samples (the time divided by the nominal interval; default) or ns; weights without a known "
     "interval, such as bytes, keep their own unit"},
    {0, "title", "TEXT", NULL, "title of the page (html, speedscope; default: the process)"},
    {0, "otlp-version", "VERSION", "1.9|1.10|1.11", "version of opentelemetry-proto (default 1.11)"},
    {0, "compress", "FORMAT", NULL,
     "pack the recording with gzip, lz4, zstd or xz, also with a level (zstd:19); 'list' shows the size of IN with each"},
    KINDS_PAGE_OPTIONS,
    INPUT_OPTIONS,
    {0},
};

/* One conversion. Its options are those of the command line. */
struct job {
    const struct cli_args *args; /* NULL = no options */
    char **in;
    int count;
    const char *out;
    bool own; /* candor chose the name OUT, not the user */
    struct profile *profile;
};

/* Returns the value of the option; NULL if it was not given. */
static const char *option_of(const struct job *job, const char *name)
{
    return job->args ? cli_option(job->args, name) : NULL;
}

/* Whether the profile was read from another tool's format. */
static bool is_imported(const struct profile *p)
{
    return *profile_text(p, p->source) && formats_named(profile_text(p, p->source));
}

/* Whether collapsed stacks keep the profile's unit instead of counting samples. Numbers of allocations and of waits say little, and 1
 * would pass for a byte. Weights of another tool are exact as they are, and can only be converted to samples if they are times of a
 * known interval. */
static bool keeps_unit(const struct profile *p)
{
    bool in_intervals = p->unit == PROFILE_UNIT_SAMPLES || (p->unit == PROFILE_UNIT_NS && p->interval_ns);
    return p->unit == PROFILE_UNIT_BYTES || allocated_has_classes(p) || (is_imported(p) && !in_intervals);
}

/* ---- Candor's own formats ---- */

static struct kinds_page page_of(const struct job *job)
{
    return (struct kinds_page){
        .args = job->args, .in = job->in, .count = job->count, .title = option_of(job, "title"), .threads = option_of(job, "threads")};
}

static int write_html(const struct job *job, FILE *f)
{
    struct kinds_page page = page_of(job);
    return kinds_page_write(&page, f, job->profile);
}

static int write_json(const struct job *job, FILE *f)
{
    return report_print_json(job->profile, f);
}

/* ---- all formats ---- */

/* A format has one of the two functions. The format with the longest matching extension is used. */
#define ROW(name, words, extensions, media) {#name, extensions, name##_export, NULL},
#define OWN(name, words, extensions, media) {#name, extensions, NULL, write_##name},
static const struct format {
    const char *name;
    const char *extensions; /* separated by blanks */
    export_writer *write;
    int (*write_own)(const struct job *job, FILE *f);
} formats[] = {FORMAT_NAMES_BOTH(ROW) FORMAT_NAMES_WRITTEN(ROW) FORMAT_NAMES_OWN(OWN)};

static int write_format(const struct job *job, const struct format *format, FILE *f)
{
    if (format->write_own)
        return format->write_own(job, f);
    char title[PAGE_TITLE];
    struct kinds_page page = page_of(job);
    const char *unit = option_of(job, "unit");
    struct export_request as = {.profile = job->profile,
                                .title = kinds_page_title(&page, job->profile, title),
                                .version = option_of(job, "otlp-version"),
                                .threads = page.threads,
                                .samples = unit ? !strcmp(unit, "samples") : !keeps_unit(job->profile)};
    return format->write(&as, f);
}

/* Returns the length of the longest extension of the format that the path ends with; 0 if there is none. */
static size_t extension_of(const struct format *format, const char *path)
{
    size_t len = strlen(path), longest = 0;
    for (const char *at = format->extensions; *at;) {
        size_t n = strcspn(at, " ");
        if (len > n && n > longest && !memcmp(path + len - n, at, n))
            longest = n;
        at += n;
        at += *at == ' ';
    }
    return longest;
}

/* Finds the format by the name given with --to, else by the path's extension. */
static const struct format *find_format(const char *to, const char *path)
{
    const struct format *best = NULL;
    for (size_t i = 0, longest = 0; i < sizeof formats / sizeof *formats; i++) {
        size_t n = extension_of(&formats[i], path);
        if (to && !strcmp(to, formats[i].name))
            return &formats[i];
        if (!to && n > longest)
            best = &formats[i];
        longest = n > longest ? n : longest;
    }
    return best;
}

static int no_format(const char *out)
{
    if (!strcmp(out, "-"))
        return cli_usage(&command_convert,
                         "the format of standard output is unknown: add --to with one of: jfr" PROFILES(FORMAT_NAMES_COMMA));
    return cli_usage(&command_convert, "%s: unknown format: the name must end in one of .jfr" PROFILES(FORMAT_NAMES_EXTENSIONS), out);
}

static int open_out(const struct job *job, struct output *out)
{
    struct error e;
    int rc = job->own ? output_open_own(out, job->out, FLAMEGRAPH_MARK, job->in[0], &e) : output_open(out, job->out, &e);
    if (rc == -EEXIST)
        return cli_fail("%s; 'candor convert' writes the page under another name", e.text);
    return rc ? cli_fail("%s", e.text) : CLI_OK;
}

static int write_out(const struct job *job, const struct format *format)
{
    struct error e;
    struct output out;
    int status = open_out(job, &out);
    if (status)
        return status;
    int rc = write_format(job, format, out.file);
    if (rc) {
        output_abandon(&out);
        return cli_fail("%s: %s", job->in[0], strerror(-rc));
    }
    return output_close(&out, &e) ? cli_fail("%s", e.text) : CLI_OK;
}

/* Prints what was not converted from another tool's file, because not every output format has a place for it. */
static void say_problems(const struct job *job)
{
    const struct profile *p = job->profile;
    for (uint32_t i = 0; is_imported(p) && i < p->problem_count; i++)
        cli_fail("%s: %s", job->in[0], profile_text(p, p->problems[i].text));
}

static int convert(struct job *job, const struct format *format)
{
    struct profile p;
    if (!format)
        return no_format(job->out);
    if (profile_init(&p))
        return cli_fail("%s: out of memory", job->in[0]);
    job->profile = &p;
    enum profile_kind kind = PROFILE_RUNNING;
    int status = job->args ? input_kind(job->args, &kind) : CLI_OK;
    if (!status)
        status = job->args ? input_load(&p, job->args, job->in, job->count, kind) : input_load_plain(&p, job->in[0], kind);
    if (!status && format->write_own != write_json && allocated_show(&p)) /* report_print_json adds them itself */
        status = cli_fail("%s: out of memory", job->in[0]);
    if (!status)
        say_problems(job);
    status = status ? status : write_out(job, format);
    profile_deinit(&p);
    return status;
}

/* Refuses options that have no place in OUT. An OUT that is missing, or of an unknown format, is refused later. */
static int check_options(const struct cli_args *args, const char *out)
{
    struct packing packing;
    const char *to = cli_option(args, "to");
    const struct format *format = find_format(to, out);
    const char *name = to ? to : convert_names_recording(out, &packing) ? "jfr" : format ? format->name : NULL;
    int status = name && args->operand_count > 1 ? option_places_check(args, name) : CLI_OK;
    return status ? status : kinds_page_check(args);
}

static int convert_run(const struct cli_args *args)
{
    const char *out = args->operands[args->operand_count - 1];
    int status = args->operand_count > 1 ? cli_check_output(args, out) : CLI_OK;
    status = status ? status : check_options(args, out);
    if (status)
        return status;
    if (convert_to_recording(args, &status) || convert_to_code(args, &status))
        return status;
    if (args->operand_count < 2)
        return cli_usage(args->command, "the output file is missing: candor convert %s", args->command->arguments);
    struct job job = {.args = args, .in = args->operands, .count = args->operand_count - 1, .out = args->operands[args->operand_count - 1]};
    return convert(&job, find_format(cli_option(args, "to"), job.out));
}

int convert_own_page(const char *in, const char *out, const char *range)
{
    char *path = (char *)in, *words[] = {"convert", "--time", (char *)range, path, (char *)out, NULL};
    struct cli_args args;
    struct job job = {.in = &path, .count = 1, .out = out, .own = true};
    if (range && cli_parse(&command_convert, 5, words, &args))
        return CLI_USAGE;
    if (range)
        job.args = &args;
    return convert(&job, find_format(NULL, out));
}

#define WRITES(name, words, extensions, media) "; " extensions ": " words
const struct cli_command command_convert = {
    .name = "convert",
    .arguments = "[OPTION...] IN... OUT",
    .summary = "convert recordings and profiles to other formats, or a flame graph, or pack a recording",
    .about = "Reads recordings and profiles and writes OUT in the format of its extension; .jfr: a recording" PROFILES(
        WRITES) ". '-' is standard output; it needs --to.\n\n" INPUT_FORMATS " " INPUT_FILTERS "\n\n"
                ".jfr is the recording itself; .jfr.gz, .jfr.lz4, .jfr.zst and .jfr.xz pack it. Every command "
                "recognizes a packed recording by its content and reads it directly; if it is cut off or damaged, "
                "candor reads the intact part. --compress list packs IN in memory and prints the size with each format "
                "and level.\n\n"
                "--to perfmap and --to jitdump write the machine code of a recording made with --asm for perf: the "
                "names of generated code by address, as /tmp/perf-PID.map, and the code with its lines, as jit-PID.dump "
                "for 'perf inject --jit'.\n\n"
                ".html is a page with every kind of sample that the recordings have, or with the one that --kind names. "
                "From standard input it has one kind.\n\n"
                "OUT is replaced only when it is complete.",
    .examples = "candor convert app.jfr app.html\n"
                "    a flame graph to open in a browser\n"
                "candor convert --threads app.jfr app.collapsed\n"
                "    stacks, each beginning with its thread\n"
                "candor convert --kind wall app.jfr app.html\n"
                "    the time of all threads, running or not, for a recording made with -e cpu,wall\n"
                "candor convert --time +10s..+20s app.jfr app.pb.gz\n"
                "    ten seconds of the recording, for 'go tool pprof'\n"
                "candor convert a.jfr b.jfr both.html\n"
                "    two recordings in one flame graph\n"
                "candor convert app.jfr app.jfr.zst\n"
                "    packed, often to a tenth of its size; every command can still read it\n",
    .often = "to,kind,threads,unit",
    .options = options,
    .operand = CLI_FILE,
    .operands_min = 1,
    .operands_max = -1,
    .run = convert_run,
};
