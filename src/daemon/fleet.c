#include "daemon/fleet.h"

#include "base/array.h"
#include "base/text/units.h"
#include "base/text/word_list.h"
#include "base/time_units.h"
#include "daemon/choose.h"
#include "daemon/log.h"
#include "http/backoff.h"
#include "daemon/stopping.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A recording ends itself after GUARD_S, in case no daemon comes back for it. A new one is begun well before that (RENEW_S). A new one is
 * also begun if nothing was written for STALL_S: an agent writes every second, so its disk was full, or something worse has happened. */
enum { STALL_S = 60, BAD_READS_MAX = 3 };
enum { RENEW_S = 3000, GUARD_S = 3600, RETRY_S = 30, RETRY_MAX_S = 3600, BUSY_S = 60, STOP_S = 2 };

/* ---- the list ---- */

void fleet_init(struct fleet *f, const struct config *config, struct attacher *attacher, struct outbox *outbox, int live_folder)
{
    *f = (struct fleet){.config = config, .attacher = attacher, .follow = {.outbox = outbox, .live_folder = live_folder}};
    f->discover.min_age_ns = config->min_age_ns;
    if (!realpath(config->spool, f->live_path))
        snprintf(f->live_path, sizeof f->live_path, "%s", config->spool);
}

void fleet_deinit(struct fleet *f)
{
    for (uint32_t i = 0; i < f->count; i++) {
        member_deinit(f->members[i]);
        free(f->members[i]);
    }
    free(f->members);
    discover_deinit(&f->discover);
}

/* demand: the number of a request; 0 = the recording that always runs. */
static struct member *find(const struct fleet *f, pid_t pid, uint64_t start, uint64_t demand)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (f->members[i]->pid == pid && f->members[i]->start == start && f->members[i]->live.demand == demand)
            return f->members[i];
    return NULL;
}

static struct member *add(struct fleet *f, pid_t pid, uint64_t start)
{
    struct member *t = malloc(sizeof *t);
    if (!t || ARRAY_GROW(f->members, f->cap, f->count)) {
        free(t);
        return NULL;
    }
    member_init(t, pid, start);
    f->members[f->count++] = t;
    return t;
}

static void say_ended(const struct member *t)
{
    log_info("ended pid=%d main=%s recordings=%" PRIu64 " samples=%" PRIu64, t->pid, t->name, t->gain.recordings, t->gain.samples);
}

/* Whether nothing more is to be done. A JVM that ends closes its recording first, so its state may be MEMBER_LEFT by then. */
static bool is_over(const struct member *t)
{
    if (t->live.demand)
        return t->state == MEMBER_ENDED && t->told;
    return t->state == MEMBER_ENDED || (t->state == MEMBER_LEFT && member_is_gone(t));
}

/* Forgets JVMs that have ended, and recordings on demand whose outcome the server knows. The files of these stay until then, so that the
 * next daemon can report the outcome. */
static void remove_ended(struct fleet *f)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        struct member *t = f->members[i];
        if (is_over(t)) {
            if (t->live.demand && *t->live.id)
                live_remove(&t->live, f->follow.live_folder);
            if (t->state == MEMBER_LEFT && t->gain.recordings)
                say_ended(t);
            member_deinit(t);
            free(t);
        } else {
            f->members[kept++] = t;
        }
    }
    f->count = kept;
}

uint32_t fleet_recording(const struct fleet *f)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->count; i++)
        n += !f->members[i]->live.demand && (f->members[i]->state == MEMBER_RECORDING || f->members[i]->state == MEMBER_STARTING);
    return n;
}

static uint64_t later(uint64_t ns)
{
    return clock_monotonic_ns() + ns;
}

static const char *or_default(const char *text, const char *otherwise)
{
    return *text ? text : otherwise;
}

/* Gives up a recording that could not begin, or a JVM in which none can be made for a while. */
static void fail(struct member *t, uint64_t retry_ns, const char *text)
{
    if (t->live.demand)
        member_end_demand(t, DEMAND_FAILED, "%s", text);
    else
        member_leave(t, retry_ns, "%s", text);
}

