/* SIGINT, SIGTERM and SIGHUP as a wish to come to an end. */
#include "cli/interrupt.h"

#include <signal.h>

static volatile sig_atomic_t came, by_terminal;

static void note(int signal, siginfo_t *info, void *context)
{
    by_terminal = info->si_code == SI_KERNEL;
    came = signal;
}

void interrupt_catch(void)
{
    /* SA_RESETHAND: a user who asks twice means it. */
    struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO | (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

int interrupt_signal(void)
{
    return came;
}

bool interrupt_by_terminal(void)
{
    return by_terminal;
}
