/* Reads and sets what the kernel does with a signal. It uses the system call itself, because a library may have replaced the C library's
 * sigaction (libjsig, a sanitizer, or the agent: trigger/hooks/claims.h). It may be called from a signal handler. */
#ifndef CANDOR_AGENT_HOT_SIGNAL_ACTION_H
#define CANDOR_AGENT_HOT_SIGNAL_ACTION_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's layout of an action. */
struct kernel_action {
    union {
        void (*plain)(int);
        void (*with_info)(int, siginfo_t *, void *);
    } handler;
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

/* Sets the action `next` and reads the former one into `before`. Either may be NULL. Returns 0 or a negative errno. */
static inline int action_exchange(int signal, const struct kernel_action *next, struct kernel_action *before)
{
    return syscall(SYS_rt_sigaction, signal, next, before, sizeof next->mask) ? -errno : 0;
}

static inline bool action_is_default(const struct kernel_action *a)
{
    return a->handler.plain == SIG_DFL || a->handler.plain == SIG_IGN;
}

#endif
