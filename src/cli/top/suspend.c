#include "cli/top/suspend.h"

#include "base/time_units.h"

#include <signal.h>
#include <time.h>

static volatile sig_atomic_t wanted;
static sigset_t before; /* the signals that were blocked before */
static bool held;

static void note(int signal)
{
    (void)signal;
    wanted = 1;
}

static void catch (void)
{
    struct sigaction action = {.sa_handler = note};
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    sigprocmask(SIG_BLOCK, &stop, &before);
    sigaction(SIGTSTP, &action, NULL);
    wanted = 0;
}

void suspend_hold(void)
{
    struct sigaction now;
    held = !sigaction(SIGTSTP, NULL, &now) && now.sa_handler == SIG_DFL;
    if (held)
        catch ();
}

static void release(void)
{
    signal(SIGTSTP, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

void suspend_let_go(void)
{
    if (held)
        release();
    held = false;
}

void suspend_poll(struct pollfd *fds, nfds_t n, int ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * NS_PER_MS};
    ppoll(fds, n, &t, held ? &before : NULL);
}

bool suspend_wanted(void)
{
    return wanted;
}

void suspend_now(void)
{
    raise(SIGTSTP); /* the signal is still blocked here */
    release();
    catch ();
}
