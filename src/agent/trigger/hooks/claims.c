#include "agent/trigger/hooks/claims.h"

#include "agent/hot/fault/traps.h"
#include "agent/hot/signal/chain.h"
#include "agent/hot/signal/handler.h"
#include "agent/hot/unwind/frame.h"
#include "agent/hot/walk/walk.h"
#include "agent/trigger/hooks/hooks.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/time.h>

#define BIT(signal) (UINT32_C(1) << (signal))

/* The signals that may be claimed. */
static const uint32_t claimable = BIT(SIGTRAP) | BIT(SIGURG) | BIT(SIGSTKFLT) | BIT(SIGVTALRM) | BIT(SIGPROF);

static struct {
    _Atomic uint32_t signals; /* the claimed signals, a bit each */
    _Atomic int process;      /* the process that claims them; a child that shares the memory, or has a copy of it, has its own claims */
    _Atomic long holder;      /* the thread that changes a claim or the program's settings; 0 = none */
    _Atomic bool timer;
    uintptr_t handlers[CHAIN_SIGNALS]; /* our handlers */
    bool is_open;
    int looks;                /* further looks to do, even if no library is loaded */
    unsigned long long loads; /* number of loaded libraries before the last look */
} claims;

/* ---- the lock ---- */

/* Locks the claims. The program may call sigaction in a signal handler. Therefore signals are blocked while the lock is held, which is for
 * a few instructions. */
static bool lock(uint64_t *mask)
{
    const uint64_t all = ~UINT64_C(0);
    long self = syscall(SYS_gettid), nobody = 0;
    if (atomic_load(&claims.holder) == self)
        return false; /* a function that ours has called calls ours again */
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, mask, sizeof all);
    while (!atomic_compare_exchange_weak(&claims.holder, &nobody, self)) {
        nobody = 0;
        sched_yield();
    }
    return true;
}

static void unlock(const uint64_t *mask)
{
    atomic_store(&claims.holder, 0);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, mask, NULL, sizeof *mask);
}

static bool is_claimable(int signal)
{
    return signal > 0 && signal < CHAIN_SIGNALS && claimable & BIT(signal) && atomic_load(&claims.process) == getpid();
}

static bool is_claimed(int signal)
{
    return atomic_load(&claims.signals) & BIT(signal);
}

/* ---- the actions that the program wants ---- */

enum { HAS_RESTORER = 0x04000000 }; /* a flag that some processors need; the C library does not name it */

static struct kernel_action to_kernel(const struct sigaction *sa)
{
    struct kernel_action a = {.flags = (unsigned)sa->sa_flags & ~(unsigned)HAS_RESTORER};
    a.handler.plain = sa->sa_handler;
    memcpy(&a.mask, &sa->sa_mask, sizeof a.mask);
    return a;
}

static void from_kernel(struct sigaction *out, const struct kernel_action *a)
{
    memset(out, 0, sizeof *out);
    out->sa_handler = a->handler.plain;
    out->sa_flags = (int)a->flags;
    memcpy(&out->sa_mask, &a->mask, sizeof a->mask);
}

/* Whether a JVM that dies sets this handler. It sets the same handler for all signals of faults, and for SIGTRAP after them. Java's
 * ordinary handlers are never on SIGSEGV. */
static bool is_dying_jvm(int signal, const struct kernel_action *next)
{
    struct kernel_action fault;
    return signal == SIGTRAP && walk_is_in_libjvm((uintptr_t)next->handler.plain) && !action_exchange(SIGSEGV, NULL, &fault) &&
           fault.handler.plain == next->handler.plain;
}

/* Ends our traps if a JVM is dying, because its crash report must not be disturbed. They end here, not only when the collector looks.
 * Returns true if the JVM gets the signal. */
static bool make_way(int signal, const struct kernel_action *next)
{
    if (!is_dying_jvm(signal, next))
        return false;
    traps_end();
    atomic_fetch_and(&claims.signals, ~BIT(signal));
    return true;
}

static struct kernel_action want(int signal, const struct kernel_action *next)
{
    struct kernel_action before = chain_get(signal);
    if (next)
        chain_set(signal, next);
    return before;
}

/* ---- functions that are called instead of the C library's ---- */

typedef void (*handler_function)(int);
typedef int action_function(int, const struct sigaction *, struct sigaction *);
typedef handler_function plain_function(int, handler_function);
typedef int ignore_function(int);
typedef int interrupt_function(int, int);
typedef int timer_function(int, const struct itimerval *, struct itimerval *);

/* The C library's names, including aliases. Each hook calls the function that has its own name. */
enum name { ACTION, ACTION_2, ACTION_3, PLAIN, PLAIN_BSD, PLAIN_S, ONCE, ONCE_2, SET, IGNORE, INTERRUPT, TIMER, NAMES };
static struct hook hooks[NAMES];

static void *real(enum name by)
{
    return (void *)atomic_load(&hooks[by].real);
}

