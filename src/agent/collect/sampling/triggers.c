#include "agent/collect/sampling/triggers.h"

#include "agent/collect/clock/calibrate.h"
#include "agent/collect/clock/choose.h"
#include "agent/collect/clock/lots.h"
#include "agent/collect/heal/heal.h"
#include "agent/collect/sampling/drain.h"
#include "agent/collect/sampling/parts.h"
#include "agent/context/foreign.h"
#include "agent/hot/fault/fault.h"
#include "agent/hot/java/code.h"
#include "agent/hotspot/compilations.h"
#include "agent/record/jvm.h"
#include "agent/symbolize/modules.h"
#include "agent/trigger/hooks/claims.h"
#include "agent/trigger/lot.h"
#include "agent/trigger/threads.h"
#include "base/time_units.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { STOP_WAIT_STEPS = 200, STOP_WAIT_NS = 5 * NS_PER_MS };

static struct triggers_on on;
static bool has_leftovers; /* some threads have no clock any more, although the event cpu has not been dropped yet */

void triggers_begin(const struct triggers_on *them)
{
    on = *them;
    has_leftovers = false;
}

static bool samples_cpu(void)
{
    return on.options->events & COLLECT_CPU;
}

static struct clock without_clock(void)
{
    return (struct clock){.kind = CLOCK_NONE, .kernel = true, .interval_ns = on.options->interval_ns};
}

int triggers_choose(struct error *e)
{
    *on.clock = without_clock();
    int rc = 0;
    if (samples_cpu())
        rc = choose_clock(on.clock, on.options->clock, &on.options->counter, on.options->interval_ns, e);
    return rc ? rc : choose_walker(on.options->walker, on.options->carrier_frames, e);
}

/* Removes the handlers. A signal may be pending in a thread that blocks it. Without the handler its default action would then kill the
 * process. Such a handler stays until the next stop. */
void triggers_stop(void)
{
    struct timespec pause = {.tv_nsec = STOP_WAIT_NS};
    calibrate_end();
    bool removed = clock_stop();
    for (int i = 0; i < STOP_WAIT_STEPS && !removed; i++) {
        nanosleep(&pause, NULL);
        removed = clock_stop();
    }
    fault_remove();
}

/* Whether the cost of a sample must be known before the first one, or cannot be measured with the recording's clock. */
static bool must_calibrate_first(void)
{
    return samples_cpu() && (clock_counts(on.clock) || on.options->limits.max_overhead > 0);
}

/* Measures the cost of a sample with a clock of CPU time, and restores the clock afterwards. No thread uses the clock yet. The cost does
 * not depend on the event that the clock counts, and CPU time is easy to consume. */
static uint64_t calibrate_first(void)
{
    uint64_t cost = 0;
    struct clock of_cpu = *on.clock;
    of_cpu.counter.name[0] = 0;
    if (clock_start(&of_cpu, NULL))
        return 0;
    calibrate_begin(&of_cpu, on.pool);
    while (calibrate_round(&cost))
        ;
    calibrate_end();
    clock_stop();
    return cost;
}

/* Begins to measure the cost during the recording; sampling_tick continues it. */
static void calibrate_beside(void)
{
    if (samples_cpu() && !clock_counts(on.clock))
        calibrate_begin(on.clock, on.pool);
}

/* Claims the signals before the first handler is set, so that no other code can take one from then on. */
static void claim_signals(void)
{
    if (samples_cpu() || parts_use_signals())
        claims_open(NULL);
    claims_look();
}

int triggers_start(struct error *e)
{
    int rc = fault_install();
    if (rc)
        return error_set(e, rc, "cannot install the fault handler: %s", strerror(-rc));
    if (jvm_facts.debug_info_is_late && !code_sparse_until)
        code_sparse_until = compilations_newest();
    rc = heal_start(e);
    if (rc) {
        fault_remove();
        return rc;
    }
    uint64_t signal_cost = must_calibrate_first() ? calibrate_first() : 0;
    claim_signals();
    rc = parts_claim(e);
    rc = rc ? rc : clock_start(on.clock, e);
    if (rc) {
        fault_remove();
        return rc;
    }
    books_open(on.books, signal_cost);
    if (!signal_cost)
        calibrate_beside();
    lots_begin(samples_cpu() ? on.options->clocks : LOTS_ALL);
    modules_update();
    foreign_update();
    rc = threads_start(on.pool, (int)syscall(SYS_gettid));
    if (rc < 0) {
        threads_stop();
        triggers_stop();
        return error_set(e, rc, "cannot list this process's threads: %s", strerror(-rc));
    }
    on.bind_threads();
    rc = parts_start(on.first, e);
    if (rc) {
        parts_silence();
        threads_stop();
        drain_threads(false); /* the event live gives back the references that have arrived meanwhile */
        triggers_stop();
    }
    return rc;
}

int triggers_add_clock(const struct collect_options *options, struct error *e)
{
    struct clock clock;
    int rc = choose_clock(&clock, options->clock, &options->counter, options->interval_ns, e);
    if (rc)
        return rc;
    claims_open(NULL);
    claims_look();
    lots_begin(options->clocks);
    rc = threads_add_clock(&clock, on.clock, e);
    if (rc) {
        lots_begin(LOTS_ALL);
        return rc;
    }
    has_leftovers = false;
    *on.clock = clock;
    on.options->events |= COLLECT_CPU;
    on.options->clock = options->clock;
    on.options->clocks = options->clocks;
    calibrate_beside();
    return 0;
}

void triggers_drop_clock(void)
{
    if (!samples_cpu() || sinks_events() & COLLECT_CPU || !clock_may_be_taken())
        return;
    calibrate_end();
    lots_begin(LOTS_ALL);
    clock_mute_process();
    struct clock without = without_clock();
    has_leftovers = !lot_take_all(&without);
    if (has_leftovers)
        return;
    *on.clock = without;
    on.options->events &= ~(unsigned)COLLECT_CPU;
}

bool triggers_have_leftovers(void)
{
    return has_leftovers;
}

int triggers_change_clock(struct error *e)
{
    uint64_t own = books_own_cpu(), cpu = clock_process_cpu();
    threads_stop();
    drain_threads(false);
    clock_stop();
    int rc = parts_claim(e);
    if (!rc)
        rc = choose_clock(on.clock, CLOCK_AUTO, &on.options->counter, on.clock->interval_ns, e);
    if (!rc)
        rc = clock_start(on.clock, e);
    if (rc)
        return rc;
    claims_look();
    calibrate_end();
    calibrate_beside();
    rc = threads_resume();
    on.books->closed_unseen[UNSEEN_BEFORE_ARMING] += (int64_t)(clock_process_cpu() - cpu - (books_own_cpu() - own));
    on.bind_threads();
    return rc < 0 ? error_set(e, rc, "cannot list this process's threads: %s", strerror(-rc)) : 0;
}
