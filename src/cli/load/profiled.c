#include "cli/load/profiled.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "cli/interrupt.h"
#include "cli/load/chart.h"
#include "cli/read/problems.h"
#include "cli/record/attached.h"
#include "cli/record/begin.h"
#include "cli/record/watch.h"
#include "events/halt_view.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define SPARE_NS (60 * NS_PER_S) /* for connecting, and for requests in progress at the end */

bool profiled_is_wanted(const struct cli_args *args)
{
    return cli_option(args, "profile") != NULL;
}

/* ---- the recording ---- */

/* Reads the options of `candor record` for this recording. Returns a status. */
static int read_options(struct profiled *p, const struct cli_args *load, uint64_t length_ns)
{
    const char *jfr = cli_option(load, "profile-jfr"), *file = cli_option(load, "profile-file");
    const char *words[] = {"record",          "--event",    "cpu,wall,halt", "--jfr",
                           jfr ? jfr : "off", "--duration", p->seconds,      cli_option(load, "profile"),
                           "--output",        file};
    int n = file ? PROFILED_WORDS : PROFILED_WORDS - 2;
    snprintf(p->seconds, sizeof p->seconds, "%" PRIu64 "s", (length_ns + SPARE_NS) / NS_PER_S + 1);
    memcpy(p->words, words, sizeof words);
    int status = cli_parse(&command_record, n, p->words, &p->args);
    return status ? CLI_USAGE : recording_read(&p->recording, &p->args);
}

static int start(struct profiled *p)
{
    int status = recording_file_open(&p->recording.file);
    if (status)
        return status;
    jdk_recorder_begin(&p->jdk, &p->session, &p->recording, WATCH_GUARD_NS);
    status = begin_recording(&p->session, &p->recording);
    if (!status)
        status = begin_place(&p->session, &p->recording);
    if (status)
        jdk_recorder_abandon(&p->jdk, &p->session);
    return status;
}

int profiled_begin(struct profiled *p, const struct cli_args *load, uint64_t length_ns)
{
    *p = (struct profiled){.session.handle = -1};
    int status = read_options(p, load, length_ns);
    if (!status)
        status = session_open(&p->session, &p->args);
    if (!status)
        status = recording_choose_file(&p->recording, &p->args, p->session.name);
    if (!status)
        status = session_load_agent(&p->session);
    if (!status)
        status = start(p);
    p->begun = !status;
    return status;
}

static int finish(struct profiled *p)
{
    p->begun = false;
    int status = watch_finish(&p->session, &p->recording, session_wait_end(&p->session, 0) ? WATCH_EXITED : WATCH_INTERRUPTED);
    int joined = jdk_recorder_end(&p->jdk, &p->session, p->recording.file.path);
    return status ? status : joined;
}

void profiled_close(struct profiled *p)
{
    if (p->begun)
        finish(p);
    session_close(&p->session);
}

/* ---- what it says ---- */

/* Whether `one` describes the longest halt better than `best`. A pause for garbage collection lies within a safepoint that is hardly
 * longer, and has the cause. */
static bool is_better(const struct halt *one, uint64_t ns, const struct halt *best, uint64_t best_ns)
{
    bool gc = one->kind == HALT_GC, best_gc = best && best->kind == HALT_GC;
    if (gc == best_gc)
        return ns > best_ns;
    return gc ? ns * 2 > best_ns : ns > best_ns * 2;
}

static void note_longest(struct profiled_halts *out, const struct halts *h, const struct halt *longest)
{
    out->longest_start_ns = longest->start_ns;
    snprintf(out->kind, sizeof out->kind, "%s", halt_kinds[longest->kind].words);
    snprintf(out->cause, sizeof out->cause, "%s", longest->what ? halts_text(h, longest->what) : "");
}

static int look_at_halts(struct profiled_halts *out, const struct halts *h, int64_t from, int64_t to)
{
    struct halt_view v;
    const struct halt *longest = NULL;
    int64_t end = INT64_MIN; /* of the halts so far */
    *out = (struct profiled_halts){0};
    if (from < h->start_ns)
        from = h->start_ns;
    int rc = halt_view_make(&v, h, from, to > from ? to : from, NULL);
    for (uint32_t i = 0; i < v.count && !rc; i++) {
        const struct halt *one = &h->list[v.rows[i]];
        if (halt_scope(one) != HALT_OF_ALL)
            continue;
        out->count += one->start_ns >= end;
        end = halt_end(one) > end ? halt_end(one) : end;
        if (is_better(one, halt_overlap(&v, one), longest, out->longest_ns)) {
            longest = one;
            out->longest_ns = halt_overlap(&v, one);
        }
    }
    out->stopped_ns = v.stopped_ns;
    out->counted_ns = v.kinds[HALT_SAFEPOINTS_COUNTED].total_ns;
    if (longest)
        note_longest(out, h, longest);
    halt_view_deinit(&v);
    return rc;
}

