#include "agent/collect/session/warnings.h"

#include "agent/collect/session/internal_fault.h"
#include "agent/collect/session/session.h"
#include "agent/trigger/threads.h"
#include "base/text/units.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static struct {
    struct recording *recording;
    char warning[COLLECT_WARNING_MAX]; /* the latest warning; empty = none */
    uint32_t told_with_timer, told_without_clock, told_without_kernel, told_blocking;
} session;

void warnings_begin(struct recording *r)
{
    memset(&session, 0, sizeof session);
    session.recording = r;
}

const char *warnings_latest(void)
{
    return session.warning;
}

void warnings_write(uint64_t now, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(session.warning, sizeof session.warning, format, arguments);
    va_end(arguments);
    jfr_write_log(session.recording->writer, now, "warning", session.warning);
}

void warnings_write_fault(uint64_t now)
{
    char text[INTERNAL_FAULT_TEXT_MAX];
    if (internal_fault_describe(text, sizeof text))
        jfr_write_log(session.recording->writer, now, "error", text);
}

void warnings_write_base(uint64_t now)
{
    if (session.warning[0])
        jfr_write_log(session.recording->writer, now, "warning", session.warning);
    warnings_write_fault(now);
}

/* Warns about `count` threads if their number has doubled since the last warning, or at the end. */
static void warn_of_threads(const char *what, uint32_t count, int error, const char *limits, uint32_t *told, bool at_end)
{
    if (count == *told || (!at_end && count < 2 * *told))
        return;
    *told = count;
    warnings_write(clock_monotonic_ns(), "%u threads %s (%s); raise %s", count, what, strerror(-error), limits);
}

/* Warns about threads that block their clock's signal. At the end the warning includes their CPU time. */
static void warn_of_blocks(bool at_end)
{
    char who[160];
    uint32_t n = threads_blocking(who, sizeof who);
    if (!n || (!at_end && n < 2 * session.told_blocking))
        return;
    if (!at_end && n == session.told_blocking)
        return;
    session.told_blocking = n;
    warnings_write(clock_monotonic_ns(),
                   "threads that block the clock's signal have no samples: %u (%s); shares refer to the other threads", n, who);
}

void warnings_of_clocks(bool at_end)
{
    static const char limits[] = "RLIMIT_NOFILE and RLIMIT_SIGPENDING";
    int error;
    uint32_t n = threads_with_timer(&error);
    warn_of_threads("have a timer instead of a perf event, so that their samples come only at the scheduler's ticks", n, error, limits,
                    &session.told_with_timer, at_end);
    n = threads_without_kernel_stacks(&error);
    warn_of_threads("have stacks without the kernel's part", n, error, "kernel.perf_event_mlock_kb and RLIMIT_MEMLOCK",
                    &session.told_without_kernel, at_end);
    n = threads_without_clock(&error);
    warn_of_blocks(at_end);
    warn_of_threads("have no clock, and no samples", n, error, limits, &session.told_without_clock, at_end);
}

void warnings_of_unknown_cost(void)
{
    jfr_write_log(session.recording->writer, clock_monotonic_ns(), "info",
                  "the cost of a sample outside of the signal handler could not be measured: own_cost does not include it");
}

void warnings_of_virtual_threads(void)
{
    char text[128];
    uint64_t beyond = session.recording->names.virtuals.beyond;
    if (!beyond)
        return;
    snprintf(text, sizeof text, "%llu samples belong to virtual threads without a name, because a chunk names at most %d virtual threads",
             (unsigned long long)beyond, VIRTUALS_MAX);
    jfr_write_log(session.recording->writer, clock_monotonic_ns(), "info", text);
}