static void begin(struct fleet *f, struct member *t, const struct settings *settings, uint64_t duration_ns)
{
    struct attacher_job *job = calloc(1, sizeof *job);
    struct error e;
    t->live.pid = t->pid;
    t->live.start = t->start;
    t->live.recording = 0;
    t->live.chunk_at = t->live.to = t->live.to_ns = 0;
    t->live.books.count = t->live.latest.count = 0;
    snprintf(t->live.name, sizeof t->live.name, "%s", t->name);
    int code = job ? live_create(&t->live, f->follow.live_folder, &job->passed, &e) : error_set(&e, -ENOMEM, "out of memory");
    if (code) {
        log_error("cannot profile pid=%d: %s", t->pid, e.text);
        fail(t, RETRY_S * NS_PER_S, e.text);
        free(job);
        return;
    }
    job->pid = t->pid;
    job->start = t->start;
    job->demand = t->live.demand;
    job->duration_ns = duration_ns;
    snprintf(job->path, sizeof job->path, "%s/live/%s.jfr", f->live_path, t->live.id);
    job->settings = *settings;
    t->state = MEMBER_STARTING;
    *t->reason = 0;
    attacher_give(f->attacher, job);
}

static void consider(struct fleet *f, struct member *t, const struct jvm *jvm)
{
    struct settings settings;
    if (!choose(f->config, t, jvm, &settings))
        return;
    if (fleet_recording(f) >= f->config->max_jvms)
        choose_leave(t, BUSY_S * NS_PER_S, "the number of profiled JVMs has reached --max-jvms");
    else
        begin(f, t, &settings, GUARD_S * NS_PER_S);
}

/* ---- on demand ---- */

static struct member *add_demand(struct fleet *f, const struct fleet_demand *demand)
{
    struct member *t = add(f, demand->pid, demand->start);
    if (t) {
        t->live.demand = demand->request;
        t->live.demand_ns = demand->duration_ns;
    }
    return t;
}

static bool has_demand(const struct fleet *f, const struct fleet_demand *demand)
{
    for (uint32_t i = 0; i < f->count; i++) {
        const struct member *t = f->members[i];
        if (t->live.demand && t->pid == demand->pid && t->start == demand->start && t->state != MEMBER_ENDED)
            return true;
    }
    return false;
}

/* Adds the label by which the recording is found. */
static bool add_label(struct member *t)
{
    size_t n = strlen(t->live.query);
    return (size_t)snprintf(t->live.query + n, sizeof t->live.query - n, "&on_demand=%" PRIu64, t->live.demand) < sizeof t->live.query - n;
}

/* What was asked for takes the place of what the rules say; the rules' limits stay. Without cpu, the interval is that of wall. */
static int adapt(struct settings *settings, const struct fleet_demand *demand, const char *jdk, struct error *e)
{
    char dropped[SETTINGS_EVENTS];
    int code = settings_set(settings, "event", demand->events, e);
    bool cpu = word_list_has(demand->events, "cpu");
    if (!code && *demand->interval)
        code = settings_set(settings, cpu ? "interval" : "wall-interval", demand->interval, e);
    settings_fit_jdk(settings, jdk, dropped);
    return code || *settings->events ? code : error_set(e, -ENOTSUP, "this version of Java cannot sample allocations");
}

void fleet_refuse_demand(struct fleet *f, const struct fleet_demand *demand, const char *reason)
{
    struct member *t = find(f, demand->pid, demand->start, demand->request) ? NULL : add_demand(f, demand);
    if (!t)
        return;
    log_info("refused on demand=%" PRIu64 " pid=%d: %s", demand->request, demand->pid, reason);
    member_end_demand(t, DEMAND_REFUSED, "%s", reason);
}

bool fleet_begin_demand(struct fleet *f, const struct fleet_demand *demand)
{
    struct settings settings;
    struct jvm jvm;
    struct error e;
    if (find(f, demand->pid, demand->start, demand->request))
        return false;
    bool known =
        find(f, demand->pid, demand->start, 0); /* otherwise the daemon has not told the server of it, because of min-age, for instance */
    if (has_demand(f, demand)) {
        fleet_refuse_demand(f, demand, "another recording on demand runs there");
        return false;
    }
    struct member *t = add_demand(f, demand);
    if (!t)
        return false;
    if (!known || member_is_gone(t) || jvm_read(t->pid, &jvm, NULL))
        member_end_demand(t, DEMAND_FAILED, "the JVM has ended");
    else if (!choose_demand(f->config, t, &jvm, &settings))
        member_end_demand(t, DEMAND_REFUSED, "%s", t->refuses_demand);
    else if (adapt(&settings, demand, t->jdk, &e))
        member_end_demand(t, DEMAND_REFUSED, "%s", e.text);
    else if (!add_label(t))
        member_end_demand(t, DEMAND_REFUSED, "its labels are too long");
    else
        begin(f, t, &settings, demand->duration_ns);
    if (t->state == MEMBER_ENDED)
        log_info("not recorded on demand=%" PRIu64 " pid=%d main=%s: %s", demand->request, t->pid, t->name, t->reason);
    return t->state == MEMBER_STARTING;
}

