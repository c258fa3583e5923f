#include "session.h"

#include "../tap.h"
#include "base/time_units.h"

#include <dirent.h>
#include <time.h>

struct error session_error;

static void nothing(void)
{
}

bool session_start_with(const struct collect_options *options)
{
    int rc = collect_start(options, false, nothing, &session_error);
    if (rc)
        tap_note("start: %s", session_error.text);
    return rc == 0;
}

bool session_start_limited(const char *file, enum clock_kind kind, uint64_t interval_ns, struct budget_limits limits)
{
    struct collect_options o = {.events = COLLECT_CPU, .clock = kind, .interval_ns = interval_ns, .limits = limits};
    snprintf(o.file, sizeof o.file, "%s", file);
    return session_start_with(&o);
}

bool session_start(const char *file, enum clock_kind kind, uint64_t interval_ns)
{
    return session_start_limited(file, kind, interval_ns, (struct budget_limits){0});
}

bool session_stop(void)
{
    uint64_t bytes, samples;
    int rc = collect_stop(0, &bytes, &samples, &session_error);
    if (rc)
        tap_note("stop: %s", session_error.text);
    return rc == 0;
}

uint64_t own_cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/* Asks the kernel rarely: for a user who may not sample the kernel, the clock does not run there. */
void burn_until(uint64_t end)
{
    while (own_cpu() < end)
        for (volatile int i = 0; i < 100000; i++)
            ;
}

void burn(uint64_t ns)
{
    burn_until(own_cpu() + ns);
}

int open_files(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}
