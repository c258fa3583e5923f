#include "agent/hot/fault.h"

#include "agent/hot/frame.h"
#include "agent/hot/handler.h"
#include "agent/hot/load.h"
#include "agent/hot/traps.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

/* The bounds of the section that load.h fills; the linker provides them. */
extern const struct fault_entry __start_candor_faults[] __attribute__((visibility("hidden")));
extern const struct fault_entry __stop_candor_faults[] __attribute__((visibility("hidden")));

enum { GUARDED = 2 };
static const int guarded[GUARDED] = {SIGSEGV, SIGBUS};
static struct sigaction former[GUARDED];
static bool installed;

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
static void pass_on(const struct sigaction *next, int signal, siginfo_t *info, void *context)
{
    if (next->sa_flags & SA_SIGINFO)
        next->sa_sigaction(signal, info, context);
    else if (next->sa_handler == SIG_DFL || next->sa_handler == SIG_IGN)
        sigaction(signal, next, NULL);
    else
        next->sa_handler(signal);
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

static void on_fault(int signal, siginfo_t *info, void *context)
{
    struct traps_held held;
    context = context_of_fault(context);
    if (resume(context))
        return;
    traps_hold(&held, info->si_code > 0 ? *frame_resume_at(context) : 0);
    pass_on(&former[signal == SIGSEGV ? 0 : 1], signal, info, context);
    traps_let_go(&held);
}

int fault_install(void)
{
    if (installed)
        return 0;
    for (int i = 0; i < GUARDED; i++) {
        struct sigaction sa;
        if (sigaction(guarded[i], NULL, &former[i]) < 0)
            return -errno;
        /* The flags and mask of the JVM's handler stay, since it relies on them: alternate stack, SA_NODEFER. */
        sa = former[i];
        sa.sa_flags |= SA_SIGINFO | SA_ONSTACK;
        sa.sa_sigaction = on_fault;
        if (sigaction(guarded[i], &sa, NULL) < 0)
            return -errno;
    }
    installed = true;
    return 0;
}

bool fault_remove(void)
{
    if (!installed)
        return true;
    bool ours = true;
    for (int i = 0; i < GUARDED; i++) {
        struct sigaction now;
        ours = ours && !sigaction(guarded[i], NULL, &now) && now.sa_sigaction == on_fault;
    }
    if (!ours)
        return false;
    for (int i = 0; i < GUARDED; i++)
        sigaction(guarded[i], &former[i], NULL);
    installed = false;
    return true;
}
