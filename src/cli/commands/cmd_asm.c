/* candor asm: shows which instructions used the CPU time, in a recording or in a running JVM. */
#include "asm/report.h"
#include "base/time_units.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/record/begin.h"
#include "cli/record/watch.h"
#include "profile/load/load_jfr.h"

#include <string.h>
#include <unistd.h>

static const struct cli_option options[] = {
    {'d', "duration", "TIME", NULL, "for a JVM: how long to record (default 10s)"},
    {'i', "interval", "TIME", NULL, "for a JVM: time between two samples (default 1ms)"},
    {'e', "event", "EVENT", "cpu|" RECORDING_EVENT_COUNTED, "for a JVM: the event to sample (default cpu)"},
    {0, "event-interval", "N", NULL, "for a JVM: with an event other than cpu, how many events between two samples"},
    {'o', "output", "FILE", NULL, "for a JVM: keep the recording in this file"},
    {0, "heal", "MODE", "off|paced|now",
     "for a JVM: whether code that it compiled before the agent was loaded is compiled again, for exact lines: off, paced or now (default "
     "paced); see 'candor help record'"},
    {0, "recompile", NULL, NULL, "for a JVM: the same as --heal now"},
    {'n', "top", "N", NULL, "rows per table, and regions with their code; 0 for all (default 20)"},
    {0, "threshold", "PERCENT", NULL, "show the code of regions with at least this share (default 5)"},
    {0, "method", "REGEX", NULL, "show the code of regions whose name matches REGEX, whatever their share"},
    {0, "syntax", "SYNTAX", "intel|att", "syntax of x86-64's instructions (default intel)"},
    {0, "bytes", NULL, NULL, "show the instructions' bytes"},
    {0, "json", NULL, NULL, "as JSON"},
    SESSION_TIMEOUT_OPTION,
    CLI_UNPACK_OPTION,
    {0},
};

enum { DEFAULT_SECONDS = 10, DEFAULT_TOP = 20 };

struct asm_options {
    struct regex *method; /* NULL = none */
    double threshold;
    uint32_t top;
    enum asm_syntax syntax;
};

static int parse(const struct cli_args *args, struct asm_options *o)
{
    const char *method = cli_option(args, "method"), *syntax = cli_option(args, "syntax");
    struct error e;
    int status = cli_number(args, "top", DEFAULT_TOP, &o->top);
    if (!status)
        status = cli_percent(args, "threshold", 5, 0, &o->threshold);
    if (status)
        return status;
    o->syntax = syntax && !strcmp(syntax, "att") ? ASM_ATT : ASM_INTEL;
    if (method && regex_compile(&o->method, method, REGEX_SOMEWHERE, &e))
        return cli_usage(args->command, "--method '%.60s' is not a regular expression: %s", method, e.text);
    return CLI_OK;
}

/* ---- the report ---- */

static int print(const struct cli_args *args, const struct asm_options *o, const char *file, struct asm_recording *r,
                 const struct profile *p)
{
    struct asm_regions regions;
    struct asm_decoder decoder;
    struct error e;
    const char *processor = asm_string(r, r->processor);
    if (asm_decoder_init(&decoder, *processor ? processor : "x86_64", o->syntax, &e))
        return cli_fail("%s: %s", file, e.text);
    struct asm_report report = {.file = file,
                                .recording = r,
                                .regions = &regions,
                                .profile = p,
                                .decoder = &decoder,
                                .method = o->method,
                                .threshold = o->threshold,
                                .top = o->top,
                                .bytes = cli_switch(args, "bytes"),
                                .colour = cli_colour(stdout)};
    int rc = asm_regions_build(&regions, r);
    if (!rc)
        rc = cli_switch(args, "json") ? asm_json(stdout, &report) : asm_text(stdout, &report);
    asm_regions_deinit(&regions);
    asm_decoder_deinit(&decoder);
    return rc ? cli_fail("%s: %s", file, strerror(-rc)) : CLI_OK;
}

static int load_and_print(const struct cli_args *args, const struct asm_options *o, const char *file, struct asm_recording *r)
{
    struct profile p;
    struct error e;
    int status = CLI_OK;
    if (asm_recording_load(r, file, &e))
        return cli_fail("%s", e.text);
    if (profile_init(&p))
        return cli_fail("%s: out of memory", file);
    if (profile_load_jfr(&p, file, &e))
        status = cli_fail("%s", e.text);
    else
        status = print(args, o, file, r, &p);
    profile_deinit(&p);
    return status;
}

static int show(const struct cli_args *args, const struct asm_options *o, const char *file)
{
    struct asm_recording r;
    if (asm_recording_init(&r))
        return cli_fail("%s: out of memory", file);
    int status = load_and_print(args, o, file, &r);
    asm_recording_deinit(&r);
    int written = cli_finish_output();
    return status ? status : written;
}

