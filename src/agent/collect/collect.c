#include "agent/collect/collect.h"

#include "agent/collect/safepoint/safepoint.h"
#include "agent/collect/sampling/sampling.h"
#include "agent/collect/session/dumps.h"
#include "agent/collect/session/internal_fault.h"
#include "base/text/units.h"

#include <errno.h>
#include <string.h>

static struct dumps dumps; /* of either event */

bool collect_running(void)
{
    return sampling_running() || safepoint_running();
}

unsigned collect_events(void)
{
    return safepoint_running() ? COLLECT_SAFEPOINT : sampling_events();
}

static struct recording *recording_now(void)
{
    return safepoint_running() ? safepoint_recording() : sampling_recording();
}

/* Relaxed: it only bounds how long others wait. */
static _Atomic uint64_t walks_ns;

static void allow_walks(uint64_t of_dump)
{
    uint64_t of_end = sampling_running() ? sampling_paths_ns() : 0;
    atomic_store_explicit(&walks_ns, 2 * (of_end + of_dump), memory_order_relaxed);
}

uint64_t collect_walks_ns(void)
{
    return atomic_load_explicit(&walks_ns, memory_order_relaxed);
}

/* A recording must not begin if it cannot do everything that was requested. Here it has begun already, so it is undone. */
static int begin_dumps(const struct dumps_options *options, struct error *e)
{
    struct recording *r = recording_now();
    uint64_t bytes, samples;
    struct error ignored;
    int rc = dumps_begin(&dumps, options, r, e);
    r->refused = rc;
    if (rc)
        collect_stop(&bytes, &samples, &ignored);
    return rc;
}

int collect_start(const struct collect_options *options, bool late, void (*bind_threads)(void), struct error *e)
{
    char fault[INTERNAL_FAULT_TEXT_MAX];
    if (collect_running())
        return error_set(e, -EBUSY, "already recording to %s; stop that first", safepoint_running() ? safepoint_file() : sampling_file());
    if (internal_fault_describe(fault, sizeof fault))
        return error_set(e, -EFAULT, "%s; this JVM can be recorded again when it has been restarted", fault);
    int rc = options->events == COLLECT_SAFEPOINT ? safepoint_start(options, late, e) : sampling_start(options, late, bind_threads, e);
    allow_walks(0);
    return rc ? rc : begin_dumps(&options->dumps, e);
}

/* Only this thread waits for the dump. */
static void dump_when_due(void)
{
    uint64_t now = clock_monotonic_ns(), bytes;
    struct recording *r = recording_now();
    struct error e;
    if (!dumps_want_look(&dumps, now) || !dumps_due(&dumps, now, clock_process_cpu()))
        return;
    recording_note(r, dumps.why);
    int rc = collect_dump(dumps.file, -1, 0, &bytes, &e);
    dumps_done(&dumps, now, rc ? &e : NULL);
    if (rc)
        jfr_write_log(r->writer, now, "warning", dumps.error);
}

bool collect_tick(void)
{
    bool goes_on = safepoint_running() ? safepoint_tick() : sampling_tick();
    dump_when_due();
    return goes_on;
}

uint64_t collect_patience_ns(void)
{
    return safepoint_running() ? safepoint_patience_ns() : sampling_patience_ns();
}

int collect_dump(const char *file, int passed, uint64_t paths_ns, uint64_t *bytes, struct error *e)
{
    if (collect_running() && paths_ns && !(collect_events() & COLLECT_LIVE))
        return error_set(e, -EINVAL, "paths need the event live, which this recording does not have; record with event=live");
    if (safepoint_running())
        return safepoint_dump(file, passed, bytes, e);
    if (!sampling_running())
        return error_set(e, -ENOENT, "no recording is running");
    allow_walks(paths_ns);
    int rc = sampling_dump(file, passed, paths_ns, bytes, e);
    allow_walks(0);
    return rc;
}

int collect_stop(uint64_t *bytes, uint64_t *samples, struct error *e)
{
    if (safepoint_running())
        return safepoint_stop(bytes, samples, e);
    if (!sampling_running())
        return error_set(e, -ENOENT, "no recording is running");
    int rc = sampling_stop(bytes, samples, e);
    allow_walks(0);
    return rc;
}

void collect_abandon(struct turn *turn)
{
    sampling_abandon(turn);
}

void collect_status(struct collect_status *out)
{
    memset(out, 0, sizeof *out);
    internal_fault_describe(out->fault, sizeof out->fault);
    out->dumps = &dumps;
    if (safepoint_running())
        safepoint_status(out);
    if (sampling_running())
        sampling_status(out);
}
