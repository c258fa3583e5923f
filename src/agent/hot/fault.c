#include "agent/hot/fault.h"

#include "agent/hot/action.h"
#include "agent/hot/alloc.h"
#include "agent/hot/code.h"
#include "agent/hot/frame.h"
#include "agent/hot/handler.h"
#include "agent/hot/load.h"
#include "agent/hot/lock.h"
#include "agent/hot/traps.h"
#include "agent/hot/turn.h"
#include "agent/hot/visit.h"
#include "agent/hot/walk.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The bounds of the section that load.h fills; the linker provides them. */
extern const struct fault_entry __start_candor_faults[] __attribute__((visibility("hidden")));
extern const struct fault_entry __stop_candor_faults[] __attribute__((visibility("hidden")));

enum { GUARDED = 4 };
static const int guarded[GUARDED] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
static struct kernel_action former[GUARDED];
static bool installed;

/* A recording, on the agent's thread, and visits, on others, may want the handler at the same time. Held for some system calls, not by
 * handlers. */
static struct {
    atomic_flag held;
    bool by_recording;
    int by_others;
} wanted = {ATOMIC_FLAG_INIT};

static bool resume(void *context)
{
    uintptr_t *pc = frame_resume_at(context);
    for (const struct fault_entry *e = __start_candor_faults; e < __stop_candor_faults; e++)
        if ((uintptr_t)&e->load + (uintptr_t)(intptr_t)e->load == *pc) {
            *pc = (uintptr_t)&e->resume + (uintptr_t)(intptr_t)e->resume;
            return true;
        }
    return false;
}

/* A fault nobody handled before us gets the default action: restored, it comes again when the instruction is retried. */
static void pass_on(const struct kernel_action *next, int signal, siginfo_t *info, void *context)
{
    if (next->flags & SA_SIGINFO)
        next->handler.with_info(signal, info, context);
    else if (next->handler.plain == SIG_DFL || next->handler.plain == SIG_IGN)
        action_exchange(signal, next, NULL);
    else
        next->handler.plain(signal);
}

/* Of the traps and faults that wait for a thread, the kernel delivers the one that came first, blocked or not
 * (dequeue_synchronous_signal). So a trap that waited, blocked, for a thread that then faults is delivered first, and the
 * fault on top of it, as if it lay at the first instruction of the trap's handler. Where it does lie, says the context
 * which that handler is about to be called with. */
static void *context_of_fault(void *context)
{
    bool on_top = *frame_resume_at(context) == (uintptr_t)handler_on_sigtrap;
    return on_top ? (void *)frame_third_argument(context) : context;
}

/* In a turn every fault is the agent's, wherever it lies, but for those of the JVM's code: the signals whose handlers could
 * interrupt it are blocked (trigger/signals.c). */
static struct turn *turn_that_faulted(uintptr_t pc, const void *context)
{
    struct registers at;
    if (code_contains(pc) || walk_is_in_libjvm(pc))
        return NULL;
    struct sampled_thread *t = sampled_threads ? thread_of_caller() : NULL;
    if (t && t->turn.sp)
        return &t->turn;
    struct turn *of_callback = t ? lane_turn(&alloc_lanes, t) : NULL;
    if (t && !of_callback)
        of_callback = lane_turn(&lock_lanes, t);
    struct turn *turn = of_callback ? of_callback : turn_if_own_thread();
    return turn || !frame_registers(&at, (uintptr_t)context) ? turn : visit_that_faulted(pc, at.sp);
}

static const struct kernel_action *former_of(int signal)
{
    int i = 0;
    while (guarded[i] != signal)
        i++;
    return &former[i];
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    struct traps_held held;
    context = context_of_fault(context);
    if (resume(context))
        return;
    uintptr_t pc = info->si_code > 0 ? *frame_resume_at(context) : 0; /* 0: a signal that somebody sent */
    struct turn *turn = pc ? turn_that_faulted(pc, context) : NULL;
    if (turn) {
        turn_leave(turn, signal, context);
        return;
    }
    traps_hold(&held, pc);
    pass_on(former_of(signal), signal, info, context);
    traps_let_go(&held);
}

/* Past the C library's sigaction, which libjsig replaces: it would have the JVM's handler asked before ours, and that one takes any
 * fault of a thread whose stack is overflowing for its own. How a handler returns to the kernel, the C library knows; it tells with
 * every handler that it sets. Where none is set there is also nobody to be in front of. */
static int install(int signal, const struct kernel_action *before)
{
    struct kernel_action ours = *before;
    /* The flags and mask of the JVM's handler stay, since it relies on them: alternate stack, SA_NODEFER. */
    ours.flags |= SA_SIGINFO | SA_ONSTACK;
    ours.handler.with_info = on_fault;
    if (frame_needs_no_restorer || ours.restorer)
        return action_exchange(signal, &ours, NULL);
    struct sigaction sa = {.sa_flags = (int)ours.flags, .sa_sigaction = on_fault};
    memcpy(&sa.sa_mask, &ours.mask, sizeof ours.mask);
    return sigaction(signal, &sa, NULL) ? -errno : 0;
}

/* Somebody who was there when ours came may have put back what he found then. Where it is yet another, ours may be behind it. */
static bool must_install(const struct kernel_action *now, const struct kernel_action *before)
{
    return !installed || now->handler.with_info == before->handler.with_info;
}

static int renew(void)
{
    int rc = 0;
    for (int i = 0; i < GUARDED && !rc; i++) {
        struct kernel_action now;
        rc = action_exchange(guarded[i], NULL, &now);
        if (rc || !must_install(&now, &former[i]))
            continue;
        former[i] = now;
        rc = install(guarded[i], &now);
    }
    installed = installed || !rc;
    return rc;
}

static bool put_back(void)
{
    if (!installed)
        return true;
    bool ours = true;
    for (int i = 0; i < GUARDED; i++) {
        struct kernel_action now;
        ours = ours && !action_exchange(guarded[i], NULL, &now) && now.handler.with_info == on_fault;
    }
    if (!ours)
        return false;
    for (int i = 0; i < GUARDED; i++)
        action_exchange(guarded[i], &former[i], NULL);
    installed = false;
    return true;
}

static void lock(void)
{
    while (atomic_flag_test_and_set(&wanted.held))
        continue;
}

static void unlock(void)
{
    atomic_flag_clear(&wanted.held);
}

int fault_install(void)
{
    lock();
    wanted.by_recording = true;
    int rc = renew();
    unlock();
    return rc;
}

bool fault_remove(void)
{
    lock();
    wanted.by_recording = false;
    bool back = wanted.by_others || put_back();
    unlock();
    return back;
}

void fault_hold(void)
{
    lock();
    wanted.by_others++;
    renew();
    unlock();
}

void fault_let_go(void)
{
    lock();
    wanted.by_others--;
    if (!wanted.by_others && !wanted.by_recording)
        put_back();
    unlock();
}
