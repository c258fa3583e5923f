#include "agent/hot/signal/chain.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

#define WITH_INFO (UINT64_C(1) << 63)
#define ONCE      (UINT64_C(1) << 62)
#define ADDRESS   (ONCE - 1)

/* A handler may read a link while another thread changes it. So a single word decides which function it calls. */
static struct {
    _Atomic uint64_t handler;  /* its address; WITH_INFO, ONCE: of its flags */
    _Atomic uint64_t blocked;  /* what is blocked meanwhile */
    struct kernel_action rest; /* but its handler; the writer's alone */
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
    /* Relaxed: a number by itself. With the former handler it is a mask for a moment that is as good as either. */
    atomic_store_explicit(&links[signal].blocked, a->mask | (a->flags & SA_NODEFER ? 0 : bit_of(signal)), memory_order_relaxed);
    /* Release: what the program did before it set its handler is done when that is called. Pairs with the acquire in take. */
    atomic_store_explicit(&links[signal].handler, word, memory_order_release);
}

struct kernel_action chain_get(int signal)
{
    struct kernel_action a = links[signal].rest;
    /* Relaxed: the writer asks. It may have been called once, and be gone. */
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
