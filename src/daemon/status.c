#include "daemon/status.h"

#include "base/text/jsonw.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "daemon/log.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void put_time(struct jsonw *j, const char *key, uint64_t epoch_ns)
{
    char text[32];
    struct tm utc;
    time_t seconds = (time_t)(epoch_ns / NS_PER_S);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
    jsonw_member_text_or_null(j, key, epoch_ns ? text : "");
}

static void put_tally(struct jsonw *j, const char *key, const struct outbox_tally *t)
{
    jsonw_key(j, key);
    jsonw_object(j);
    jsonw_member_uint(j, "recordings", t->recordings);
    jsonw_member_uint(j, "bytes", t->bytes);
    jsonw_object_end(j);
}

static void put_spool(struct jsonw *j, const struct status *s)
{
    struct outbox_counts counts;
    struct ship_counts sent;
    outbox_counts(s->outbox, &counts);
    ship_counts(s->ship, &sent);
    put_tally(j, "spooled", &counts.spooled);
    put_tally(j, "waiting", &counts.waiting);
    put_tally(j, "sent", &sent.sent);
    jsonw_member_uint(j, "duplicates", sent.duplicates);
    jsonw_member_uint(j, "failures", sent.failures);
    jsonw_member_uint(j, "empty", sent.empty);
    jsonw_member_uint(j, "rejected_profiles", sent.rejected);
    jsonw_key(j, "dropped");
    jsonw_object(j);
    for (int i = 0; i < OUTBOX_REASONS; i++)
        put_tally(j, outbox_loss_names[i], &counts.dropped[i]);
    jsonw_object_end(j);
    jsonw_member_uint(j, "live_bytes", s->live_bytes);
    jsonw_member_uint(j, "spool_max_bytes", s->config->spool_max);
}

static void put_member(struct jsonw *j, struct outbox *outbox, const struct member *t)
{
    struct outbox_tally lost = outbox_lost_of(outbox, t->live.id);
    jsonw_object(j);
    jsonw_member_uint(j, "pid", (uint64_t)t->pid);
    jsonw_member_text(j, "state", member_state_names[t->state]);
    jsonw_member_text_or_null(j, "reason", t->reason);
    if (t->live.demand) {
        jsonw_member_uint(j, "on_demand", t->live.demand);
        jsonw_member_text(j, "outcome", demand_outcome_names[t->outcome]);
    }
    jsonw_member_text_or_null(j, "main", t->name);
    jsonw_member_text_or_null(j, "user", t->user);
    jsonw_member_text_or_null(j, "jdk", t->jdk);
    jsonw_member_text_or_null(j, "rule", t->rule);
    jsonw_member_text_or_null(j, "service", t->service);
    jsonw_member_text_or_null(j, "events", t->events);
    jsonw_member_text_or_null(j, "left_out", t->left_out);
    jsonw_member_uint(j, "recordings", t->gain.recordings);
    jsonw_member_uint(j, "samples", t->gain.samples);
    jsonw_member_uint(j, "weight_ns", t->gain.weight_ns);
    put_tally(j, "dropped", &lost);
    jsonw_object_end(j);
}

static void put_problem(struct jsonw *j)
{
    char text[1024];
    uint64_t when = log_last_problem(text, sizeof text);
    jsonw_key(j, "last_problem");
    if (!when) {
        jsonw_null(j);
        return;
    }
    jsonw_object(j);
    put_time(j, "time", when);
    jsonw_member_text(j, "text", text);
    jsonw_object_end(j);
}

static void put_all(struct jsonw *j, const struct status *s)
{
    jsonw_object(j);
    jsonw_member_text(j, "version", CANDOR_VERSION);
    jsonw_member_uint(j, "pid", (uint64_t)getpid());
    jsonw_key(j, "running");
    jsonw_bool(j, s->running);
    put_time(j, "began", s->began_epoch_ns);
    put_time(j, "written", clock_realtime_ns());
    jsonw_member_text(j, "host", s->config->host);
    jsonw_member_text(j, "server", s->config->server);
    put_spool(j, s);
    put_problem(j);
    jsonw_key(j, "jvms");
    jsonw_array(j);
    for (uint32_t i = 0; i < s->member_count; i++)
        put_member(j, s->outbox, s->members[i]);
    jsonw_array_end(j);
    jsonw_object_end(j);
    jsonw_finish(j);
}

void status_write(const struct status *s, int folder)
{
    static const char aside[] = STATUS_FILE ".new";
    struct jsonw j;
    int fd = openat(folder, aside, O_CREAT | O_TRUNC | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0600);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (!out) {
        if (fd >= 0)
            close(fd);
        return;
    }
    jsonw_init(&j, out);
    j.line_depth = 2;
    put_all(&j, s);
    bool good = !ferror(out);
    good = !fclose(out) && good;
    if (!good || renameat(folder, aside, folder, STATUS_FILE))
        unlinkat(folder, aside, 0);
}
