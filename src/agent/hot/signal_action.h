/* A signal's action as the kernel has it: past the C library's sigaction, which libjsig replaces. Callable from a signal handler. */
#ifndef CANDOR_AGENT_HOT_SIGNAL_ACTION_H
#define CANDOR_AGENT_HOT_SIGNAL_ACTION_H

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

struct signal_action {
    union {
        void (*plain)(int);
        void (*with_info)(int, siginfo_t *, void *);
    } handler;
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

/* Sets `next` and reads what was there into `now`, where they are not NULL. 0 or a negative errno. */
static inline int signal_action(int signal, const struct signal_action *next, struct signal_action *now)
{
    return syscall(SYS_rt_sigaction, signal, next, now, sizeof next->mask) ? -errno : 0;
}

#endif
