#include "analysis/recording_evidence.h"

#include "base/text/time_range.h"
#include "base/text/word_list.h"
#include "compress/intake.h"
#include "profile/accounts.h"
#include "profile/figures/leaks.h"
#include "profile/filter.h"
#include "profile/load/load_jfr.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { CPU, WALL, LOCK, HOLDER, ALLOC, LIVE, KINDS };

static const enum profile_kind kinds[KINDS] = {PROFILE_RUNNING, PROFILE_WALL, PROFILE_LOCK, PROFILE_HOLDER, PROFILE_ALLOC, PROFILE_LIVE};

/* The JDK's events, and the source for which each is evidence. */
static const struct {
    const char *event;
    enum source source;
} jdk_events[] = {
    {"jdk.JavaMonitorEnter", SOURCE_LOCKS},
    {"jdk.GCPhasePause", SOURCE_PAUSES},
    {"jdk.SafepointStateSynchronization", SOURCE_ASKED},
    {"jdk.SocketRead", SOURCE_SOCKETS},
    {"jdk.SocketWrite", SOURCE_WRITES},
    {"jdk.FileRead", SOURCE_FILES},
    {"jdk.FileForce", SOURCE_FORCES},
    {"jdk.VirtualThreadPinned", SOURCE_PINNED},
    {"jdk.ZAllocationStall", SOURCE_STALLS},
    {"jdk.Deoptimization", SOURCE_DEOPTS},
    {"jdk.ExecuteVMOperation", SOURCE_OPERATIONS},
    {"jdk.ExceptionStatistics", SOURCE_THROWS},
    {"jdk.JavaExceptionThrow", SOURCE_THROWN},
    {"jdk.JavaErrorThrow", SOURCE_ERRORS},
    {"jdk.ContainerCPUThrottling", SOURCE_CONTAINER},
    {"jdk.ClassLoadingStatistics", SOURCE_STATISTICS},
    {"jdk.ThreadContextSwitchRate", SOURCE_SWITCHES},
    {"jdk.CodeCacheFull", SOURCE_FULL},
    {"jdk.VirtualThreadSubmitFailed", SOURCE_SUBMITS},
    {"jdk.EvacuationFailed", SOURCE_OVERRUNS},
    {"jdk.RedefineClasses", SOURCE_REDEFINED},
    {"jdk.ProcessStart", SOURCE_PROCESSES},
    {"jdk.DataLoss", SOURCE_LOSSES},
};

/* The kinds of halt that rules look at (1 << HALT_...). Waits for locks, most of the halts of a program, they take from samples. */
static const unsigned judged_halts =
    UINT_MAX & ~(1u << HALT_MONITOR | 1u << HALT_WAIT | 1u << HALT_PARK | 1u << HALT_SLEEP | 1u << HALT_CLASS_LOAD);

enum { JDK_EVENTS = sizeof jdk_events / sizeof *jdk_events };

struct recording_evidence {
    struct profile *profiles[KINDS]; /* own, or shared by the caller */
    struct profile own[KINDS];
    int made;                 /* number of own profiles that were made */
    struct filter_kept waits; /* the samples of waits before they were cut */
    struct halts halts;
    bool has_halts;
    struct jvm_info jvm;
    struct readings readings;
    struct time_range range;
    bool is_part; /* only a part of the recording was requested */
    struct evidence evidence;
};

/* ---- time range ---- */

/* Limits the range to the recording's time. If another recording of the JDK ran at the same time, its earlier and later events do not
 * belong to this recording. */
static int choose_range(struct recording_evidence *r, const char *text, struct error *e)
{
    const struct halts *h = &r->halts;
    int64_t end = h->start_ns + (int64_t)h->duration_ns;
    r->is_part = text;
    r->range = (struct time_range){INT64_MIN, INT64_MAX};
    if (!text && h->joined && end > h->start_ns)
        r->range = (struct time_range){h->start_ns, end};
    if (!text)
        return 0;
    if (time_range_parse(&r->range, text, h->start_ns, h->duration_ns))
        return error_set(e, -EDOM,
                         "--time '%.60s' is not a range of time; write it like +10s..+20s, -5s.., 12:03:07..12:03:09 or "
                         "2026-11-22T16:41:00Z..2026-11-22T16:42:00Z",
                         text);
    if (r->range.from_ns < h->start_ns)
        r->range.from_ns = h->start_ns;
    if (r->range.to_ns > end)
        r->range.to_ns = end;
    if (r->range.from_ns >= r->range.to_ns)
        return error_set(e, -ERANGE, "nothing was recorded at '%.60s'; 'candor summary' shows the time of the recording", text);
    r->evidence.duration_ns = (uint64_t)(r->range.to_ns - r->range.from_ns);
    return 0;
}