static int act(enum name by, int signal, const struct sigaction *next, struct sigaction *before)
{
    action_function *go_on = (action_function *)real(by);
    struct sigaction set, had; /* an invalid address from the caller then faults without the lock */
    uint64_t mask;
    int rc = 0;
    if (!is_claimable(signal))
        return go_on(signal, next, before);
    if (next)
        set = *next;
    struct kernel_action wanted = next ? to_kernel(&set) : (struct kernel_action){0};
    if (!lock(&mask))
        return go_on(signal, next, before);
    if (!is_claimed(signal) || (next && make_way(signal, &wanted))) {
        rc = go_on(signal, next ? &set : NULL, &had);
    } else {
        wanted = want(signal, next ? &wanted : NULL);
        from_kernel(&had, &wanted);
    }
    unlock(&mask);
    if (before && !rc)
        *before = had;
    return rc;
}

/* For sigset: sets a handler, and blocks or unblocks the signal in the calling thread. *mask is that thread's mask, which unlocking
 * restores. */
static handler_function set_and_hold(int signal, handler_function next, const struct kernel_action *wanted, uint64_t *mask)
{
    uint64_t bit = UINT64_C(1) << (signal - 1);
    bool holds = next == SIG_HOLD, held = *mask & bit;
    handler_function before = want(signal, holds ? NULL : wanted).handler.plain;
    *mask = holds ? *mask | bit : *mask & ~bit;
    return held ? SIG_HOLD : before;
}

static unsigned long flags_of(enum name by)
{
    return by == SET ? 0 : by == ONCE || by == ONCE_2 ? SA_RESETHAND | SA_NODEFER : SA_RESTART;
}

/* Sets a handler for `signal` and similar functions, which differ in the flags, and for sigset, which differs in how it treats the calling
 * thread's mask. */
static handler_function set_plain(enum name by, int signal, handler_function next)
{
    plain_function *go_on = (plain_function *)real(by);
    struct kernel_action wanted = {.handler.plain = next, .flags = flags_of(by)};
    handler_function before = SIG_ERR;
    uint64_t mask;
    if (next == SIG_ERR || !is_claimable(signal) || !lock(&mask))
        return go_on(signal, next);
    bool is_ours = is_claimed(signal);
    if (is_ours && by == SET)
        before = set_and_hold(signal, next, &wanted, &mask);
    else if (is_ours)
        before = want(signal, &wanted).handler.plain;
    else if (by != SET)
        before = go_on(signal, next);
    unlock(&mask);
    return is_ours || by != SET ? before : go_on(signal, next);
}

static int act_by_sigaction(int signal, const struct sigaction *next, struct sigaction *before)
{
    return act(ACTION, signal, next, before);
}

static int act_by_sigaction_2(int signal, const struct sigaction *next, struct sigaction *before)
{
    return act(ACTION_2, signal, next, before);
}

static int act_by_sigaction_3(int signal, const struct sigaction *next, struct sigaction *before)
{
    return act(ACTION_3, signal, next, before);
}

static handler_function set_by_signal(int signal, handler_function next)
{
    return set_plain(PLAIN, signal, next);
}

static handler_function set_by_bsd_signal(int signal, handler_function next)
{
    return set_plain(PLAIN_BSD, signal, next);
}

static handler_function set_by_ssignal(int signal, handler_function next)
{
    return set_plain(PLAIN_S, signal, next);
}

static handler_function set_by_sysv_signal(int signal, handler_function next)
{
    return set_plain(ONCE, signal, next);
}

static handler_function set_by_sysv_signal_2(int signal, handler_function next)
{
    return set_plain(ONCE_2, signal, next);
}

static handler_function set_by_sigset(int signal, handler_function next)
{
    return set_plain(SET, signal, next);
}

static int ignore(int signal)
{
    ignore_function *go_on = (ignore_function *)real(IGNORE);
    const struct kernel_action wanted = {.handler.plain = SIG_IGN};
    uint64_t mask;
    int rc = 0;
    if (!is_claimable(signal) || !lock(&mask))
        return go_on(signal);
    if (is_claimed(signal))
        want(signal, &wanted);
    else
        rc = go_on(signal);
    unlock(&mask);
    return rc;
}

static int interrupt(int signal, int interrupts)
{
    interrupt_function *go_on = (interrupt_function *)real(INTERRUPT);
    uint64_t mask;
    int rc = 0;
    if (!is_claimable(signal) || !lock(&mask))
        return go_on(signal, interrupts);
    if (is_claimed(signal)) {
        struct kernel_action wanted = chain_get(signal);
        wanted.flags = interrupts ? wanted.flags & ~(unsigned long)SA_RESTART : wanted.flags | SA_RESTART;
        want(signal, &wanted);
    } else {
        rc = go_on(signal, interrupts);
    }
    unlock(&mask);
    return rc;
}

static int set_timer(int which, const struct itimerval *next, struct itimerval *before)
{
    timer_function *go_on = (timer_function *)real(TIMER);
    bool is_ours = which == ITIMER_PROF && next && atomic_load(&claims.timer) && atomic_load(&claims.process) == getpid() &&
                   !atomic_exchange(&handler_config.timer_is_taken, true);
    int rc = go_on(which, next, before);
    if (is_ours && !rc && before)
        *before = (struct itimerval){0}; /* without our use, the timer would have been off */
    return rc;
}