/* ---- JVMs that are found ---- */

static void on_found(void *context, const struct jvm *jvm, uint64_t start)
{
    struct fleet *f = context;
    struct member *t = find(f, jvm->process.pid, start, 0);
    bool is_new = !t;
    t = t ? t : add(f, jvm->process.pid, start);
    if (is_new && t && !member_is_gone(t))
        consider(f, t, jvm);
}

int fleet_look(struct fleet *f, struct error *e)
{
    remove_ended(f);
    return discover_look(&f->discover, clock_monotonic_ns(), on_found, f, e);
}

static void reconsider(struct fleet *f, struct member *t)
{
    struct jvm jvm;
    if (member_is_gone(t))
        return; /* the next look removes it */
    if (jvm_read(t->pid, &jvm, NULL))
        member_leave(t, CHOOSE_LEFT_S * NS_PER_S, "it is no longer a JVM");
    else
        consider(f, t, &jvm);
}

/* ---- recordings that begin ---- */

static void follow_it(struct fleet *f, struct member *t, uint64_t renew_in_ns)
{
    t->state = MEMBER_RECORDING;
    t->failures = 0;
    t->renewing = false;
    *t->reason = 0;
    /* The time is random, so that not all JVMs are collected from at once. */
    t->next_ns = later((uint64_t)(backoff_random() * (double)f->config->chunk_ns));
    t->renew_ns = later(renew_in_ns);
    t->pulse_ns = clock_monotonic_ns();
}

static void refuse(struct fleet *f, struct member *t, const struct attacher_job *job)
{
    char reason[sizeof t->reason];
    live_remove(&t->live, f->follow.live_folder);
    if (t->live.demand) {
        fail(t, 0, member_is_gone(t) ? "the JVM has ended" : job->error.text);
        return;
    }
    if (job->code == -EBUSY) {
        snprintf(reason, sizeof reason, "another recording is running there: %.280s", job->error.text);
        choose_leave(t, BUSY_S * NS_PER_S, reason);
        return;
    }
    unsigned doublings = t->failures < 7 ? t->failures : 7;
    uint64_t wait = (uint64_t)RETRY_S << doublings;
    t->failures++;
    member_leave(t, (wait < RETRY_MAX_S ? wait : RETRY_MAX_S) * NS_PER_S, "%s", job->error.text);
    if (!member_is_gone(t))
        log_warning("not profiled pid=%d main=%s: %s", t->pid, t->name, t->reason);
}

/* If the agent sent no number, or the daemon ends before it is saved, the recording is later found by its file (stopping.c). */
static void keep_number(const struct fleet *f, struct member *t, uint64_t recording)
{
    struct error e;
    t->live.recording = recording;
    if (recording && live_save(&t->live, f->follow.live_folder, &e))
        log_warning("%s", e.text);
}

static void take_job(struct fleet *f, struct attacher_job *job)
{
    struct member *t = find(f, job->pid, job->start, job->demand);
    if (!t || t->state != MEMBER_STARTING)
        return;
    /* A JVM that did not answer in time may have begun the recording nevertheless. */
    if (job->code && !live_is_locked(&t->live)) {
        refuse(f, t, job);
        return;
    }
    if (t->live.demand) /* the time counts from now: attaching may have taken long */
        t->live.began_epoch_ns = clock_realtime_ns();
    keep_number(f, t, job->recording);
    follow_it(f, t, (uint64_t)((RENEW_S - 600 * backoff_random()) * NS_PER_S));
    snprintf(t->events, sizeof t->events, "%s", job->settings.events);
    if (*job->refused)
        snprintf(t->left_out, sizeof t->left_out, "%s", job->refused);
    if (t->live.demand)
        log_info("recording on demand=%" PRIu64 " pid=%d main=%s service=%s event=%s", t->live.demand, t->pid, t->name, t->service,
                 t->events);
    else
        log_info("profiling pid=%d main=%s service=%s rule=%s event=%s", t->pid, t->name, t->service, or_default(t->rule, "-"), t->events);
    if (*t->left_out)
        log_info("left out pid=%d main=%s: %s", t->pid, t->name, t->left_out);
}

/* ---- recordings in progress, and their end ---- */

