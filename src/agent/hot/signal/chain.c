#include "agent/hot/signal/chain.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

#define WITH_INFO (UINT64_C(1) << 63)
#define ONCE      (UINT64_C(1) << 62)
#define ADDRESS   (ONCE - 1)

/* The program's settings. A handler may read a setting while another thread changes it. Therefore a single word decides which function the
 * handler calls. */
static struct {
    _Atomic uint64_t handler;  /* the function's address, with the flags WITH_INFO and ONCE */
    _Atomic uint64_t blocked;  /* the signals that are blocked during the call */
    struct kernel_action rest; /* the setting without its handler; only the writer uses it */
} links[CHAIN_SIGNALS];

static uint64_t bit_of(int signal)
{
    return UINT64_C(1) << (signal - 1);
}

void chain_set(int signal, const struct kernel_action *a)
{
    uint64_t word = (uintptr_t)a->handler.plain & ADDRESS;
    if (a->flags & SA_SIGINFO)
        word |= WITH_INFO;
    if (a->flags & SA_RESETHAND)
        word |= ONCE;
    links[signal].rest = *a;
    /* Relaxed, because no other memory depends on this number. For a moment it may be combined with the former handler, which does no
     * harm. */
    atomic_store_explicit(&links[signal].blocked, a->mask | (a->flags & SA_NODEFER ? 0 : bit_of(signal)), memory_order_relaxed);
    /* Release: the program's actions before it set its handler come before calls of that handler. Pairs with the acquire in take. */
    atomic_store_explicit(&links[signal].handler, word, memory_order_release);
}

struct kernel_action chain_get(int signal)
{
    struct kernel_action a = links[signal].rest;
    /* Relaxed, because the writer reads it. A handler that had to be called only once may already be removed. */
    uint64_t word = atomic_load_explicit(&links[signal].handler, memory_order_relaxed);
    if (!(word & ADDRESS))
        a.flags &= ~(unsigned long)SA_SIGINFO;
    a.handler.plain = (void (*)(int))(uintptr_t)(word & ADDRESS);
    return a;
}

bool chain_is_default(int signal)
{
    return !(atomic_load_explicit(&links[signal].handler, memory_order_relaxed) & ADDRESS);
}

/* Takes the handler. A handler that must be called only once (SA_RESETHAND) is removed. */
static uint64_t take(int signal)
{
    uint64_t word = atomic_load_explicit(&links[signal].handler, memory_order_acquire);
    while (word & ONCE && !atomic_compare_exchange_weak(&links[signal].handler, &word, 0))
        ;
    return word;
}

void chain_pass_on(int signal, siginfo_t *info, void *context)
{
    uint64_t word = take(signal), mask;
    uintptr_t address = (uintptr_t)(word & ADDRESS);
    if (address == (uintptr_t)SIG_DFL || address == (uintptr_t)SIG_IGN)
        return;
    memcpy(&mask, &((ucontext_t *)context)->uc_sigmask, sizeof mask);
    mask |= atomic_load_explicit(&links[signal].blocked, memory_order_relaxed);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof mask);
    if (word & WITH_INFO)
        ((void (*)(int, siginfo_t *, void *))address)(signal, info, context);
    else
        ((void (*)(int))address)(signal);
}
