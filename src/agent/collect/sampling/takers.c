#include "agent/collect/sampling/takers.h"

#include "agent/collect/sampling/parts.h"
#include "agent/collect/sampling/sinks.h"
#include "agent/collect/sampling/triggers.h"
#include "agent/collect/session/warnings.h"
#include "agent/hot/fault/traps.h"
#include "agent/hot/walk/walk.h"
#include "agent/trigger/signals/signals.h"
#include "agent/trigger/tasks/tasks.h"
#include "agent/trigger/threads.h"
#include "base/text/units.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Ends all traps. When the JVM dies for a reason other than a fault, it installs its own handler of SIGTRAP (hot/fault/traps.h), and our
 * traps must not disturb its crash report. */
static void end_traps(const char *why)
{
    traps_hold_all();
    threads_stop();
    warnings_write(clock_monotonic_ns(), "sampling ended: %s", why);
}

/* Leaves the signal to the other code that has taken it, and continues with another clock. */
static void leave_clock(const char *why, const struct collect_options *options, const struct clock *clock)
{
    struct error e;
    bool was_forced = options->clock != CLOCK_AUTO;
    if (triggers_change_clock(&e)) {
        end_traps(e.text);
        return;
    }
    warnings_write(clock_monotonic_ns(), "%s: clock=%s from here on%s", why, clock_names[clock->kind],
                   was_forced ? ", instead of the requested clock" : "");
    EACH_SINK(s)
    if (sink_has_cpu(s))
        recording_describe_clock(&s->recording, clock);
}

/* Whether to look for a debugger. Until the agent notices one, the debugger takes every trap, and the samples are lost. There is no need to
 * look if samples still arrive, or if no trap was due. */
static bool must_look_for_debuggers(const struct clock *clock, uint64_t samples)
{
    static uint64_t seen, came_before, looked_at_cpu;
    uint64_t came = samples - seen;
    bool as_before = came && came >= came_before / 2;
    seen = samples;
    came_before = came;
    if (clock->kind != CLOCK_SIGTRAP || as_before)
        return false;
    uint64_t cpu = clock_process_cpu();
    if (cpu - looked_at_cpu < sinks_pace_ns())
        return false;
    looked_at_cpu = cpu;
    return true;
}

/* Looks for other code that has taken the signal for requests. If there is any, requests use another signal from now on, or take this one
 * back. */
static void retake_requests(void)
{
    struct error e;
    if (!parts_signal_is_taken())
        return;
    if (parts_claim(&e))
        warnings_write(clock_monotonic_ns(), "running threads are no longer sampled: %s", e.text);
    else
        warnings_write(clock_monotonic_ns(), "other code in the process has replaced the handler of the signal that makes running threads "
                                             "sample themselves; another signal is used from now on");
}

void takers_look(const struct collect_options *options, const struct clock *clock)
{
    char why[128];
    int signal;
    uintptr_t taker = clock_taker(&signal);
    retake_requests();
    if (clock->kind == CLOCK_SIGTRAP && walk_is_in_libjvm(taker)) {
        end_traps("the JVM now uses SIGTRAP itself");
    } else if (taker) {
        snprintf(why, sizeof why, "other code in the process has replaced the handler of %s by a direct system call", signals_name(signal));
        leave_clock(why, options, clock);
    } else if (clock_timer_is_taken()) {
        leave_clock("the program itself has set the process's CPU timer", options, clock);
    }
}

void takers_look_for_debuggers(const struct collect_options *options, const struct clock *clock, uint64_t samples)
{
    if (must_look_for_debuggers(clock, samples) && tasks_are_traced())
        leave_clock("a debugger was attached, and receives SIGTRAP", options, clock);
}