/* Asks the JVM to end its recording. The caller has checked that the lock on our file is held; then the running recording is ours. */
static int stop_recording(struct member *t, uint64_t patience_ns)
{
    struct error e;
    uint64_t samples;
    int code = stopping_end(&t->live, patience_ns, &samples, &e);
    if (code)
        log_warning("cannot end the recording of pid=%d: %s", t->pid, e.text);
    else
        log_info("stopped pid=%d samples=%" PRIu64, t->pid, samples);
    return code;
}

static void give_up(struct fleet *f, struct member *t, enum outbox_loss why, const char *text)
{
    log_error("gave up the recording of pid=%d main=%s: %s", t->pid, t->name, text);
    outbox_count_loss(f->follow.outbox, t->live.id, why, live_bytes(&t->live));
    if (!member_is_gone(t) && live_is_locked(&t->live))
        stop_recording(t, STOP_S * NS_PER_S);
    if (ftruncate(t->live.fd, 0)) /* a process that still has the file open must not keep the disk space */
        log_warning("cannot empty the recording of pid=%d", t->pid);
    live_remove(&t->live, f->follow.live_folder);
    fail(t, RETRY_MAX_S * NS_PER_S, text);
}

/* The file stays until the server knows the outcome. */
static void end_demand(const struct fleet *f, struct member *t)
{
    char text[32];
    uint64_t written = t->written_epoch_ns > t->live.began_epoch_ns ? t->written_epoch_ns - t->live.began_epoch_ns : 0;
    units_format_duration(text, sizeof text, written / NS_PER_S * NS_PER_S);
    if (written + NS_PER_S >= t->live.demand_ns)
        member_end_demand(t, DEMAND_DONE, "%s", "");
    else
        member_end_demand(t, DEMAND_CUT, "%s after %s",
                          member_is_gone(t) ? "the JVM ended"
                          : f->ending       ? "the daemon ended"
                                            : "the recording was ended",
                          text);
    log_info("recorded on demand=%" PRIu64 " pid=%d main=%s samples=%" PRIu64 " %s %s", t->live.demand, t->pid, t->name, t->gain.samples,
             demand_outcome_names[t->outcome], t->reason);
}

static void end(struct fleet *f, struct member *t)
{
    if (t->live.demand) {
        end_demand(f, t);
        return;
    }
    bool outlived = clock_realtime_ns() - t->live.began_epoch_ns >= RENEW_S * NS_PER_S;
    live_remove(&t->live, f->follow.live_folder);
    if (member_is_gone(t)) {
        t->state = MEMBER_ENDED;
        say_ended(t);
    } else if (f->ending || t->renewing || outlived) {
        member_leave(t, 0, "its recording is started again");
    } else {
        choose_leave(t, BUSY_S * NS_PER_S, "somebody ended its recording");
    }
}

static void watch_pulse(struct member *t)
{
    uint64_t now = clock_monotonic_ns();
    if (t->live.pulse != t->pulse) {
        t->pulse = t->live.pulse;
        t->pulse_ns = now;
    } else if (now - t->pulse_ns > STALL_S * NS_PER_S && t->renew_ns > now) {
        log_warning("the recording has ended pid=%d main=%s: starting a new one", t->pid, t->name);
        t->renew_ns = now;
        t->pulse_ns = now;
    }
}

static void collect(struct fleet *f, struct member *t, bool ended)
{
    struct error e;
    int code = follow_take(&f->follow, &t->live, ended, &t->gain, &e);
    t->next_ns += f->config->chunk_ns;
    if (t->next_ns < clock_monotonic_ns())
        t->next_ns = later(f->config->chunk_ns);
    bool is_bad = code == -EBADMSG || code == -EFBIG;
    /* The file may have been read during a write. */
    if (is_bad && !ended && ++t->failures < BAD_READS_MAX) {
        t->next_ns = later(NS_PER_S);
    } else if (is_bad) {
        give_up(f, t, code == -EFBIG ? OUTBOX_TOO_LARGE : OUTBOX_DAMAGED, e.text);
    } else if (code) {
        log_error("cannot collect from pid=%d: %s", t->pid, e.text);
        snprintf(t->reason, sizeof t->reason, "%s", e.text);
        t->next_ns = later(BUSY_S / 12 * NS_PER_S);
    } else {
        *t->reason = 0;
        t->failures = 0;
        if (ended)
            end(f, t);
        else
            watch_pulse(t);
    }
}

