#include "agent/collect/collect.h"

#include "agent/collect/safepoint/safepoint.h"
#include "agent/collect/sampling/sampling.h"
#include "agent/collect/session/dumps.h"
#include "agent/collect/session/internal_fault.h"
#include "base/text/units.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A running recording of either collector. Its index is also its place in sampling/. */
static struct running {
    uint32_t id; /* 0 = the place is free */
    bool is_safepoint;
    struct dumps dumps;
} running[COLLECT_AT_ONCE];

static uint32_t last_id;

#define EACH_RUNNING(r)                                                                                                                    \
    for (struct running *r = running; r < running + COLLECT_AT_ONCE; r++)                                                                  \
        if (r->id)

bool collect_running(void)
{
    return sampling_running() || safepoint_running();
}

static uint32_t place_of(const struct running *r)
{
    return (uint32_t)(r - running);
}

/* Finds a recording by id; 0 = the recording that has run longest. Returns NULL if there is none. */
static struct running *find(uint32_t id)
{
    struct running *oldest = NULL;
    EACH_RUNNING(r)
    {
        if (r->id == id)
            return r;
        if (!oldest || r->id < oldest->id)
            oldest = r;
    }
    return id ? NULL : oldest;
}

static struct running *find_or_say(uint32_t id, struct error *e)
{
    struct running *r = find(id);
    if (!r && id && collect_running())
        error_set(e, -ENOENT, "no recording %u is running", id);
    else if (!r)
        error_set(e, -ENOENT, "no recording is running");
    return r;
}

static const struct collect_options *options_of(const struct running *r)
{
    return r->is_safepoint ? safepoint_options() : sampling_options(place_of(r));
}

unsigned collect_events(uint32_t id)
{
    const struct running *r = find(id);
    return r ? options_of(r)->events : 0;
}

uint32_t collect_ids(uint32_t ids[COLLECT_AT_ONCE])
{
    uint32_t count = 0;
    EACH_RUNNING(r)
    {
        uint32_t i = count++;
        for (; i && ids[i - 1] > r->id; i--)
            ids[i] = ids[i - 1];
        ids[i] = r->id;
    }
    return count;
}

static struct recording *recording_of(const struct running *r)
{
    return r->is_safepoint ? safepoint_recording() : sampling_recording(place_of(r));
}

/* Relaxed, because it only limits how long other threads wait. */
static _Atomic uint64_t walks_ns;

static void allow_walks(uint64_t of_dump)
{
    uint64_t of_end = 0;
    EACH_RUNNING(r)
    of_end += options_of(r)->live.paths_ns;
    atomic_store_explicit(&walks_ns, 2 * (of_end + of_dump), memory_order_relaxed);
}

uint64_t collect_walks_ns(void)
{
    return atomic_load_explicit(&walks_ns, memory_order_relaxed);
}

/* ---- begin ---- */

char *collect_describe_all(char *out, size_t size)
{
    uint32_t ids[COLLECT_AT_ONCE], count = collect_ids(ids);
    size_t n = 0;
    out[0] = 0;
    for (uint32_t i = 0; i < count && n < size; i++) {
        const struct collect_options *o = options_of(find(ids[i]));
        n += (size_t)snprintf(out + n, size - n, "%s%u%s%s%s to %.100s", i ? "; " : "", ids[i], o->name[0] ? " (" : "", o->name,
                              o->name[0] ? ")" : "", o->file);
    }
    return out;
}

static int refuse_more(struct error *e)
{
    char all[512];
    return error_set(e, -EBUSY, "already recording %d times, which is the maximum: %s; stop one of them first", COLLECT_AT_ONCE,
                     collect_describe_all(all, sizeof all));
}

static struct running *free_place(void)
{
    for (struct running *r = running; r < running + COLLECT_AT_ONCE; r++)
        if (!r->id)
            return r;
    return NULL;
}

/* Refuses a recording beside the event safepoint. That event has its own collector, and no thread has a clock while it runs. */
static int check_alone(const struct collect_options *options, struct error *e)
{
    if (collect_running() && (safepoint_running() || options->events == COLLECT_SAFEPOINT))
        return error_set(
            e, -EBUSY,
            "already recording to %.200s, and the event safepoint cannot be recorded at the same time; stop that recording first",
            options_of(find(0))->file);
    return 0;
}