static int64_t from_of(const struct recording_evidence *r)
{
    return r->range.from_ns > r->halts.start_ns ? r->range.from_ns : r->halts.start_ns;
}

/* Returns the part of a halt within the range and the recording, because the time of halts is compared with the time of these. */
static uint64_t part_of(const struct recording_evidence *r, int64_t start_ns, uint64_t ns)
{
    int64_t from = from_of(r), to = r->range.to_ns;
    uint64_t before = from > start_ns ? (uint64_t)from - (uint64_t)start_ns : 0;
    uint64_t most = to > start_ns ? (uint64_t)to - (uint64_t)start_ns : 0;
    ns = ns < most ? ns : most;
    return ns > before ? ns - before : 0;
}

static void keep_range(struct recording_evidence *r)
{
    struct halts *h = &r->halts;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < h->count; i++) {
        struct halt *one = &h->list[i];
        if (one->start_ns < r->range.from_ns || one->start_ns >= r->range.to_ns)
            continue;
        if (one->kind != HALT_SAFEPOINTS_COUNTED) /* the times of these are only known to be within an interval */
            one->ns = part_of(r, one->start_ns, one->ns);
        h->list[kept++] = *one;
    }
    h->count = kept;
}

/* ---- samples ---- */

/* The books of a file are the same for all kinds of sample. They are read once, with the first kind, and copied to the others that need
 * them. */
static int copy_books(struct profile *to, const struct profile *from)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < from->book_count; i++) {
        struct profile_book line = from->books[i];
        const struct strtab *texts = &from->strings;
        rc = profile_string(to, strtab_text(texts, line.account), strtab_len(texts, line.account), &line.account);
        rc = rc ? rc : profile_string(to, strtab_text(texts, line.reason), strtab_len(texts, line.reason), &line.reason);
        rc = rc ? rc : profile_set_book(to, &line);
    }
    return rc;
}

/* Loads the samples of all kinds in one pass. */
static int load_profiles(struct recording_evidence *r, const struct intake *in, const char *name, struct error *e)
{
    struct profile *list[KINDS];
    struct intake view;
    int rc = 0;
    for (int i = 0; !rc && i < KINDS; i++) {
        r->profiles[i] = list[i] = &r->own[i];
        rc = profile_init(list[i]);
        r->made += !rc;
        list[i]->kind = kinds[i];
        list[i]->without_books = i != CPU;
    }
    if (rc)
        return error_set(e, rc, "no memory for the samples of %s", name);
    intake_view(&view, in);
    rc = profile_load_jfr_kinds(list, KINDS, &view, name, e);
    if (!rc && (copy_books(list[WALL], list[CPU]) || copy_books(list[LOCK], list[CPU])))
        rc = error_set(e, -ENOMEM, "no memory for the books of %s", name);
    for (int i = 0; !rc && r->is_part && i < KINDS; i++) {
        rc = filter_apply(&(struct filter){.from_ns = r->range.from_ns, .to_ns = r->range.to_ns, .timed = true}, list[i]);
        rc = rc ? error_set(e, rc, "no memory for the samples of %s", name) : 0;
    }
    return rc;
}

static int find_profiles(struct recording_evidence *r, const struct intake *in, const char *name, const struct recording_shared *shared,
                         struct error *e)
{
    if (!shared)
        return load_profiles(r, in, name, e);
    for (int i = 0; i < KINDS; i++)
        r->profiles[i] = shared->profiles[kinds[i]];
    return 0;
}

/* Cuts waits to their part in the range, if the recording says when they began. Such a part begins within the range. */
static int cut_waits(struct recording_evidence *r)
{
    struct profile *p = r->profiles[LOCK];
    int rc = filter_keep(&r->waits, p);
    for (uint32_t i = 0; !rc && i < p->sample_count; i++) {
        struct profile_sample *s = &p->samples[i];
        uint64_t weight = s->time_ns ? part_of(r, s->time_ns, s->weight) : s->weight;
        p->weight -= s->weight - weight;
        s->weight = weight;
        s->time_ns = s->time_ns && s->time_ns < from_of(r) ? from_of(r) : s->time_ns;
    }
    return rc;
}

static struct profile *unless_empty(struct profile *p)
{
    return p->sample_count && profile_kind_comes_from(p->kind, profile_text(p, p->source)) ? p : NULL;
}

/* Whether the profile has samples of CPU time, not other samples that replaced them. */
static bool is_of_cpu(const struct profile *p)
{
    return p->sample_count && profile_jfr_kind(p) == PROFILE_RUNNING && !profile_is_safepoint(p) &&
           (p->unit == PROFILE_UNIT_NS || p->unit == PROFILE_UNIT_SAMPLES);
}