/* ---- a running JVM ---- */

static int open_file(const struct cli_args *args, const struct session *s, struct recording *r)
{
    if (!cli_option(args, "output"))
        return recording_file_make(&r->file, "asm", s->process.pid);
    int status = recording_choose_file(r, args, s->name);
    return status ? status : recording_file_open(&r->file);
}

static int record_and_show(const struct cli_args *args, const struct asm_options *o, const struct session *s, struct recording *r)
{
    int status = session_load_agent(s);
    if (!status)
        status = open_file(args, s, r);
    if (status)
        return status;
    interrupt_catch();
    status = begin_recording(s, r);
    if (!status)
        status = begin_place(s, r);
    if (status)
        return status;
    status = watch_finish(s, r, watch_recording(s, r, true));
    int shown = show(args, o, r->file.path);
    if (!cli_option(args, "output"))
        unlink(r->file.path);
    return status ? status : shown;
}

static int run_live(const struct cli_args *args, const struct asm_options *o)
{
    struct recording r;
    struct session s;
    int status = recording_read(&r, args);
    if (status)
        return status;
    r.given[OPTION_ASM] = "on";
    if (r.given[OPTION_EVENT] && strcmp(r.given[OPTION_EVENT], "cpu") && !recording_counts(&r))
        return cli_usage(args->command, "--event %.60s: use cpu, or an event that perf counts", r.given[OPTION_EVENT]);
    if (!r.given[OPTION_INTERVAL] && !recording_counts(&r))
        r.interval_ns = NS_PER_MS;
    if (!r.duration_ns)
        r.duration_ns = DEFAULT_SECONDS * NS_PER_S;
    status = session_open(&s, args);
    if (!status)
        status = record_and_show(args, o, &s, &r);
    session_close(&s);
    return status;
}

static int asm_run(const struct cli_args *args)
{
    static const char *const of_jvm[] = {"duration", "interval", "event", "event-interval", "output", "heal", "recompile", "timeout"};
    struct asm_options o = {0};
    bool file = cli_is_file(args->operands[0]);
    int status = parse(args, &o);
    if (!status && !strcmp(args->operands[0], "-"))
        status = cli_usage(args->command, "standard input cannot be read twice; give a file");
    for (size_t i = 0; file && !status && i < sizeof of_jvm / sizeof *of_jvm; i++)
        if (cli_option(args, of_jvm[i]))
            status =
                cli_usage(args->command, "--%s is for a JVM, but %.100s is a file; leave the option out", of_jvm[i], args->operands[0]);
    if (!status)
        status = file ? show(args, &o, args->operands[0]) : run_live(args, &o);
    regex_free(o.method);
    return status;
}

const struct cli_command command_asm = {
    .name = "asm",
    .arguments = "[OPTION...] (FILE | PID | NAME)",
    .summary = "show which machine instructions the CPU time went to",
    .about = "Records a JVM for --duration, with a copy of the machine code in which samples were taken, or reads a FILE that "
             "was recorded with --asm. Prints the hottest regions of code as annotated instructions, with jumps, inlined "
             "methods, bytecode indexes and lines beside them. Then it prints tables of regions, of methods after "
             "inlining, and of the origin of the code: each compiler and level, stubs, the interpreter, libraries, the "
             "kernel. Each table adds up to all samples. The JVM needs no flag, no disassembler plug-in and no restart.\n\n"
             "Brackets contain the 95 % confidence interval of a share. The address of a sample is where the clock "
             "interrupted the thread, at or after the instruction that took the time. If an instruction has many samples, "
             "consider the one before it. If a load or a division feeds it, the report shows which one.\n\n"
             "Code that was compiled before the agent was loaded has line numbers only at calls; --heal now makes the JVM "
             "compile it again first.\n\n"
             "With -e EVENT a JVM is sampled by an event that the processor or the kernel counts, such as cache-misses or "
             "page-faults (see 'candor help record'), and the shares are of these events.\n\n"
             "docs/formats/asm-json.md describes the output of --json. 'candor convert' turns a recording with --asm into "
             "a page in which a frame leads to its code.",
    .examples = "candor asm -d 10s 4711\n"
                "    the hottest instructions of process 4711\n"
                "candor asm --method 'HashMap.get' 4711\n"
                "    the code of that method, whatever its share\n"
                "candor record --asm -o app.jfr -d 30s 4711 && candor asm app.jfr\n"
                "    record now, look later\n"
                "candor asm -e page-faults 4711\n"
                "    which instructions touch memory for the first time\n"
                "candor asm --json app.jfr | jq '.sources'\n"
                "    for programs\n",
    .options = options,
    .operand = CLI_PROCESS,
    .operands_min = 1,
    .operands_max = 1,
    .run = asm_run,
};
