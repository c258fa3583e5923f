#include "daemon/metrics.h"

#include "base/agreed/accounts.h"
#include "base/time_units.h"
#include "daemon/log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A metric is the sum of an account's lines over all reasons: of their time, their bytes, or their count. */
static const struct metric {
    const char *name, *account, *help;
    enum { SECONDS, BYTES, COUNT } of;
} metrics[] = {
    {"cpu_seconds_total", "cpu", "CPU time of the JVM while it was recorded, in seconds.", SECONDS},
    {"unseen_seconds_total", "unseen", "Of that, CPU time that no clock could sample.", SECONDS},
    {"lost_seconds_total", "lost", "Of that, CPU time of samples that were lost.", SECONDS},
    {"failed_seconds_total", "failed", "Of that, CPU time of samples without a stack.", SECONDS},
    {"own_cost_seconds_total", "own_cost", "Of that, CPU time of the profiler itself.", SECONDS},
    {"allocated_bytes_total", "alloc_bytes", "Bytes allocated, as estimated by the samples.", BYTES},
    {"lock_wait_seconds_total", "lock_time", "Time that threads waited for locks.", SECONDS},
    {"gc_pause_seconds_total", "halt_gc", "Time of pauses for garbage collection.", SECONDS},
    {"gc_pauses_total", "halt_gc", "Pauses for garbage collection.", COUNT},
};
enum { METRICS = sizeof metrics / sizeof *metrics };

static void put_head(FILE *out, const char *name, const char *type, const char *help)
{
    fprintf(out, "# HELP candor_%s %s\n# TYPE candor_%s %s\n", name, help, name, type);
}

/* Writes the value of a label with the escapes that the format requires. */
static void put_text(FILE *out, const char *text)
{
    for (; *text; text++)
        fprintf(out, *text == '"' || *text == '\\' ? "\\%c" : *text == '\n' ? "\\n" : "%c", *text);
}

static void put_labels(FILE *out, const struct status *s, const struct member *t)
{
    fputs("{service=\"", out);
    put_text(out, t->service);
    fputs("\",host=\"", out);
    put_text(out, s->config->host);
    fprintf(out, "\",pid=\"%d\"}", (int)t->pid);
}

/* Whether the line is what clocks by lot show too much or too little. It goes up and down, which a counter must not do. */
static bool is_chance(const struct jfr_book *line)
{
    return !strcmp(line->account, account_rows[ACCOUNT_UNSEEN].name) &&
           !strcmp(line->reason, reason_lists[REASON_LIST_UNSEEN].rows[UNSEEN_NOT_DRAWN].name);
}

static void put_value(FILE *out, const struct metric *m, const struct jfr_books *books)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < books->count; i++)
        if (!strcmp(books->lines[i].account, m->account) && !is_chance(&books->lines[i]))
            sum += m->of == COUNT ? (int64_t)books->lines[i].count : books->lines[i].ns;
    if (m->of == SECONDS)
        fprintf(out, " %.9f\n", (double)sum / NS_PER_S);
    else
        fprintf(out, " %" PRId64 "\n", sum);
}

static void put_metric(FILE *out, const struct status *s, const struct metric *m)
{
    char name[64];
    snprintf(name, sizeof name, "jvm_%s", m->name);
    put_head(out, name, "counter", m->help);
    for (uint32_t i = 0; i < s->member_count; i++) {
        const struct member *t = s->members[i];
        if (t->live.demand || t->state != MEMBER_RECORDING || !t->live.latest.count)
            continue;
        fprintf(out, "candor_%s", name);
        put_labels(out, s, t);
        put_value(out, m, &t->live.latest);
    }
}

static void put_number(FILE *out, const char *name, const char *type, const char *help, uint64_t value)
{
    put_head(out, name, type, help);
    fprintf(out, "candor_%s %" PRIu64 "\n", name, value);
}

static void put_daemon(FILE *out, const struct status *s)
{
    struct outbox_counts counts;
    struct ship_counts sent;
    uint64_t in_state[MEMBER_ENDED + 1] = {0};
    outbox_counts(s->outbox, &counts);
    ship_counts(s->ship, &sent);
    for (uint32_t i = 0; i < s->member_count; i++)
        in_state[s->members[i]->state] += !s->members[i]->live.demand;
    put_head(out, "daemon_jvms", "gauge", "JVMs of this host, by what the daemon does with them.");
    for (int i = MEMBER_LEFT; i <= MEMBER_RECORDING; i++)
        fprintf(out, "candor_daemon_jvms{state=\"%s\"} %" PRIu64 "\n", member_state_names[i], in_state[i]);
    put_number(out, "daemon_spooled_recordings_total", "counter", "Recordings that were put into the spool.", counts.spooled.recordings);
    put_number(out, "daemon_sent_recordings_total", "counter", "Recordings that a back end has accepted.", sent.sent.recordings);
    put_number(out, "daemon_sent_bytes_total", "counter", "Bytes of these recordings.", sent.sent.bytes);
    put_number(out, "daemon_failures_total", "counter", "Attempts to send that failed.", sent.failures);
    put_number(out, "daemon_waiting_recordings", "gauge", "Recordings in the spool.", counts.waiting.recordings);
    put_number(out, "daemon_spool_bytes", "gauge", "Bytes of the spool, with recordings in progress.",
               counts.waiting.bytes + s->live_bytes);
    put_number(out, "daemon_spool_max_bytes", "gauge", "Limit of the spool.", s->config->spool_max);
    put_head(out, "daemon_dropped_recordings_total", "counter", "Recordings that were dropped, by reason.");
    for (int i = 0; i < OUTBOX_REASONS; i++)
        fprintf(out, "candor_daemon_dropped_recordings_total{reason=\"%s\"} %" PRIu64 "\n", outbox_loss_names[i],
                counts.dropped[i].recordings);
}

static int write_aside(const struct status *s, const char *aside)
{
    /* The folder may be another user's: a link or a pipe with this name must not be followed. */
    unlink(aside);
    int fd = open(aside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (!out) {
        int code = -errno;
        if (fd >= 0)
            close(fd);
        return code;
    }
    fchmod(fd, 0644); /* another user's exporter reads it */
    for (size_t i = 0; i < METRICS; i++)
        put_metric(out, s, &metrics[i]);
    put_daemon(out, s);
    bool failed = ferror(out);
    return fclose(out) || failed ? -EIO : 0;
}

void metrics_write(const struct status *s, const char *path)
{
    static bool told;
    char aside[PATH_MAX + 8];
    if (!*path)
        return;
    snprintf(aside, sizeof aside, "%s.new", path);
    int code = write_aside(s, aside);
    if (!code && rename(aside, path))
        code = -errno;
    if (code && !told)
        log_warning("cannot write %s: %s", path, strerror(-code));
    told = code != 0;
}