static struct hook hooks[NAMES] = {
    [ACTION] = {"sigaction", (uintptr_t)act_by_sigaction},
    [ACTION_2] = {"__sigaction", (uintptr_t)act_by_sigaction_2},
    [ACTION_3] = {"__libc_sigaction", (uintptr_t)act_by_sigaction_3},
    [PLAIN] = {"signal", (uintptr_t)set_by_signal},
    [PLAIN_BSD] = {"bsd_signal", (uintptr_t)set_by_bsd_signal},
    [PLAIN_S] = {"ssignal", (uintptr_t)set_by_ssignal},
    [ONCE] = {"sysv_signal", (uintptr_t)set_by_sysv_signal},
    [ONCE_2] = {"__sysv_signal", (uintptr_t)set_by_sysv_signal_2},
    [SET] = {"sigset", (uintptr_t)set_by_sigset},
    [IGNORE] = {"sigignore", (uintptr_t)ignore},
    [INTERRUPT] = {"siginterrupt", (uintptr_t)interrupt},
    [TIMER] = {"setitimer", (uintptr_t)set_timer},
};

/* ---- claims ---- */

enum { LOOKS_AT_FIRST = 2 }; /* a library may have been only partly bound at the first look */

int claims_open(struct error *e)
{
    if (claims.is_open)
        return 0;
    atomic_store(&claims.process, getpid());
    int rc = hooks_open(hooks, NAMES, e);
    claims.is_open = !rc;
    claims.looks = LOOKS_AT_FIRST;
    return rc;
}

static int count_loads(struct dl_phdr_info *info, size_t size, void *loads)
{
    *(unsigned long long *)loads = info->dlpi_adds; /* count of the process */
    return 1;
}

void claims_look(void)
{
    unsigned long long loads = 0;
    if (!claims.is_open)
        return;
    dl_iterate_phdr(count_loads, &loads);
    if (loads == claims.loads && !claims.looks)
        return;
    claims.loads = loads;
    claims.looks -= claims.looks > 0;
    hooks_look(hooks, NAMES);
}

/* The function with which a handler returns to the kernel; NULL = none. Without the flag the member has whatever the program's memory had:
 * where handlers need no such function, the JVM does not set it, and neither the C library nor the kernel looks at it. */
static void (*restorer_of(const struct kernel_action *a))(void)
{
    return a->flags & HAS_RESTORER ? a->restorer : NULL;
}

/* Sets the handler by the system call, because another copy of the agent that came first would otherwise only note it. The C library knows
 * how a handler returns to the kernel; that function is found in a handler that the C library has set. */
static int install(int signal, const struct kernel_action *ours, const struct kernel_action *now)
{
    struct kernel_action set = *ours, other;
    struct sigaction sa;
    if (frame_needs_no_restorer)
        return action_exchange(signal, &set, NULL);
    set.restorer = restorer_of(now);
    if (!set.restorer && !action_exchange(SIGSEGV, NULL, &other))
        set.restorer = restorer_of(&other);
    if (set.restorer) {
        set.flags |= HAS_RESTORER;
        return action_exchange(signal, &set, NULL);
    }
    from_kernel(&sa, ours);
    return sigaction(signal, &sa, NULL) ? -errno : 0;
}

static bool is_in_front(int signal, const struct kernel_action *now)
{
    return claims.handlers[signal] && (uintptr_t)now->handler.plain == claims.handlers[signal];
}

int claims_take(int signal, const struct kernel_action *ours)
{
    struct kernel_action now;
    uint64_t mask;
    lock(&mask);
    int rc = action_exchange(signal, NULL, &now);
    if (!rc) {
        if (!is_in_front(signal, &now))
            chain_set(signal, &now);
        rc = install(signal, ours, &now);
    }
    if (!rc) {
        claims.handlers[signal] = (uintptr_t)ours->handler.plain;
        atomic_fetch_or(&claims.signals, BIT(signal));
    }
    unlock(&mask);
    return rc;
}

void claims_release(int signal)
{
    struct kernel_action now;
    uint64_t mask;
    lock(&mask);
    if (!action_exchange(signal, NULL, &now) && is_in_front(signal, &now)) {
        struct kernel_action wanted = chain_get(signal);
        install(signal, &wanted, &now);
    }
    claims.handlers[signal] = 0;
    atomic_fetch_and(&claims.signals, ~BIT(signal));
    unlock(&mask);
}

void claims_close(void)
{
    if (!claims.is_open || atomic_load(&claims.signals))
        return;
    hooks_close(hooks, NAMES);
    claims.is_open = false;
}

void claims_use_timer(bool ours)
{
    if (ours) /* otherwise the flag stays, so that our handler leaves the program's ticks to the program */
        atomic_store(&handler_config.timer_is_taken, false);
    atomic_store(&claims.timer, ours);
}
