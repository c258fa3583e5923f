/* candor summary FILE: shows what a JFR file contains. */
#include "base/time_units.h"
#include "cli/cli.h"

#include "base/text/jsonw.h"
#include "base/text/units.h"
#include "base/text/utf8.h"
#include "cli/progress.h"
#include "cli/read/problems.h"
#include "events/as_json.h"
#include "events/summary.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

static const struct cli_option options[] = {
    {0, "all", NULL, NULL, "also the types without events"},
    {0, "json", NULL, NULL, "as JSON"},
    CLI_UNPACK_OPTION,
    {0},
};

static double share(const struct summary *s, uint64_t bytes)
{
    return s->size ? (double)bytes / (double)s->size : 0;
}

/* ---- text ---- */

static void print_row(const struct summary *s, const char *name, uint64_t events, uint64_t bytes)
{
    char count[32], size[32];
    fputs("  ", stdout);
    utf8_print(stdout, name);
    int pad = 44 - (int)utf8_columns(name);
    printf("%*s %14s %16s  %5.1f%%\n", pad > 0 ? pad : 0, "", progress_count(events, count, sizeof count),
           progress_count(bytes, size, sizeof size), 100 * share(s, bytes));
}

static void print_header(const struct summary *s)
{
    char when[64], size[32], length[32];
    struct tm local;
    time_t start = (time_t)(s->start_ns / NS_PER_S);
    strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S %z", localtime_r(&start, &local));
    printf("version   %u.%u\n", s->major, s->minor);
    printf("size      %s bytes\n", progress_count(s->size, size, sizeof size));
    printf("chunks    %" PRIu64, s->chunks);
    if (s->whole_chunks < s->chunks)
        printf(" (%" PRIu64 " damaged, %" PRIu64 " of them not readable)", s->chunks - s->whole_chunks, s->chunks - s->read_chunks);
    printf("\nstart     %s\n", when);
    printf("duration  %s\n", units_format_duration(length, sizeof length, s->duration_ns));
}

static void print_text(const struct summary *s, bool all)
{
    print_header(s);
    printf("\n  %-44s %14s %16s  %6s\n", "event type", "count", "bytes", "share");
    for (uint32_t i = 0; i < s->type_count; i++)
        if (all || s->types[i].events)
            print_row(s, strtab_text(&s->names, s->types[i].name), s->types[i].events, s->types[i].bytes);
    putchar('\n');
    print_row(s, "all events", s->events, s->event_bytes);
    print_row(s, "constant pools (jdk.Checkpoint)", s->checkpoints, s->checkpoint_bytes);
    print_row(s, "metadata (jdk.Metadata)", s->metadata, s->metadata_bytes);
}

/* ---- JSON ---- */

static void put_part(struct jsonw *j, const struct summary *s, const char *key, uint64_t events, uint64_t bytes)
{
    jsonw_key(j, key);
    jsonw_object(j);
    jsonw_member_uint(j, "count", events);
    jsonw_member_uint(j, "bytes", bytes);
    jsonw_member_number(j, "share", share(s, bytes));
    jsonw_object_end(j);
}

static void put_types(struct jsonw *j, const struct summary *s, bool all)
{
    jsonw_key(j, "types");
    jsonw_object(j);
    for (uint32_t i = 0; i < s->type_count; i++)
        if (all || s->types[i].events)
            put_part(j, s, strtab_text(&s->names, s->types[i].name), s->types[i].events, s->types[i].bytes);
    jsonw_object_end(j);
}

static void put_problems(struct jsonw *j, const struct jfr_problems *problems)
{
    jsonw_key(j, "problems");
    jsonw_array(j);
    for (uint32_t i = 0; i < problems->listed; i++) {
        jsonw_object(j);
        jsonw_member_uint(j, "offset", problems->list[i].offset);
        jsonw_member_text(j, "text", problems->list[i].text);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
    jsonw_member_uint(j, "problem_count", problems->count);
}

static void print_json(const struct summary *s, const struct jfr_problems *problems, bool all)
{
    struct jsonw j;
    char version[16];
    jsonw_init(&j, stdout);
    j.line_depth = 2;
    jsonw_object(&j);
    snprintf(version, sizeof version, "%u.%u", s->major, s->minor);
    jsonw_member_text(&j, "version", version);
    jsonw_member_uint(&j, "size", s->size);
    jsonw_member_uint(&j, "chunks", s->chunks);
    jsonw_member_uint(&j, "whole_chunks", s->whole_chunks);
    jsonw_key(&j, "start_ns");
    jsonw_int(&j, s->start_ns);
    jsonw_member_uint(&j, "duration_ns", s->duration_ns);
    put_part(&j, s, "events", s->events, s->event_bytes);
    put_part(&j, s, "constant_pools", s->checkpoints, s->checkpoint_bytes);
    put_part(&j, s, "metadata", s->metadata, s->metadata_bytes);
    put_types(&j, s, all);
    put_problems(&j, problems);
    jsonw_object_end(&j);
    jsonw_finish(&j);
}

static int summarize(const char *path, bool all, bool as_json)
{
    static struct jfr_problems problems;
    struct jfr_file *file;
    struct summary s;
    struct error e;
    if (jfr_file_open(&file, path, &problems, &e))
        return cli_fail("%s", e.text);
    int rc = summary_read(&s, file, &problems, &e);
    jfr_file_close(file);
    if (rc) {
        summary_deinit(&s);
        return cli_fail("%s: %s", path, e.text);
    }
    if (as_json) {
        print_json(&s, &problems, all);
    } else {
        print_text(&s, all);
        fflush(stdout);
        problems_print(path, &problems);
    }
    summary_deinit(&s);
    return cli_finish_output();
}

static int summary_run(const struct cli_args *args)
{
    return summarize(args->operands[0], cli_switch(args, "all"), cli_switch(args, "json"));
}

const struct cli_command command_summary = {
    .name = "summary",
    .arguments = "[OPTION...] FILE",
    .summary = "show what a JFR file contains: events and bytes per type",
    .about = "Prints version, chunks, start and duration of any JFR file ('-' is standard input), and for each type of event the number of "
             "events, their bytes and their share of the file. The rest of the file consists of constant pools (names and stack traces), "
             "metadata, and headers of chunks. Damage is reported on "
             "standard error, with --json in 'problems'.\n\n"
             "docs/formats/print-json.md describes the output of --json.",
    .examples = "candor summary app.jfr\n    the content of the file, and what makes it large\n"
                "candor summary --json app.jfr | jq '.types[\"jdk.ExecutionSample\"].count'\n    for programs\n",
    .options = options,
    .operand = CLI_FILE,
    .operands_min = 1,
    .operands_max = 1,
    .run = summary_run,
};
