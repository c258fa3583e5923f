#include "base/text/number.h"
#include "base/time_units.h"
#include "report/text/text.h"

#include "base/text/units.h"
#include "base/text/utf8.h"
#include "profile/accounts.h"
#include "profile/format_names.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

enum { RATE_BYTES = 20 /* a rate in a recording: "100/s" */, TYPES_TOP = 6, TYPES_A_LINE = 3 };
enum { SINCE_BOOT_MOST_S = 500000000 }; /* smaller times are of perf's clock, not since the epoch (15 years) */

static void key(const struct text *t, const char *name)
{
    text_begin(t, TEXT_HEADING);
    fprintf(t->out, "%-9s ", name);
    text_end(t, TEXT_HEADING);
}

static void put_process(const struct text *t)
{
    const char *command = profile_text(t->p, t->p->command), *host = profile_host(t->p);
    bool is_known = *command || t->p->pid;
    if (!is_known && !*host)
        return;
    key(t, is_known ? "Process" : "Host");
    if (is_known)
        utf8_print(t->out, *command ? command : "?");
    if (t->p->pid)
        fprintf(t->out, " (pid %" PRIu64 ")", t->p->pid);
    if (is_known && *host)
        fputs(" on ", t->out);
    utf8_print(t->out, host);
    fputc('\n', t->out);
}

/* Prints the JVM's version, such as "OpenJDK 64-Bit Server VM (25.0.3+9-LTS) for linux-amd64 JRE (...), built on ...". The text from "
 * for " on is left out, because it says nothing useful. */
static void put_jvm(const struct text *t)
{
    char version[256];
    snprintf(version, sizeof version, "%s", profile_text(t->p, t->p->jvm_version));
    char *rest = strstr(version, " for ");
    if (rest)
        *rest = 0;
    if (!*version)
        return;
    key(t, "JVM");
    utf8_print(t->out, version);
    fputc('\n', t->out);
}

