#include "daemon/member.h"

#include "base/text/units.h"
#include "daemon/discover.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *const member_state_names[] = {"left alone", "starting", "recording", "ended"};
const char *const demand_outcome_names[DEMAND_OUTCOMES] = {"recording", "done", "cut", "failed", "refused"};

void member_init(struct member *t, pid_t pid, uint64_t start)
{
    uint64_t now;
    *t = (struct member){.pid = pid, .start = start, .live.fd = -1};
    t->handle = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
    /* The pid may have been given to another process after the look. */
    if (t->handle >= 0 && (discover_start_of(pid, &now) || now != start)) {
        close(t->handle);
        t->handle = -1;
        t->pid = 0;
    }
}

void member_deinit(struct member *t)
{
    live_close(&t->live);
    if (t->handle >= 0)
        close(t->handle);
    t->handle = -1;
}

bool member_is_gone(const struct member *t)
{
    struct pollfd p = {t->handle, POLLIN, 0};
    uint64_t start;
    if (t->pid <= 0)
        return true;
    if (t->handle >= 0)
        return poll(&p, 1, 0) > 0;
    return discover_start_of(t->pid, &start) || start != t->start;
}

void member_leave(struct member *t, uint64_t after_ns, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(t->reason, sizeof t->reason, format, args);
    va_end(args);
    t->state = MEMBER_LEFT;
    t->again_ns = clock_monotonic_ns() + after_ns;
}

void member_end_demand(struct member *t, enum demand_outcome outcome, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(t->reason, sizeof t->reason, format, args);
    va_end(args);
    t->state = MEMBER_ENDED;
    t->outcome = outcome;
    t->being_told = t->told = false;
}
