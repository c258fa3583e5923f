#include "agent/hot/traps.h"

#include "agent/hot/code.h"
#include "agent/hot/handler.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void set(struct sampled_thread *t, unsigned long request)
{
    int fd = atomic_load_explicit(&t->fd, memory_order_relaxed);
    if (fd >= 0)
        ioctl(fd, request, 0);
}

static void set_all(unsigned long request)
{
    for (uint32_t i = 0, n = atomic_load(&sampled_threads_used); i < n; i++)
        if (atomic_load(&sampled_threads[i].slot) == SLOT_LIVE)
            set(&sampled_threads[i], request);
}

/* As in a handler of an expiry: while the caller is inside, nobody closes the descriptor. It may be inside already. */
static void set_own(struct sampled_thread *t, uint32_t generation, unsigned long request)
{
    uint32_t inside = atomic_exchange(&t->inside, 1);
    if (generation & 1 && atomic_load(&t->generation) == generation)
        set(t, request);
    atomic_store(&t->inside, inside);
}

/* An expiry that came before the clock was held may wait, blocked, and would be delivered as soon as HotSpot unblocks it. */
static void take_waiting_trap(struct sampled_thread *t)
{
    const struct timespec at_once = {0};
    const uint64_t trap = 1u << (SIGTRAP - 1); /* a signal set as the kernel has it */
    if (syscall(SYS_rt_sigtimedwait, &trap, NULL, &at_once, sizeof trap) == SIGTRAP)
        atomic_fetch_add_explicit(&t->nested, 1, memory_order_relaxed);
}

void traps_hold(struct traps_held *held, uintptr_t pc)
{
    *held = (struct traps_held){0};
    if (!handler_config.traps)
        return;
    held->thread = thread_of_caller();
    held->all = !code_contains(pc);
    if (held->all)
        set_all(PERF_EVENT_IOC_DISABLE);
    if (!held->thread)
        return;
    held->generation = atomic_load(&held->thread->generation);
    set_own(held->thread, held->generation, PERF_EVENT_IOC_DISABLE);
    take_waiting_trap(held->thread);
}

void traps_let_go(const struct traps_held *held)
{
    if (held->all)
        set_all(PERF_EVENT_IOC_ENABLE);
    else if (held->thread)
        set_own(held->thread, held->generation, PERF_EVENT_IOC_ENABLE);
}

void traps_hold_all(void)
{
    set_all(PERF_EVENT_IOC_DISABLE);
}
