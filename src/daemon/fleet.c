#include "daemon/fleet.h"

#include "base/array.h"
#include "base/map.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "daemon/log.h"
#include "daemon/spool/backoff.h"
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
enum { RENEW_S = 3000, GUARD_S = 3600, RETRY_S = 30, RETRY_MAX_S = 3600, BUSY_S = 60, LEFT_S = 300, STOP_S = 2 };

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

static struct member *find(const struct fleet *f, pid_t pid, uint64_t start)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (f->members[i]->pid == pid && f->members[i]->start == start)
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

/* Forgets JVMs that have ended. A JVM that ends closes its recording first, so its state may be MEMBER_LEFT by then. */
static void remove_ended(struct fleet *f)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        struct member *t = f->members[i];
        if (t->state == MEMBER_ENDED || (t->state == MEMBER_LEFT && member_is_gone(t))) {
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
        n += f->members[i]->state == MEMBER_RECORDING || f->members[i]->state == MEMBER_STARTING;
    return n;
}

static uint64_t later(uint64_t ns)
{
    return clock_monotonic_ns() + ns;
}

/* ---- to profile or not ---- */

static void leave_once(struct member *t, uint64_t after_ns, const char *reason)
{
    bool news = strcmp(t->reason, reason) != 0;
    member_leave(t, after_ns, "%s", reason);
    if (news)
        log_info("left alone pid=%d main=%s: %s", t->pid, t->name, t->reason);
}

static bool is_closed(struct member *t, const struct jvm *jvm)
{
    if (jvm->closed)
        leave_once(t, LEFT_S * NS_PER_S, "it belongs to another user; run the daemon as root to profile it");
    else if (jvm->attach_disabled && !jvm->agent)
        leave_once(t, LEFT_S * NS_PER_S, "it was started with -XX:+DisableAttachMechanism");
    else if (jvm->loading_refused && !jvm->agent)
        leave_once(t, LEFT_S * NS_PER_S, "it was started with -XX:-EnableDynamicAgentLoading");
    else
        return false;
    return true;
}

static bool rule_allows(struct fleet *f, struct member *t, const struct rule *rule)
{
    char reason[160];
    uint64_t identity = hash_bytes(f->config->host, strlen(f->config->host)) ^ hash_mix(t->start ^ (uint64_t)t->pid << 40);
    if (rule && rule->ignore)
        snprintf(reason, sizeof reason, "rule '%s' excludes it", rule->name);
    else if (!policy_chosen(rule, identity))
        snprintf(reason, sizeof reason, "not among the %g %% that rule '%s' profiles", rule->share * 100, rule->name);
    else
        return true;
    leave_once(t, LEFT_S * NS_PER_S, reason);
    return false;
}

static bool set_labels(struct fleet *f, struct member *t, struct facts *facts, const struct rule *rule)
{
    struct labels labels;
    struct buffer query;
    labels_of(&labels, facts, rule);
    snprintf(t->service, sizeof t->service, "%s", labels.service);
    snprintf(t->rule, sizeof t->rule, "%s", rule ? rule->name : "");
    buffer_init(&query, LIVE_QUERY_MAX - 1);
    labels_query(&query, &labels, f->config->host, rule);
    bool good = !query.failed;
    if (good)
        snprintf(t->live.query, sizeof t->live.query, "%.*s", (int)query.len, (const char *)query.data);
    buffer_deinit(&query);
    return good;
}

static const char *or_default(const char *text, const char *otherwise)
{
    return *text ? text : otherwise;
}

static void begin(struct fleet *f, struct member *t, const struct settings *settings)
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
        member_leave(t, RETRY_S * NS_PER_S, "%s", e.text);
        free(job);
        return;
    }
    job->pid = t->pid;
    job->start = t->start;
    job->duration_ns = GUARD_S * NS_PER_S;
    snprintf(job->path, sizeof job->path, "%s/live/%s.jfr", f->live_path, t->live.id);
    job->settings = *settings;
    t->state = MEMBER_STARTING;
    *t->reason = 0;
    attacher_give(f->attacher, job);
}