static void put_time(const struct text *t)
{
    char length[32], date[64];
    time_t seconds = (time_t)(t->p->start_ns / NS_PER_S);
    struct tm tm;
    if (!t->p->start_ns || !gmtime_r(&seconds, &tm) || !strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", &tm))
        return;
    if (seconds < SINCE_BOOT_MOST_S)
        snprintf(date, sizeof date, "%lld s after the machine started", (long long)seconds);
    key(t, "Recorded");
    fputs(date, t->out);
    if (t->p->duration_ns)
        fprintf(t->out, ", %s", text_time(length, sizeof length, (int64_t)t->p->duration_ns));
    fputc('\n', t->out);
}

static void put_moment(const struct text *t, int64_t ns)
{
    char date[64];
    time_t seconds = (time_t)(ns / NS_PER_S);
    struct tm tm;
    if (gmtime_r(&seconds, &tm) && strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", &tm))
        fputs(date, t->out);
}

/* Says which time the recording still covers if older data was discarded, which is no damage. Nothing is printed for several recordings
 * together, because each has its own time. */
static void put_kept(const struct text *t)
{
    const char *keep = profile_setting(t->p, "keep_ns"), *most = profile_setting(t->p, "max_bytes");
    const char *began = profile_setting(t->p, "began_ns");
    uint64_t ns = number_or_zero(keep), bytes = number_or_zero(most);
    char text[32];
    if (!t->p->discarded || t->p->merged > 1)
        return;
    key(t, "Kept");
    put_moment(t, t->p->start_ns);
    fputs(" to ", t->out);
    put_moment(t, t->p->start_ns + (int64_t)t->p->duration_ns);
    fputs(": older data were discarded, as requested", t->out);
    if (ns)
        fprintf(t->out, ", keep %s", text_time(text, sizeof text, (int64_t)ns));
    if (bytes)
        fprintf(t->out, ", at most %s", units_format_bytes(text, sizeof text, bytes));
    if (began) {
        fputs("\n          (the recording began ", t->out);
        put_moment(t, number_signed_or_zero(began));
        fputc(')', t->out);
    }
    fputc('\n', t->out);
}

/* Returns the weight of the samples of idle threads, which the tables leave out. */
static uint64_t idle_weight(const struct text *t)
{
    return t->o->idle ? t->o->idle->weight : 0;
}

static void put_weight(const struct text *t, const char *word)
{
    uint64_t weight = t->s->weight + idle_weight(t);
    char text[32];
    key(t, word);
    fputs(text_time(text, sizeof text, (int64_t)weight), t->out);
    if (t->p->duration_ns)
        fprintf(t->out, ", %.2f threads on average", (double)weight / (double)t->p->duration_ns);
    fprintf(t->out, " (wall-clock time of %s)\n", t->p->book_count ? "Java's threads" : "threads");
}

static void put_safepoint(const struct text *t)
{
    char text[32];
    bool waiting = t->p->kind == PROFILE_WAITING;
    put_weight(t, waiting ? "Waiting" : "Running");
    key(t, "Event");
    fprintf(t->out, "safepoint, interval %s: %s\n", text_time(text, sizeof text, (int64_t)t->p->interval_ns),
            waiting ? "waiting threads, with exact stacks"
                    : "threads that the JVM calls runnable. Their methods are biased: a thread shows the next\n          place where it "
                      "can be stopped, not the place where it spent the time. If possible, use -e cpu");
}

static void put_wall(const struct text *t)
{
    char text[32];
    put_weight(t, "Wall");
    if (!accounts_has_book(t->p, BOOK_WALL))
        return;
    key(t, "Event");
    fprintf(t->out, "wall, interval %s: all Java threads, running or not; --sections books shows their states\n",
            text_time(text, sizeof text, (int64_t)t->p->interval_ns));
}

static void put_locks(const struct text *t)
{
    const char *threshold = profile_setting(t->p, "lock_threshold_ns"), *rate = profile_setting(t->p, "lock_rate");
    char text[32];
    put_weight(t, "Waiting");
    key(t, "Event");
    fputs("lock: waits for monitors, and parks", t->out);
    if (threshold)
        fprintf(t->out, "; all waits of %s or more, and a random part of the shorter ones",
                text_time(text, sizeof text, number_signed_or_zero(threshold)));
    if (rate) {
        fputs(", about ", t->out);
        utf8_write(t->out, rate, strnlen(rate, RATE_BYTES));
        fputs(" at most", t->out);
    }
    fputc('\n', t->out);
}

static void put_holders(const struct text *t)
{
    put_weight(t, "Waiting");
    key(t, "Event");
    fputs("lock: what threads did while they held a lock for which others waited; if they were running, see also --kind cpu\n", t->out);
}

static void put_cpu(const struct text *t)
{
    const struct profile_book *cpu = accounts_line(t->p, ACCOUNT_CPU);
    char text[32];
    if (!cpu && (t->p->unit != PROFILE_UNIT_NS || !t->s->samples))
        return;
    int64_t ns = cpu ? cpu->ns : (int64_t)t->s->weight;
    key(t, "CPU");
    fputs(text_time(text, sizeof text, ns), t->out);
    if (t->p->duration_ns)
        fprintf(t->out, ", %.2f CPUs on average", (double)ns / (double)t->p->duration_ns);
    fputs(cpu                     ? "\n"
          : t->p->books_elsewhere ? " (by the samples: the server keeps the books)\n"
                                  : " (by the samples: there are no books)\n",
          t->out);
}

/* Prints the sum of the weights of a profile that another profiler measured. */
static void put_value(const struct text *t)
{
    const struct profile *p = t->p;
    char text[32];
    key(t, "Measured");
    text_weight(text, sizeof text, p, t->s->weight);
    bool is_count = !strcmp(profile_unit_word(p), "count"); /* pprof's word for a number of whatever the value is */
    fprintf(t->out, "%s%s", text, p->unit == PROFILE_UNIT_OTHER && !is_count ? " " : "");
    if (p->unit == PROFILE_UNIT_OTHER && !is_count)
        utf8_print(t->out, profile_unit_word(p));
    fputs(" of ", t->out);
    utf8_print(t->out, text_whole(t));
    fputc('\n', t->out);
}

/* Prints the event that a clock of Candor counted instead of CPU time. */
static void put_counter(const struct text *t)
{
    const char *event = profile_setting(t->p, "event"), *interval = profile_setting(t->p, "event_interval");
    const char *clock = profile_setting(t->p, "clock");
    char number[32];
    if (!event || !interval)
        return;
    key(t, "Event");
    utf8_print(t->out, event);
    fprintf(t->out, ", a sample every %s", text_count(number, sizeof number, number_or_zero(interval)));
    if (clock) {
        fputs(", clock ", t->out);
        utf8_print(t->out, clock);
    }
    fputc('\n', t->out);
}

static void put_allocated(const struct text *t)
{
    const struct profile *p = t->p;
    const char *interval = profile_setting(p, "alloc_interval"), *rate = profile_setting(p, "alloc_rate");
    char text[32];
    key(t, "Allocated");
    fputs(units_format_bytes(text, sizeof text, t->s->weight), t->out);
    if (p->duration_ns) {
        double per_second = (double)t->s->weight * NS_PER_S / (double)p->duration_ns;
        fprintf(t->out, ", %s/s on average", units_format_bytes(text, sizeof text, (uint64_t)per_second));
    }
    if (interval)
        fprintf(t->out, ", a sample per %s", units_format_bytes(text, sizeof text, number_or_zero(interval)));
    if (!interval && rate) {
        fputs(", about ", t->out);
        utf8_write(t->out, rate, strnlen(rate, RATE_BYTES));
        fputs(" samples", t->out);
    }
    fputc('\n', t->out);
}

/* Prints what the figures below leave out, because their shares refer to the rest. */
static void put_idle(const struct text *t)
{
    const struct idle *idle = t->o->idle;
    char time[32], count[32];
    if (!idle || !idle->samples)
        return;
    key(t, "Idle");
    fprintf(t->out, "%s, %.1f %%, of %s thread%s that waited for work; the figures below leave it out (--idle shows it)\n",
            text_time(time, sizeof time, (int64_t)idle->weight), 100 * (double)idle->weight / (double)(idle->weight + t->s->weight),
            text_count(count, sizeof count, idle->threads), idle->threads == 1 ? "" : "s");
}

static void put_filtered(const struct text *t)
{
    const struct profile *p = t->p;
    double shown = (double)p->weight + (double)idle_weight(t), all = shown + (double)p->filtered_weight;
    char count[32];
    if (!p->filtered)
        return;
    key(t, "Filter");
    fprintf(t->out, "shown %.1f %%, filtered %.1f %% (%s samples)\n", 100 * shown / all, 100 * (double)p->filtered_weight / all,
            text_count(count, sizeof count, p->filtered));
}

/* Prints how many samples come from clocks by lot, and from how many windows. The intervals rest on the windows, because windows were
 * drawn. */
static void put_lot(const struct text *t)
{
    const struct profile *p = t->p;
    uint32_t drawn = 0, windows = 0;
    char count[32];
    if (!p->windows)
        return;
    struct map met = {0};
    for (uint32_t i = 0; i < p->sample_count; i++)
        if (p->samples[i].window) {
            bool added = false;
            map_add(&met, p->samples[i].window, &added);
            drawn++;
            windows += added;
        }
    map_deinit(&met);
    fprintf(t->out, "; by lot: %s", text_count(count, sizeof count, drawn));
    fprintf(t->out, " samples in %s windows, from which the intervals are computed", text_count(count, sizeof count, windows));
}

static void put_clock(const struct text *t)
{
    const char *clock = profile_setting(t->p, "clock"), *reason = profile_setting(t->p, "clock_reason");
    const char *resolution = profile_setting(t->p, "clock_resolution_ns");
    char text[32];
    if (!clock)
        return;
    key(t, "Clock");
    utf8_print(t->out, clock);
    if (resolution)
        fprintf(t->out, ", resolution %s", text_time(text, sizeof text, number_signed_or_zero(resolution)));
    if (t->p->interval_ns)
        fprintf(t->out, ", interval %s", text_time(text, sizeof text, (int64_t)t->p->interval_ns));
    if (reason && *reason) {
        fputs(" (", t->out);
        utf8_print(t->out, reason);
        fputc(')', t->out);
    }
    put_lot(t);
    fputc('\n', t->out);
}

/* Adds up the weights of the samples with a truncated stack, and of those without a stack. */
static void count_outcomes(const struct profile *p, uint64_t *truncated, uint64_t *failed)
{
    *truncated = *failed = 0;
    for (uint32_t i = 0; i < p->sample_count; i++) {
        const char *outcome = profile_text(p, p->samples[i].outcome);
        if (!strcmp(outcome, "truncated"))
            *truncated += p->samples[i].weight;
        else if (strcmp(outcome, "complete"))
            *failed += p->samples[i].weight;
    }
}

static bool holds_halts_only(const struct profile *p)
{
    const char *event = profile_setting(p, "event");
    return event && !strcmp(event, "halt");
}

/* Prints the format in which the file was read. For a text format this is a guess. */
static void put_format(const struct text *t)
{
#define ROW(name, words, extensions, media) {#name, words},
    static const struct {
        const char *source, *words;
    } formats[] = {FORMAT_NAMES_BOTH(ROW) FORMAT_NAMES_READ(ROW)};
#undef ROW
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (!strcmp(profile_text(t->p, t->p->source), formats[i].source)) {
            key(t, "Read as");
            fprintf(t->out, "%s (if this is wrong, use --from)\n", formats[i].words);
        }
}

/* Prints types of events that have samples of other kinds; if `unknown`, types without samples of any kind. Returns how many types there
 * are; `shown` types are already printed. */
static uint32_t put_types(const struct text *t, bool unknown, uint32_t shown)
{
    char count[32];
    uint32_t types = 0;
    for (uint32_t i = 0; i < t->p->event_type_count; i++) {
        const struct profile_event_type *type = &t->p->event_types[i];
        enum profile_kind kind;
        bool known = profile_kind_first(type->kinds, &kind);
        if (known == unknown || type->kinds & 1u << t->p->kind || shown + types++ >= TYPES_TOP)
            continue;
        fputs(shown + types == 1 ? "          it has " : (shown + types) % TYPES_A_LINE == 1 ? ",\n          " : ", ", t->out);
        fprintf(t->out, "%s ", text_count(count, sizeof count, type->count));
        utf8_print(t->out, profile_text(t->p, type->name));
        if (known)
            fprintf(t->out, " (--kind %s)", profile_kinds[kind].word);
    }
    return types;
}

/* Prints the recording's other types of events, so that an empty report does not suggest an empty recording. */
static void put_others(const struct text *t)
{
    uint32_t types = put_types(t, false, 0);
    types += put_types(t, true, types);
    if (types > TYPES_TOP)
        fputs(",\n          and more; 'candor summary' lists all types of events", t->out);
    if (types)
        fputc('\n', t->out);
}

static void put_samples(const struct text *t)
{
    static const char of_halts[] = "this is a recording of halts; 'candor report --kind halt' shows them";
    const struct profile *p = t->p;
    char count[32], period[32];
    uint64_t truncated, failed;
    key(t, "Samples");
    if (!t->s->samples && idle_weight(t)) {
        fputs("none but those of idle threads\n", t->out);
        return;
    }
    if (!t->s->samples) {
        fprintf(t->out, "none: %s\n", p->kind == PROFILE_RUNNING && holds_halts_only(p) ? of_halts : profile_kinds[p->kind].none);
        put_others(t);
        return;
    }
    count_outcomes(p, &truncated, &failed);
    double weight = t->s->weight ? (double)t->s->weight : 1;
    fputs(text_count(count, sizeof count, t->s->samples), t->out);
    if (!p->cpu_samples && profile_kinds[p->kind].basis == PROFILE_BY_CLOCK) {
        fputs(" of ", t->out);
        utf8_print(t->out, profile_text(p, p->source));
        if (p->interval_ns)
            fprintf(t->out, ", one per %s", text_time(period, sizeof period, (int64_t)p->interval_ns));
    }
    fprintf(t->out, ", %.1f %% of them without a stack, %.1f %% truncated\n", (double)failed / weight * 100,
            (double)truncated / weight * 100);
}

void text_header(const struct text *t)
{
    put_format(t);
    put_process(t);
    put_jvm(t);
    put_time(t);
    put_kept(t);
    if (t->p->kind == PROFILE_ALLOC) {
        put_allocated(t);
    } else if (t->p->kind == PROFILE_LIVE) {
        key(t, "Alive");
        text_live_header(t);
    } else if (t->p->kind == PROFILE_WALL) {
        put_wall(t);
    } else if (t->p->kind == PROFILE_LOCK) {
        put_locks(t);
    } else if (t->p->kind == PROFILE_HOLDER) {
        put_holders(t);
    } else if (profile_is_safepoint(t->p)) {
        put_safepoint(t);
    } else if (t->p->value && strcmp(profile_text(t->p, t->p->value), "cpu")) {
        put_value(t);
        put_counter(t);
    } else {
        put_cpu(t);
        put_clock(t);
    }
    put_filtered(t);
    put_idle(t);
    put_samples(t);
}