/* Whether the wall-clock samples are Candor's. Other profilers' wall clocks show neither the threads that wait for a processor nor the
 * number of threads that ended. */
static bool is_own_wall(const struct profile *wall)
{
    return wall && !strcmp(profile_text(wall, wall->source), "candor.WallSample");
}

/* Whether no finding about live objects means that nothing leaks. Without collections of old objects that is so only if the heap does not
 * grow. */
static int growth_is_known(const struct profile *live, bool *known, struct error *e, const char *name)
{
    struct leaks l;
    int rc = leaks_find(&l, live);
    *known = (l.proof == LEAKS_PROVED && !l.is_too_short) || leaks_heap_per_hour(live) < 0;
    leaks_deinit(&l);
    return rc ? error_set(e, rc, "no memory for the live objects of %s", name) : 0;
}

static void give_profiles(struct recording_evidence *r)
{
    struct evidence *e = &r->evidence;
    const struct profile *cpu = r->profiles[CPU];
    const char *event = profile_setting(cpu, "event"), *parks = profile_setting(cpu, "lock_parks");
    bool locks = word_list_has(event, "lock"), halts = word_list_has(event, "halt");
    e->cpu = is_of_cpu(cpu) ? cpu : NULL;
    e->wall = r->profiles[WALL]->unit == PROFILE_UNIT_NS ? unless_empty(r->profiles[WALL]) : NULL; /* rules need times as weights */
    e->lock = unless_empty(r->profiles[LOCK]);
    e->holder = unless_empty(r->profiles[HOLDER]);
    e->alloc = r->profiles[ALLOC]->sample_count ? r->profiles[ALLOC] : NULL;
    e->live = r->profiles[LIVE]->object_count && !r->is_part ? r->profiles[LIVE] : NULL; /* growth needs the beginning and the end */
    e->sources |= e->alloc || word_list_has(event, "alloc") ? SOURCE_BIT(SOURCE_ALLOC) : 0;
    e->sources |= (r->profiles[LIVE]->live_set_count || word_list_has(event, "live")) && !r->is_part ? SOURCE_BIT(SOURCE_LIVE) : 0;
    e->sources |= e->cpu || word_list_has(event, "cpu") ? SOURCE_BIT(SOURCE_CPU) : 0;
    e->sources |= is_own_wall(e->wall) || word_list_has(event, "wall") ? SOURCE_BIT(SOURCE_WALL) : 0;
    e->sources |= locks ? SOURCE_BIT(SOURCE_LOCKS) | SOURCE_BIT(SOURCE_OWNERS) : 0;
    e->sources |= locks && !(parks && !strcmp(parks, "unseen")) ? SOURCE_BIT(SOURCE_PARKS) : 0;
    e->sources |= halts ? SOURCE_BIT(SOURCE_PAUSES) : 0;
    for (unsigned i = 0; i < JVM_ERROR_COUNT && !r->is_part; i++) {
        const struct profile_book *line = accounts_reason(cpu, ACCOUNT_HALT_ERRORS, REASON_LIST_JVM_ERROR, i);
        e->jvm_errors[i] = line ? line->count : 0;
    }
    e->sources |= halts && accounts_line(cpu, ACCOUNT_HALT_SAFEPOINTS) ? SOURCE_BIT(SOURCE_SAFEPOINTS) : 0;
}

/* ---- halts ---- */

/* Gives the readings of the requested time, which are adjacent in the list. */
static void give_readings(struct recording_evidence *r)
{
    readings_sort(&r->readings);
    uint32_t from = readings_from(r->readings.list, r->readings.count, r->range.from_ns);
    r->evidence.readings = r->readings.list ? r->readings.list + from : NULL;
    r->evidence.reading_count = readings_from(r->readings.list, r->readings.count, r->range.to_ns) - from;
}

static void give_jvm(struct recording_evidence *r)
{
    if (!r->jvm.known)
        return;
    r->evidence.jvm = &r->jvm;
    r->evidence.jvm_start_ns = r->jvm.start_ns;
    r->evidence.sources |= SOURCE_BIT(SOURCE_FLAGS);
}

static void give_recorded(struct recording_evidence *r, const struct recorded *recorded)
{
    for (int i = 0; i < JDK_EVENTS; i++)
        r->evidence.sources |= recorded->in[i] ? SOURCE_BIT(jdk_events[i].source) : 0;
    r->evidence.throws = recorded_throws_within(recorded, &r->range);
    r->evidence.processors = recorded->processors;
}

