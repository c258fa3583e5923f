#include "doctor/clock/stacks.h"

#include "base/procfs.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct attempt {
    int error; /* a positive errno; 0 = an event with call chains was opened and mapped */
    bool names;
};

static int map_ring(int event)
{
    size_t size = 2 * (size_t)sysconf(_SC_PAGESIZE);
    void *ring = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
    if (ring == MAP_FAILED)
        return errno;
    munmap(ring, size);
    return 0;
}

/* Opens an event with call chains and maps its ring, as the agent does (agent/trigger/clocks/clock.c, rings.c). */
static int try_ring(void)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof attr,
        .config = PERF_COUNT_SW_TASK_CLOCK,
        .sample_period = 1000000,
        .sample_type = PERF_SAMPLE_CALLCHAIN,
        .disabled = 1,
        .exclude_hv = 1,
        .exclude_callchain_user = 1,
        .sigtrap = 1,
        .remove_on_exec = 1,
    };
    int event = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (event < 0)
        return errno;
    int error = map_ring(event);
    close(event);
    return error;
}

static bool read_names(void)
{
    FILE *f = fopen("/proc/kallsyms", "re");
    bool names = procfs_shows_addresses(f);
    if (f)
        fclose(f);
    return names;
}

static void try_both(void *result)
{
    struct attempt *a = result;
    a->error = try_ring();
    a->names = read_names();
}

void stacks_check(struct checkup *f, const struct identity *who)
{
    static const char row[] = "kernel stacks";
    struct attempt a = {.error = EINTR};
    int status = identity_try(who, try_both, &a, sizeof a);
    if (status < 0)
        a.error = -status;
    if (a.error) {
        checkup_add(f, CHECK_WARNING, row, "refused: %s", strerror(a.error));
        checkup_meaning(f, "samples in the kernel show the function that called the kernel, but no functions of the kernel");
        checkup_remedy(f, "raise kernel.perf_event_mlock_kb, or RLIMIT_MEMLOCK (ulimit -l)");
    } else if (!a.names) {
        checkup_add(f, CHECK_NOTE, row, "without names");
        checkup_meaning(f, "/proc/kallsyms hides its addresses: one frame [kernel] stands for all of the kernel");
        checkup_remedy(f, "sysctl kernel.kptr_restrict=0, or grant CAP_SYSLOG");
    } else
        checkup_add(f, CHECK_OK, row, "with names");
}
