#include "agent/trigger/signals.h"

#include "agent/hot/handler.h"
#include "agent/trigger/tasks.h"

#include <errno.h>
#include <string.h>

static bool installed[HANDLER_SIGNALS]; /* by signal: our handler has been set and not been taken away */

static bool is_ours(const struct sigaction *sa)
{
    static const signals_handler all[] = {handler_on_sigtrap, handler_on_perf_signal, handler_on_thread_timer,
                                          handler_on_process_timer, handler_on_request};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (sa->sa_flags & SA_SIGINFO && sa->sa_sigaction == all[i])
            return true;
    return false;
}

static bool is_default(const struct sigaction *sa)
{
    return !(sa->sa_flags & SA_SIGINFO) && (sa->sa_handler == SIG_DFL || sa->sa_handler == SIG_IGN);
}

static bool is_of_requests(const struct sigaction *sa)
{
    return is_ours(sa) && sa->sa_sigaction == handler_on_request;
}

/* The first is ignored by default, so that a stray one is harmless. Never a real-time signal (an overflowing real-time
 * queue turns into SIGIO, which kills), never SIGPROF (the JDK's own sampler). */
static int unused(int taken, bool for_requests)
{
    static const int candidates[] = {SIGURG, SIGSTKFLT, SIGVTALRM};
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        struct sigaction now;
        if (candidates[i] != taken && !sigaction(candidates[i], NULL, &now) &&
            (is_default(&now) || (is_ours(&now) && is_of_requests(&now) == for_requests)))
            return candidates[i];
    }
    return SIGURG;
}

int signals_unused(int taken)
{
    return unused(taken, false);
}

int signals_for_requests(void)
{
    return unused(0, true);
}

/* Whether a handler in front of ours passes our traps on, nobody knows; and with another of ours in front of it, the two
 * would pass other traps to each other for ever. */
uintptr_t signals_trap_taker(void)
{
    struct sigaction now;
    if (!installed[SIGTRAP] || sigaction(SIGTRAP, NULL, &now) || is_ours(&now))
        return 0;
    return now.sa_flags & SA_SIGINFO ? (uintptr_t)now.sa_sigaction : (uintptr_t)now.sa_handler | 1;
}

/* No handler of another's interrupts ours: so a fault in ours is our own (hot/fault.c), and a stack holds one of us and nobody
 * on top. But a trap that waits would mislead the handler of a load that faults meanwhile, and a handler that finds itself in
 * another of its thread returns at once. */
static void mask_others(struct sigaction *sa)
{
    static const int synchronous[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS, SIGTRAP};
    sigfillset(&sa->sa_mask);
    for (size_t i = 0; i < sizeof synchronous / sizeof *synchronous; i++)
        sigdelset(&sa->sa_mask, synchronous[i]);
    sa->sa_flags |= SA_NODEFER;
}

int signals_set(int signal, signals_handler handler, struct error *e)
{
    struct sigaction now, sa = {.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK}; /* hot/room.h */
    mask_others(&sa);
    sa.sa_sigaction = handler;
    if (sigaction(signal, NULL, &now) < 0)
        return error_set(e, -errno, "cannot read the handler of signal %d: %s", signal, strerror(errno));
    if (signal == SIGPROF && !is_default(&now) && !is_ours(&now))
        return error_set(e, -EBUSY, "SIGPROF has a handler already (another profiler?); stop it or use another clock");
    if (!is_ours(&now))
        handler_config.former[signal] = now;
    if (sigaction(signal, &sa, NULL) < 0)
        return error_set(e, -errno, "cannot set the handler of signal %d: %s", signal, strerror(errno));
    installed[signal] = true;
    return 0;
}

/* A trap of a closed event may still be on its way, unseen in /proc, to a thread that has not been back in user mode
 * since; the default action would then kill the process. So the handler of SIGTRAP stays. It ignores such a trap and
 * treats any other as the former handler would have. */
static bool restore(int signal)
{
    struct sigaction now;
    if (!installed[signal] || signal == SIGTRAP)
        return true;
    if (tasks_signal_pending(signal))
        return false;
    if (!sigaction(signal, NULL, &now) && is_ours(&now))
        sigaction(signal, &handler_config.former[signal], NULL);
    installed[signal] = false;
    return true;
}

bool signals_restore(void)
{
    bool all = true;
    for (int signal = 1; signal < HANDLER_SIGNALS; signal++)
        all = restore(signal) && all;
    return all;
}
