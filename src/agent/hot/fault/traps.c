#include "agent/hot/fault/traps.h"

#include "agent/hot/java/code.h"
#include "agent/hot/signal/handler.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { HOLD_LOOKS = 20 };

static _Atomic uint32_t holds_of_all; /* number of holds of all clocks so far */

static void stop(const struct sampled_thread *t)
{
    int fd = atomic_load_explicit(&t->clock.fd, memory_order_relaxed);
    if (fd >= 0)
        ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
}

static void go_on(const struct sampled_thread *t)
{
    int fd = atomic_load_explicit(&t->clock.fd, memory_order_relaxed);
    if (fd >= 0)
        ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

/* Sets a new period for an event in its first period. The first expiry stops an event, and its handler, which did not run, would have set a
 * repeating period. The first period may be too short to repeat. */
static void replace_first_period(const struct sampled_thread *t)
{
    int fd = atomic_load_explicit(&t->clock.fd, memory_order_relaxed);
    uint64_t period = t->handler.base_ns;
    if (fd >= 0 && t->handler.in_first_period)
        ioctl(fd, PERF_EVENT_IOC_PERIOD, &period);
}

static void with_all(void (*set)(const struct sampled_thread *))
{
    for (uint32_t i = 0, n = atomic_load(&sampled_threads_used); i < n; i++)
        if (atomic_load(&sampled_threads[i].slot) == SLOT_LIVE)
            set(&sampled_threads[i]);
}

/* Calls `set` as if in a handler of an expiry: while the caller is inside, no thread closes the descriptor. The caller may already be
 * inside. */
static void with_own(struct sampled_thread *t, uint32_t generation, void (*set)(const struct sampled_thread *))
{
    uint32_t inside = atomic_exchange(&t->gate.inside, 1);
    if (generation & 1 && atomic_load(&t->generation) == generation)
        set(t);
    atomic_store(&t->gate.inside, inside);
}

/* Takes a pending trap. An expiry before the clock was held may be pending and blocked, and would be delivered as soon as HotSpot unblocks
 * it. */
static void take_waiting_trap(struct sampled_thread *t)
{
    const struct timespec at_once = {0};
    const uint64_t trap = 1u << (SIGTRAP - 1); /* a signal set in the kernel's format */
    if (syscall(SYS_rt_sigtimedwait, &trap, NULL, &at_once, sizeof trap) != SIGTRAP)
        return;
    atomic_fetch_add_explicit(&t->gate.nested, 1, memory_order_relaxed);
    replace_first_period(t);
}

void traps_hold(struct traps_held *held, uintptr_t pc)
{
    *held = (struct traps_held){0};
    if (!handler_config.traps)
        return;
    held->thread = thread_of_caller();
    held->all = !code_contains(pc);
    if (held->all) {
        atomic_fetch_add(&holds_of_all, 1);
        atomic_fetch_add(&handler_config.held, 1);
        with_all(stop);
    }
    if (!held->thread)
        return;
    atomic_store(&held->thread->gate.held, 1);
    held->generation = atomic_load(&held->thread->generation);
    with_own(held->thread, held->generation, stop);
    take_waiting_trap(held->thread);
}

/* Ends the hold, unless traps_look has ended it already. */
static void end_hold(void)
{
    int held = atomic_load(&handler_config.held);
    while (held > 0 && !atomic_compare_exchange_weak(&handler_config.held, &held, held - 1))
        continue;
}

void traps_let_go(const struct traps_held *held)
{
    if (held->all) {
        /* First end the hold. A handler that has stopped its clock for another period either sees this and starts the clock, or the clock
         * is started below. */
        end_hold();
        with_all(go_on);
    } else if (held->thread)
        with_own(held->thread, held->generation, go_on);
    if (held->thread)
        atomic_store(&held->thread->gate.held, 0);
}

void traps_look(void)
{
    static uint32_t seen, looks;
    uint32_t holds = atomic_load(&holds_of_all);
    looks = atomic_load(&handler_config.held) && holds == seen ? looks + 1 : 0;
    seen = holds;
    if (looks < HOLD_LOOKS)
        return;
    looks = 0;
    atomic_store(&handler_config.held, 0);
    for (uint32_t i = 0, n = atomic_load(&sampled_threads_used); i < n; i++)
        atomic_store(&sampled_threads[i].gate.held, 0);
    with_all(go_on);
}

void traps_hold_all(void)
{
    with_all(stop);
}

void traps_end(void)
{
    if (!handler_config.traps)
        return;
    atomic_fetch_add(&handler_config.held, 1);
    with_all(stop);
}