/* Reads everything but samples, in one pass, or two if threads were late at safepoints. */
static int load_file(struct recording_evidence *r, const struct jfr_file *file, const char *range, const struct recording_shared *shared,
                     struct jfr_problems *problems, struct error *e)
{
    const char *events[JDK_EVENTS];
    bool in[JDK_EVENTS] = {false};
    struct recorded recorded = {.events = events, .event_count = JDK_EVENTS, .in = in};
    struct pass_reader others[HALTS_OTHERS_MAX] = {{recorded_take, &recorded}, {readings_take, &r->readings}, {jvm_info_take, &r->jvm}};
    uint32_t count = 3;
    if (shared)
        others[count++] = shared->reader;
    for (int i = 0; i < JDK_EVENTS; i++)
        events[i] = jdk_events[i].event;
    int rc = halts_read_beside(&r->halts, file, shared ? UINT_MAX : judged_halts, others, count, problems, e);
    r->has_halts = true;
    r->evidence.halts = &r->halts;
    r->evidence.duration_ns = r->halts.duration_ns;
    if (!rc && shared && shared->see(shared->context, &r->halts))
        rc = error_set(e, -ENOMEM, "no memory for the halts");
    rc = rc ? rc : choose_range(r, range, e);
    if (!rc) {
        keep_range(r);
        give_recorded(r, &recorded);
        give_readings(r);
        give_jvm(r);
    }
    recorded_deinit(&recorded);
    return rc;
}

/* Returns the part of the evidence's time in which the JDK's recorder took part, if it joined late; otherwise 0. */
static uint64_t jdk_ns(const struct recording_evidence *r)
{
    const struct evidence *e = &r->evidence;
    int64_t late = r->halts.jdk_start_ns ? r->halts.jdk_start_ns - e->start_ns : 0;
    return late > 0 && (uint64_t)late < e->duration_ns ? e->duration_ns - (uint64_t)late : 0;
}

static int load(struct recording_evidence *r, const struct intake *in, const char *name, const char *range,
                const struct recording_shared *shared, struct jfr_problems *problems, struct error *e)
{
    struct jfr_file *file;
    struct intake view;
    bool grows_known = false;
    intake_view(&view, in);
    int rc = jfr_file_take(&file, &view, name, problems, e);
    if (rc)
        return rc;
    rc = load_file(r, file, range, shared, problems, e);
    jfr_file_close(file);
    rc = rc ? rc : find_profiles(r, in, name, shared, e);
    if (!rc && cut_waits(r))
        rc = error_set(e, -ENOMEM, "no memory for the samples of %s", name);
    if (!rc) {
        give_profiles(r);
        rc = growth_is_known(r->profiles[LIVE], &grows_known, e, name);
        r->evidence.sources |= grows_known ? SOURCE_BIT(SOURCE_GROWTH) : 0;
        r->evidence.start_ns = r->is_part ? r->range.from_ns : r->halts.start_ns;
    }
    if (!rc && !r->is_part && r->profiles[CPU]->duration_ns > r->evidence.duration_ns)
        r->evidence.duration_ns = r->profiles[CPU]->duration_ns;
    r->evidence.jdk_ns = jdk_ns(r);
    return rc;
}

static int load_new(struct recording_evidence **out, const struct intake *in, const char *name, const char *range,
                    const struct recording_shared *shared, struct jfr_problems *problems, struct error *e)
{
    struct recording_evidence *r = calloc(1, sizeof *r);
    int rc = r ? load(r, in, name, range, shared, problems, e) : error_set(e, -ENOMEM, "no memory for %s", name);
    if (rc) {
        recording_evidence_free(r);
        return rc;
    }
    *out = r;
    return 0;
}

int recording_evidence_load_from(struct recording_evidence **out, const struct intake *in, const char *name, struct jfr_problems *problems,
                                 struct error *e)
{
    return load_new(out, in, name, NULL, NULL, problems, e);
}

int recording_evidence_load(struct recording_evidence **out, const char *path, const char *range, struct jfr_problems *problems,
                            struct error *e)
{
    struct intake in;
    int rc = intake_open(&in, path, e);
    if (rc)
        return rc;
    rc = load_new(out, &in, intake_name(path), range, NULL, problems, e);
    intake_close(&in);
    return rc;
}

int recording_evidence_load_shared(struct recording_evidence **out, const struct intake *in, const char *name,
                                   const struct recording_shared *shared, struct jfr_problems *problems, struct error *e)
{
    return load_new(out, in, name, NULL, shared, problems, e);
}

void recording_evidence_free(struct recording_evidence *r)
{
    if (!r)
        return;
    filter_put_back(&r->waits, r->profiles[LOCK]);
    while (r->made--)
        profile_deinit(&r->own[r->made]);
    jvm_info_deinit(&r->jvm);
    readings_deinit(&r->readings);
    if (r->has_halts)
        halts_deinit(&r->halts);
    free(r);
}

const struct evidence *recording_evidence_get(const struct recording_evidence *r)
{
    return &r->evidence;
}
