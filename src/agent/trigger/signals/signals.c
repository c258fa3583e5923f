#include "agent/trigger/signals/signals.h"

#include "agent/hot/signal/action.h"
#include "agent/hot/signal/chain.h"
#include "agent/hot/signal/handler.h"
#include "agent/trigger/hooks/claims.h"
#include "agent/trigger/tasks/tasks.h"

#include <errno.h>
#include <string.h>

static bool installed[CHAIN_SIGNALS]; /* indexed by signal: our handler is installed */

static bool is_ours(const struct kernel_action *a)
{
    static const signals_handler all[] = {handler_on_sigtrap, handler_on_perf_signal, handler_on_thread_timer, handler_on_process_timer,
                                          handler_on_request};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (a->flags & SA_SIGINFO && a->handler.with_info == all[i])
            return true;
    return false;
}

static bool is_of_requests(const struct kernel_action *a)
{
    return a->handler.with_info == handler_on_request;
}

/* Returns an unused signal. The first candidate is ignored by default, so that a stray signal is harmless. The function never returns a
 * real-time signal (if their queue overflows, SIGIO is sent, which kills), nor SIGPROF (the JDK's own sampler). */
static int unused(int taken, bool for_requests)
{
    static const int candidates[] = {SIGURG, SIGSTKFLT, SIGVTALRM};
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        struct kernel_action now;
        if (candidates[i] != taken && !action_exchange(candidates[i], NULL, &now) &&
            (action_is_default(&now) || (is_ours(&now) && is_of_requests(&now) == for_requests)))
            return candidates[i];
    }
    return SIGURG;
}

int signals_unused(int taken)
{
    return unused(taken, false);
}

const char *signals_name(int signal)
{
    switch (signal) {
    case SIGTRAP:
        return "SIGTRAP";
    case SIGURG:
        return "SIGURG";
    case SIGSTKFLT:
        return "SIGSTKFLT";
    case SIGVTALRM:
        return "SIGVTALRM";
    case SIGPROF:
        return "SIGPROF";
    default:
        return "SIG";
    }
}

int signals_for_requests(void)
{
    return unused(0, true);
}

/* It cannot be known whether a handler in front of ours passes our signals on. If we put ours in front of it again, the two would pass
 * other signals to each other forever. */
uintptr_t signals_taker(int signal)
{
    struct kernel_action now;
    if (!installed[signal] || action_exchange(signal, NULL, &now) || is_ours(&now))
        return 0;
    return action_is_default(&now) ? 1 : (uintptr_t)now.handler.plain;
}

/* Returns the action for a handler of ours. No other code's handler can interrupt ours. So a fault in ours is the agent's own
 * (hot/fault/fault.c), and a stack contains at most one of our handlers, with no other handler above it. The kernel blocks SIGTRAP, too,
 * before a handler's first instruction. An alternate stack may have no room for a second frame until the handler has moved
 * (hot/signal/room.h). And the delivery of a signal may itself cause an event that is counted: if a frame is larger than a page, each one
 * causes a page fault, whose trap would add the next frame, until the stack is full. A trap that waits, blocked, may still come if the
 * handler faults (context_of_fault in hot/fault/fault.c). */
static struct kernel_action action_of(signals_handler handler)
{
    static const int left[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS, 32, 33 /* the C library's internal signals */};
    struct kernel_action a = {.flags = SA_SIGINFO | SA_RESTART | SA_NODEFER | SA_ONSTACK, .mask = ~UINT64_C(0)};
    a.handler.with_info = handler;
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        a.mask &= ~(UINT64_C(1) << (left[i] - 1));
    return a;
}

int signals_set(int signal, signals_handler handler, struct error *e)
{
    struct kernel_action now, ours = action_of(handler);
    struct error ignored;
    int rc = action_exchange(signal, NULL, &now);
    if (rc)
        return error_set(e, rc, "cannot read the handler of signal %d: %s", signal, strerror(-rc));
    if (signal == SIGPROF && !action_is_default(&now) && !is_ours(&now))
        return error_set(e, -EBUSY, "SIGPROF has a handler already (another profiler?); stop it or use another clock");
    claims_open(&ignored); /* if this fails, clocks whose signal could kill the process were not chosen */
    rc = claims_take(signal, &ours);
    if (rc)
        return error_set(e, rc, "cannot set the handler of signal %d: %s", signal, strerror(-rc));
    installed[signal] = true;
    return 0;
}

/* Gives the signal back. A trap of a closed event may still be on its way to a thread that has not returned to user mode since. It is not
 * visible in /proc, and the default action would kill the process. So the handler of SIGTRAP stays, and stays in front. It ignores such a
 * trap and handles any other trap as the program wants. */
static bool restore(int signal)
{
    if (!installed[signal] || signal == SIGTRAP)
        return true;
    if (tasks_signal_pending(signal))
        return false;
    claims_release(signal);
    installed[signal] = false;
    return true;
}

bool signals_restore(void)
{
    bool all = true;
    for (int signal = 1; signal < CHAIN_SIGNALS; signal++)
        all = restore(signal) && all;
    claims_close();
    return all;
}