static void consider_with(struct fleet *f, struct member *t, struct facts *facts)
{
    const struct rule *rule = policy_find(&f->config->policy, facts);
    bool labelled = set_labels(f, t, facts, rule);
    if (!rule_allows(f, t, rule))
        return;
    struct settings settings = f->config->settings;
    char dropped[SETTINGS_EVENTS];
    if (rule)
        settings_override(&settings, &rule->settings);
    settings_fit_jdk(&settings, t->jdk, dropped);
    *t->left_out = 0;
    if (*dropped)
        snprintf(t->left_out, sizeof t->left_out, "event=%s: this version of Java cannot sample allocations", dropped);
    if (!labelled)
        leave_once(t, LEFT_S * NS_PER_S, "its labels are too long");
    else if (!*settings.events)
        leave_once(t, LEFT_S * NS_PER_S, "this version of Java cannot sample allocations, and no other event is requested");
    else if (fleet_recording(f) >= f->config->max_jvms)
        leave_once(t, BUSY_S * NS_PER_S, "the number of profiled JVMs has reached --max-jvms");
    else
        begin(f, t, &settings);
}

static void consider(struct fleet *f, struct member *t, const struct jvm *jvm)
{
    struct facts facts;
    labels_clean(jvm->main, t->name);
    snprintf(t->user, sizeof t->user, "%s", jvm->user);
    snprintf(t->jdk, sizeof t->jdk, "%s", jvm->version);
    if (is_closed(t, jvm) || facts_read(&facts, jvm))
        return;
    consider_with(f, t, &facts);
    facts_deinit(&facts);
}

static void on_found(void *context, const struct jvm *jvm, uint64_t start)
{
    struct fleet *f = context;
    struct member *t = find(f, jvm->process.pid, start);
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
        member_leave(t, LEFT_S * NS_PER_S, "it is no longer a JVM");
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
    if (job->code == -EBUSY) {
        snprintf(reason, sizeof reason, "another recording is running there: %.280s", job->error.text);
        leave_once(t, BUSY_S * NS_PER_S, reason);
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
    struct member *t = find(f, job->pid, job->start);
    if (!t || t->state != MEMBER_STARTING)
        return;
    /* A JVM that did not answer in time may have begun the recording nevertheless. */
    if (job->code && !live_is_locked(&t->live)) {
        refuse(f, t, job);
        return;
    }
    keep_number(f, t, job->recording);
    follow_it(f, t, (uint64_t)((RENEW_S - 600 * backoff_random()) * NS_PER_S));
    snprintf(t->events, sizeof t->events, "%s", job->settings.events);
    if (*job->refused)
        snprintf(t->left_out, sizeof t->left_out, "%s", job->refused);
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
    member_leave(t, RETRY_MAX_S * NS_PER_S, "%s", text);
}

static void end(struct fleet *f, struct member *t)
{
    bool outlived = clock_realtime_ns() - t->live.began_epoch_ns >= RENEW_S * NS_PER_S;
    live_remove(&t->live, f->follow.live_folder);
    if (member_is_gone(t)) {
        t->state = MEMBER_ENDED;
        say_ended(t);
    } else if (f->ending || t->renewing || outlived) {
        member_leave(t, 0, "its recording is started again");
    } else {
        leave_once(t, BUSY_S * NS_PER_S, "somebody ended its recording");
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
    if (live_bytes(&t->live) > FOLLOW_LIVE_MAX)
        give_up(f, t, OUTBOX_TOO_LARGE, "its recording is larger than any that the agent writes");
    else if (outbox_wants_live(f->follow.outbox, t->live.id))
        give_up(f, t, OUTBOX_FULL, "its recording fills the spool, more than that of any other JVM");
    else if (now >= t->next_ns || (ended && !failing))
        collect(f, t, ended);
    else if (!ended && now >= t->renew_ns) {
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