static int64_t begin_of(const struct load_interval *i)
{
    return i->end_ns - (int64_t)(i->length * NS_PER_S);
}

static double p99_of(const struct load_interval *i)
{
    return i->response > 0 ? i->response : i->service;
}

static double max_of(const struct load_interval *i)
{
    return i->response_most > 0 ? i->response_most : i->service_most;
}

static const struct load_interval *slowest_of(const struct load_intervals *intervals)
{
    const struct load_interval *slowest = NULL;
    for (uint32_t i = 0; i < intervals->count; i++)
        if (max_of(&intervals->list[i]) > 0 && (!slowest || p99_of(&intervals->list[i]) > p99_of(slowest)))
            slowest = &intervals->list[i];
    return slowest;
}

static int look_at_slowest(struct profiled_slowest *out, const struct load_interval *i, const struct halts *h)
{
    int64_t from = begin_of(i) - (int64_t)max_of(i);
    *out = (struct profiled_slowest){.at = i->at - i->length,
                                     .length = i->length,
                                     .p99_ns = (uint64_t)p99_of(i),
                                     .max_ns = (uint64_t)max_of(i),
                                     .from = (double)(from > h->start_ns ? from - h->start_ns : 0) / NS_PER_S,
                                     .to = (double)(i->end_ns - h->start_ns) / NS_PER_S};
    return look_at_halts(&out->halts, h, from, i->end_ns);
}

static int explain(struct profiled *p, struct load_intervals *intervals, const struct halts *h)
{
    const struct load_interval *slowest = slowest_of(intervals);
    struct profiled_halts of_interval;
    if (intervals->no_memory)
        return -ENOMEM;
    if (!slowest)
        return 0;
    int rc = look_at_slowest(&p->slowest, slowest, h);
    for (uint32_t i = 0; i < intervals->count && !rc; i++) {
        struct load_interval *one = &intervals->list[i];
        rc = look_at_halts(&of_interval, h, begin_of(one), one->end_ns);
        one->stopped = (double)of_interval.stopped_ns;
    }
    const struct load_interval *first = &intervals->list[0], *last = &intervals->list[intervals->count - 1];
    if (!rc)
        rc = look_at_halts(&p->all, h, begin_of(first), last->end_ns);
    p->known = !rc;
    return rc;
}

static void put_range(const struct profiled_slowest *s, char *out, size_t size)
{
    snprintf(out, size, "+%.3fs..+%.3fs", s->from, s->to);
}

static int write_pages(struct profiled *p)
{
    const char *path = p->recording.file.path;
    char range[64];
    watch_page_beside(path, "-profile.html", p->page, sizeof p->page);
    int status = convert_own_page(path, p->page, NULL);
    if (status || !p->known)
        return status;
    watch_page_beside(path, "-slowest.html", p->slowest_page, sizeof p->slowest_page);
    put_range(&p->slowest, range, sizeof range);
    return convert_own_page(path, p->slowest_page, range);
}

int profiled_end(struct profiled *p, struct load_intervals *intervals)
{
    static struct jfr_problems problems;
    struct jfr_file *file;
    struct halts halts;
    struct error e;
    const char *path = p->recording.file.path;
    int status = finish(p);
    if (status)
        return status;
    if (jfr_file_open(&file, path, &problems, &e))
        return cli_fail("%s", e.text);
    int rc = halts_read(&halts, file, &problems, &e);
    if (rc)
        cli_fail("%s", e.text);
    else if ((rc = explain(p, intervals, &halts)))
        cli_fail("no memory for the halts of %s", path);
    halts_deinit(&halts);
    jfr_file_close(file);
    problems_print(path, &problems);
    return rc ? CLI_FAILED : write_pages(p);
}

/* ---- printing ---- */

/* The longest halt as a share of the slowest request's time. */
static double covered(const struct profiled_slowest *s)
{
    double share = s->max_ns ? (double)s->halts.longest_ns / (double)s->max_ns : 0;
    return share < 1 ? share : 1;
}

/* Half a sentence about the halts in the slowest interval. */
static void say_halts(const struct profiled_slowest *s, char *out, size_t size)
{
    const struct profiled_halts *h = &s->halts;
    char stopped[32], longest[32];
    if (!h->count) {
        snprintf(out, size,
                 "no pause of all threads explains it: none is recorded from %.1f to %.1f s of the recording; the profile shows what the "
                 "threads did",
                 s->from, s->to);
        return;
    }
    units_format_duration(stopped, sizeof stopped, h->stopped_ns);
    units_format_duration(longest, sizeof longest, h->longest_ns);
    snprintf(out, size,
             "all threads of the server stood still %" PRIu32
             " time%s, %s in all; the longest halt, %s (%s%s%s), is as long as %.0f %% of the "
             "slowest request's time",
             h->count, h->count == 1 ? "" : "s", stopped, longest, h->kind, *h->cause ? ": " : "", h->cause, covered(s) * 100);
}