static int start(struct running *r, const struct collect_options *options, bool late, void (*bind_threads)(void), struct error *e)
{
    r->is_safepoint = options->events == COLLECT_SAFEPOINT;
    if (r->is_safepoint)
        return safepoint_start(options, late, e);
    return sampling_running() ? sampling_join(place_of(r), options, e) : sampling_start(place_of(r), options, late, bind_threads, e);
}

/* Begins dumps of a recording. A recording must not begin if it cannot do everything that was requested. Here it has begun already, so an
 * error ends it. */
static int begin_dumps(struct running *r, const struct dumps_options *options, struct error *e)
{
    uint64_t bytes, samples;
    struct error ignored;
    struct recording *recording = recording_of(r);
    int rc = dumps_begin(&r->dumps, options, recording, e);
    recording->refused = rc;
    if (rc)
        collect_stop(r->id, &bytes, &samples, &ignored);
    return rc;
}

int collect_start(const struct collect_options *options, bool late, void (*bind_threads)(void), struct error *e)
{
    char fault[INTERNAL_FAULT_TEXT_MAX];
    struct running *r = free_place();
    if (internal_fault_describe(fault, sizeof fault))
        return error_set(e, -EFAULT, "%s; restart this JVM to record it again", fault);
    int rc = r ? check_alone(options, e) : refuse_more(e);
    rc = rc ? rc : start(r, options, late, bind_threads, e);
    if (rc)
        return rc;
    r->id = ++last_id;
    allow_walks(0);
    return begin_dumps(r, &options->dumps, e);
}

uint32_t collect_newest(void)
{
    return last_id;
}

/* ---- meanwhile ---- */

/* Makes a dump if it is due. Only the agent's thread waits for the dump. */
static void dump_when_due(struct running *r)
{
    uint64_t now = clock_monotonic_ns(), bytes;
    struct recording *recording = recording_of(r);
    struct error e;
    if (!dumps_want_look(&r->dumps, now) || !dumps_due(&r->dumps, now, clock_process_cpu()))
        return;
    recording_note(recording, r->dumps.why);
    int rc = collect_dump(r->id, r->dumps.file, -1, 0, &bytes, &e);
    dumps_done(&r->dumps, now, rc ? &e : NULL);
    if (rc)
        jfr_write_log(recording->writer, now, "warning", r->dumps.error);
}

void collect_tick(void)
{
    if (safepoint_running())
        safepoint_tick();
    else
        sampling_tick();
    EACH_RUNNING(r)
    dump_when_due(r);
}

uint32_t collect_over(void)
{
    EACH_RUNNING(r)
    if (r->is_safepoint ? safepoint_is_over() : sampling_is_over(place_of(r)))
        return r->id;
    return 0;
}

uint64_t collect_patience_ns(void)
{
    return safepoint_running() ? safepoint_patience_ns() : sampling_patience_ns();
}

int collect_dump(uint32_t id, const char *file, int passed, uint64_t paths_ns, uint64_t *bytes, struct error *e)
{
    const struct running *r = find_or_say(id, e);
    if (!r)
        return -ENOENT;
    if (paths_ns && !(options_of(r)->events & COLLECT_LIVE))
        return error_set(e, -EINVAL, "paths need the event live, which this recording does not have; record with event=live");
    if (r->is_safepoint)
        return safepoint_dump(file, passed, bytes, e);
    allow_walks(paths_ns);
    int rc = sampling_dump(place_of(r), file, passed, paths_ns, bytes, e);
    allow_walks(0);
    return rc;
}

/* ---- the end ---- */

int collect_stop(uint32_t id, uint64_t *bytes, uint64_t *samples, struct error *e)
{
    struct running *r = find_or_say(id, e);
    if (!r)
        return -ENOENT;
    int rc = r->is_safepoint ? safepoint_stop(bytes, samples, e) : sampling_stop(place_of(r), bytes, samples, e);
    r->id = 0;
    allow_walks(0);
    return rc;
}

void collect_abandon(struct turn *turn)
{
    EACH_RUNNING(r)
    if (!r->is_safepoint)
        r->id = 0;
    sampling_abandon(turn);
}

int collect_status(uint32_t id, struct collect_status *out)
{
    memset(out, 0, sizeof *out);
    internal_fault_describe(out->fault, sizeof out->fault);
    const struct running *r = find(id);
    if (!r)
        return -ENOENT;
    const struct collect_options *options = options_of(r);
    out->id = r->id;
    out->client = options->client;
    memcpy(out->name, options->name, sizeof out->name);
    out->dumps = &r->dumps;
    if (r->is_safepoint)
        safepoint_status(out);
    else
        sampling_status(place_of(r), out);
    return 0;
}