static void tend(struct fleet *f, struct member *t)
{
    uint64_t now = clock_monotonic_ns();
    bool ended = member_is_gone(t) || !live_is_locked(&t->live);
    bool failing = *t->reason;
    if (ended && !t->written_epoch_ns)
        t->written_epoch_ns = live_written_epoch_ns(&t->live);
    if (live_bytes(&t->live) > FOLLOW_LIVE_MAX)
        give_up(f, t, OUTBOX_TOO_LARGE, "its recording is larger than any that the agent writes");
    else if (outbox_wants_live(f->follow.outbox, t->live.id))
        give_up(f, t, OUTBOX_FULL, "its recording fills the spool, more than that of any other JVM");
    else if (now >= t->next_ns || (ended && !failing))
        collect(f, t, ended);
    else if (!ended && now >= t->renew_ns && !t->live.demand) {
        t->renewing = !stop_recording(t, STOP_S * NS_PER_S);
        t->renew_ns = later(BUSY_S * NS_PER_S);
    }
}

static void sum_live_bytes(struct fleet *f)
{
    f->follow.live_bytes = 0;
    outbox_begin_live(f->follow.outbox);
    for (uint32_t i = 0; i < f->count; i++) {
        uint64_t bytes = live_bytes(&f->members[i]->live);
        f->follow.live_bytes += bytes;
        if (bytes)
            outbox_add_live(f->follow.outbox, f->members[i]->live.id, bytes);
    }
}

void fleet_tick(struct fleet *f)
{
    struct attacher_job *job;
    while ((job = attacher_take(f->attacher))) {
        take_job(f, job);
        free(job);
    }
    sum_live_bytes(f);
    for (uint32_t i = 0; i < f->count; i++) {
        struct member *t = f->members[i];
        if (t->state == MEMBER_RECORDING)
            tend(f, t);
        if (t->state == MEMBER_LEFT && clock_monotonic_ns() >= t->again_ns)
            reconsider(f, t);
    }
}

/* ---- the beginning and the end ---- */

static void adopt(struct fleet *f, const char *id)
{
    struct error e;
    struct live live;
    int code = live_open(&live, f->follow.live_folder, id, &e);
    if (!code)
        code = follow_recover(&f->follow, &live, &e);
    struct member *t = code ? NULL : add(f, live.pid, live.start);
    if (!t) {
        log_error("%s", code ? e.text : "out of memory");
        if (code == -EBADMSG || code == -ENOENT) { /* the earlier daemon was killed before the recording had begun */
            outbox_count_loss(f->follow.outbox, live.id, OUTBOX_DAMAGED, live_bytes(&live));
            live_remove(&live, f->follow.live_folder);
        }
        live_close(&live);
        return;
    }
    t->live = live;
    snprintf(t->name, sizeof t->name, "%s", live.name);
    if (!strncmp(live.query, "service=", 8))
        snprintf(t->service, sizeof t->service, "%.*s", (int)strcspn(live.query + 8, "&"), live.query + 8);
    uint64_t age = clock_realtime_ns() - live.began_epoch_ns;
    follow_it(f, t, age < RENEW_S * NS_PER_S ? RENEW_S * NS_PER_S - age : 0);
    log_info("took over pid=%d main=%s", live.pid, t->name);
}

int fleet_adopt(struct fleet *f, struct error *e)
{
    int fd = openat(f->follow.live_folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    if (!directory)
        return error_set(e, -errno, "cannot read the spool: %s", strerror(errno));
    for (struct dirent *entry; (entry = readdir(directory));) {
        size_t n = strspn(entry->d_name, "0123456789abcdef");
        char id[LIVE_ID];
        if (n != LIVE_ID - 1 || strcmp(entry->d_name + n, ".jfr"))
            continue;
        snprintf(id, sizeof id, "%.*s", (int)n, entry->d_name);
        adopt(f, id);
    }
    closedir(directory);
    return 0;
}

void fleet_stop(struct fleet *f, uint64_t patience_ns)
{
    uint64_t deadline = later(patience_ns);
    f->ending = true;
    if (attacher_stop(f->attacher, STOP_S * NS_PER_S))
        for (struct attacher_job *job; (job = attacher_take(f->attacher)); free(job))
            take_job(f, job);
    for (uint32_t i = 0; i < f->count; i++) {
        struct member *t = f->members[i];
        uint64_t now = clock_monotonic_ns();
        if (t->state != MEMBER_RECORDING)
            continue;
        if (now < deadline && !member_is_gone(t) && live_is_locked(&t->live))
            stop_recording(t, deadline - now < STOP_S * NS_PER_S ? deadline - now : STOP_S * NS_PER_S);
        collect(f, t, member_is_gone(t) || !live_is_locked(&t->live));
    }
}