static void put_command(const struct profiled *p, const char *kind, char *out, size_t size)
{
    char range[64];
    put_range(&p->slowest, range, sizeof range);
    snprintf(out, size, "candor report%s --time %s '%s'", kind, range, p->recording.file.path);
}

void profiled_print_text(const struct profiled *p)
{
    const struct profiled_slowest *s = &p->slowest;
    char length[32], p99[32], max[32], text[PATH_MAX + 256];
    printf("\nProfile of %s (process %d): %s\n", p->session.name, p->session.process.pid, p->recording.file.path);
    if (!p->known) {
        puts("  no request ended, so there is no slowest second");
        return;
    }
    units_format_duration(length, sizeof length, (uint64_t)(s->length * NS_PER_S + 0.5));
    units_format_duration(p99, sizeof p99, s->p99_ns);
    units_format_duration(max, sizeof max, s->max_ns);
    printf("  The slowest %s began %.1f s after the start: p99 %s, max %s.\n", length, s->at, p99, max);
    say_halts(s, text, sizeof text);
    printf("  In this time, and while its requests waited, %s.\n", text);
    units_format_duration(length, sizeof length, p->all.stopped_ns);
    printf("  In the whole run: %" PRIu32 " halts of all threads, %s in all.\n", p->all.count, length);
    put_command(p, "", text, sizeof text);
    printf("    %s\n", text);
    put_command(p, " --kind halt", text, sizeof text);
    printf("    %s\n", text);
    printf("    file://%s\n", p->slowest_page);
}

static void put_halts(struct jsonw *j, const char *key, const struct profiled_halts *h)
{
    jsonw_key(j, key);
    jsonw_object(j);
    jsonw_member_uint(j, "count", h->count);
    jsonw_member_uint(j, "stopped_ns", h->stopped_ns);
    jsonw_member_uint(j, "counted_safepoints_ns", h->counted_ns);
    jsonw_member_uint(j, "longest_ns", h->longest_ns);
    jsonw_member_uint(j, "longest_start_epoch_ns", (uint64_t)h->longest_start_ns);
    jsonw_member_text_or_null(j, "longest_kind", h->kind);
    jsonw_member_text_or_null(j, "longest_cause", h->cause);
    jsonw_object_end(j);
}

static void put_slowest(struct jsonw *j, const struct profiled *p)
{
    const struct profiled_slowest *s = &p->slowest;
    char text[PATH_MAX + 256];
    jsonw_key(j, "slowest");
    jsonw_object(j);
    jsonw_member_number(j, "start_s", s->at);
    jsonw_member_number(j, "length_s", s->length);
    jsonw_member_uint(j, "p99_ns", s->p99_ns);
    jsonw_member_uint(j, "max_ns", s->max_ns);
    jsonw_member_number(j, "recording_from_s", s->from);
    jsonw_member_number(j, "recording_to_s", s->to);
    put_halts(j, "halts", &s->halts);
    jsonw_member_number(j, "covered", covered(s));
    put_command(p, "", text, sizeof text);
    jsonw_member_text(j, "command", text);
    jsonw_member_text(j, "page", p->slowest_page);
    jsonw_object_end(j);
}

void profiled_print_json(const struct profiled *p, struct jsonw *j)
{
    jsonw_key(j, "profile");
    jsonw_object(j);
    jsonw_member_uint(j, "pid", (uint64_t)p->session.process.pid);
    jsonw_member_text(j, "recording", p->recording.file.path);
    jsonw_member_text(j, "page", p->page);
    if (p->known) {
        put_halts(j, "halts", &p->all);
        put_slowest(j, p);
    }
    jsonw_object_end(j);
}

void profiled_write_page(const struct profiled *p, FILE *out)
{
    char text[PATH_MAX + 256];
    if (!p->known)
        return;
    fprintf(out,
            "<h2>The server in the slowest time</h2>\n<p>It began %.1f s after the start. In this time, and while its requests waited, ",
            p->slowest.at);
    say_halts(&p->slowest, text, sizeof text);
    chart_escape(out, text);
    fputs(". <a href=\"file://", out);
    chart_escape(out, p->slowest_page);
    fputs("\">The flame graph of this time</a>; as text: <code>", out);
    put_command(p, "", text, sizeof text);
    chart_escape(out, text);
    fputs("</code></p>\n", out);
}
