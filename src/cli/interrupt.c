/* Handles SIGINT, SIGTERM and SIGHUP as requests to end. */
#include "cli/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>

static const int wishes[] = {SIGINT, SIGTERM, SIGHUP};
enum { WISHES = sizeof wishes / sizeof *wishes };

static volatile sig_atomic_t came, by_terminal, seen; /* seen: a bit for each signal that has arrived */
static void (*volatile before_death)(void);

/* Kills the process, because a user who asks twice means it. The raised signal is blocked until the handler returns, and kills then. */
static void die(int signal)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    if (before_death)
        before_death();
    sigaction(signal, &action, NULL);
    raise(signal);
}

static void note(int signal, siginfo_t *info, void *context)
{
    int error = errno;
    if (seen & 1 << signal)
        die(signal);
    by_terminal = info->si_code == SI_KERNEL;
    seen |= 1 << signal;
    came = signal;
    errno = error;
}

void interrupt_catch(void)
{
    struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};
    for (int i = 0; i < WISHES; i++)
        sigaddset(&action.sa_mask, wishes[i]);
    for (int i = 0; i < WISHES; i++)
        sigaction(wishes[i], &action, NULL);
}

void interrupt_before_death(void (*work)(void))
{
    before_death = work;
}

int interrupt_signal(void)
{
    return came;
}

bool interrupt_by_terminal(void)
{
    return by_terminal;
}
