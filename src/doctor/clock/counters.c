#include "doctor/clock/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
    const char *name;
    uint32_t type;
    uint64_t config;
    bool in_kernel; /* the event happens only in the kernel, so it is of no use without kernel mode */
} events[COUNTERS] = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, false},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, false},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, false},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, true},
};

static int try_one(uint32_t type, uint64_t config, bool with_kernel)
{
    struct perf_event_attr attr = {
        .type = type,
        .size = sizeof attr,
        .config = config,
        .sample_period = 1000000,
        .disabled = 1,
        .exclude_kernel = !with_kernel,
        .exclude_hv = 1,
    };
    int event = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (event < 0)
        return errno;
    close(event);
    return 0;
}

static void try_all(void *result)
{
    int *errors = result;
    for (int i = 0; i < COUNTERS; i++) {
        errors[i] = try_one(events[i].type, events[i].config, true);
        if ((errors[i] == EACCES || errors[i] == EPERM) && !events[i].in_kernel)
            errors[i] = try_one(events[i].type, events[i].config, false);
    }
}

static int list(char *out, size_t size, const int errors[COUNTERS], bool good)
{
    int count = 0;
    size_t used = 0;
    out[0] = 0;
    for (int i = 0; i < COUNTERS; i++)
        if (!errors[i] == good && used < size)
            used += (size_t)snprintf(out + used, size - used, "%s%s", count++ ? ", " : "", events[i].name);
    return count;
}

void counters_judge(struct checkup *f, const int errors[COUNTERS])
{
    static const char row[] = "counters";
    char can[128], cannot[128];
    int lacking = 0, refused = list(cannot, sizeof cannot, errors, false);
    for (int i = 0; i < COUNTERS_OF_PROCESSOR; i++)
        lacking += errors[i] != 0;
    if (!list(can, sizeof can, errors, true)) {
        checkup_add(f, CHECK_NOTE, row, "none");
        checkup_meaning(f, "'candor record -e EVENT' cannot use events of the processor or the kernel: %s", strerror(errors[0]));
        return;
    }
    if (!refused) {
        checkup_add(f, CHECK_OK, row, "%s", can);
        checkup_meaning(f, "'candor record -e EVENT' can use these events, and others");
        return;
    }
    checkup_add(f, CHECK_NOTE, row, "%s; not %s", can, cannot);
    if (lacking)
        checkup_meaning(
            f, "'candor record -e EVENT' cannot use these events: the processor has no counters for them, or a virtual machine hides them");
    else {
        checkup_meaning(f, "'candor record -e EVENT' needs permission to sample the kernel for these events");
        checkup_remedy(f, "sysctl kernel.perf_event_paranoid=1, or grant CAP_PERFMON");
    }
}

void counters_check(struct checkup *f, const struct identity *who)
{
    int errors[COUNTERS];
    for (int i = 0; i < COUNTERS; i++)
        errors[i] = EINTR;
    int status = identity_try(who, try_all, errors, sizeof errors);
    if (status < 0)
        for (int i = 0; i < COUNTERS; i++)
            errors[i] = -status;
    counters_judge(f, errors);
}
