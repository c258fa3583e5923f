#include "agent/trigger/event_counter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SELDOM = 1, NOW_AND_THEN = 100, OFTEN = 10000, ALWAYS = 1000000, RAW_DIGITS_MAX = 16 };
/* A tracepoint may be one of system calls, of which a sample makes some; its return is one. */
enum { IN_A_SAMPLE = 10 };

#define CACHE(which, op, result) \
    (PERF_COUNT_HW_CACHE_##which | PERF_COUNT_HW_CACHE_OP_##op << 8 | PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static const struct {
    const char *name;
    uint32_t type;
    uint64_t config;
    uint64_t interval;
    bool in_kernel;
} known[] = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, ALWAYS, false},
    {"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, ALWAYS, false},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, ALWAYS, false},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, ALWAYS, false},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, OFTEN, false},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, OFTEN, false},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, OFTEN, false},
    {"bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, OFTEN, false},
    {"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, ALWAYS, false},
    {"stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, ALWAYS, false},
    {"stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, ALWAYS, false},
    {"L1-dcache-loads", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, ACCESS), ALWAYS, false},
    {"L1-dcache-load-misses", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, MISS), OFTEN, false},
    {"L1-icache-load-misses", PERF_TYPE_HW_CACHE, CACHE(L1I, READ, MISS), OFTEN, false},
    {"LLC-loads", PERF_TYPE_HW_CACHE, CACHE(LL, READ, ACCESS), OFTEN, false},
    {"LLC-load-misses", PERF_TYPE_HW_CACHE, CACHE(LL, READ, MISS), OFTEN, false},
    {"dTLB-loads", PERF_TYPE_HW_CACHE, CACHE(DTLB, READ, ACCESS), ALWAYS, false},
    {"dTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(DTLB, READ, MISS), OFTEN, false},
    {"iTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(ITLB, READ, MISS), OFTEN, false},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, NOW_AND_THEN, false},
    {"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, NOW_AND_THEN, false},
    {"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, SELDOM, false},
    {"alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS, NOW_AND_THEN, false},
    {"emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS, NOW_AND_THEN, false},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, NOW_AND_THEN, true},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, SELDOM, true},
};

static bool is_raw(const char *name)
{
    size_t digits = name[0] == 'r' ? strspn(name + 1, "0123456789abcdefABCDEF") : 0;
    return digits && digits <= RAW_DIGITS_MAX && !name[1 + digits];
}

/* Names that lead nowhere else: "sched:sched_switch". */
static bool is_tracepoint(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    size_t system = strspn(name, letters);
    return system && name[system] == ':' && name[system + 1] && !name[system + 1 + strspn(name + system + 1, letters)];
}

/* The number in a file; or a negative errno. */
static int64_t read_number(const char *path)
{
    char text[32];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    ssize_t n = read(fd, text, sizeof text - 1);
    int error = n < 0 ? errno : EINVAL;
    close(fd);
    if (n <= 0)
        return -error;
    text[n] = 0;
    return (int64_t)strtoul(text, NULL, 10);
}

static int find_tracepoint(struct event_counter *c, struct error *e)
{
    static const char *const roots[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
    char path[EVENT_COUNTER_NAME_MAX + 64];
    int64_t id = -ENOENT;
    int system = (int)strcspn(c->name, ":");
    for (size_t i = 0; i < sizeof roots / sizeof *roots && id < 0; i++) {
        snprintf(path, sizeof path, "%s/events/%.*s/%s/id", roots[i], system, c->name, c->name + system + 1);
        int64_t found = read_number(path);
        if (found != -ENOENT)
            id = found;
    }
    if (id == -EACCES || id == -EPERM)
        return error_set(e, (int)id, "event '%s': this JVM's user may not read /sys/kernel/tracing; tracepoints want root there", c->name);
    if (id < 0)
        return error_set(e, (int)id, "event '%s': this JVM sees no such tracepoint under /sys/kernel/tracing/events", c->name);
    c->type = PERF_TYPE_TRACEPOINT;
    c->config = (uint64_t)id;
    c->interval = NOW_AND_THEN;
    c->least = IN_A_SAMPLE;
    c->in_kernel = true;
    return 0;
}

int event_counter_find(struct event_counter *out, const char *name, struct error *e)
{
    *out = (struct event_counter){0};
    if (strlen(name) >= sizeof out->name)
        return error_set(e, -EINVAL, "event '%.40s...': no event has so long a name", name);
    snprintf(out->name, sizeof out->name, "%s", name);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].name, name)) {
            out->type = known[i].type;
            out->config = known[i].config;
            out->interval = known[i].interval;
            out->least = known[i].interval < OFTEN ? 1 : known[i].interval / 10;
            out->in_kernel = known[i].in_kernel;
            return 0;
        }
    if (is_raw(name)) {
        out->type = PERF_TYPE_RAW;
        out->config = strtoull(name + 1, NULL, 16);
        out->interval = ALWAYS;
        out->least = OFTEN / 10;
        return 0;
    }
    if (is_tracepoint(name))
        return find_tracepoint(out, e);
    return error_set(e, -EINVAL,
                     "event '%.60s': use cpu, wall, alloc, live, lock and halt, one or several (cpu,wall; the comma as %%2C), or "
                     "safepoint, or one that perf counts: cycles, instructions, cache-misses, branch-misses, page-faults, "
                     "context-switches, rNNN, SYSTEM:TRACEPOINT",
                     name);
}

static bool is_processors(const struct event_counter *c)
{
    return c->type == PERF_TYPE_HARDWARE || c->type == PERF_TYPE_HW_CACHE || c->type == PERF_TYPE_RAW;
}

char *event_counter_refusal(const struct event_counter *c, int rc, char *out, size_t size)
{
    bool absent = rc == -ENOENT || rc == -EOPNOTSUPP || rc == -ENODEV || rc == -EINVAL;
    if (absent && is_processors(c))
        snprintf(out, size,
                 "this machine does not count it: its processor, or the virtual machine around it, has no counter for it; events of the "
                 "kernel work anywhere: page-faults, context-switches, cpu-migrations");
    else if ((rc == -EACCES || rc == -EPERM) && c->in_kernel)
        snprintf(out, size,
                 "it happens in the kernel, which this process may not watch; set kernel.perf_event_paranoid to %s, or grant CAP_PERFMON",
                 c->type == PERF_TYPE_TRACEPOINT ? "-1" : "1");
    else if (rc == -EACCES || rc == -EPERM)
        snprintf(out, size,
                 "this process may not use perf events; set kernel.perf_event_paranoid to 2 or less, or grant CAP_PERFMON, and in a "
                 "container allow perf_event_open");
    else
        snprintf(out, size, "%s", strerror(-rc));
    return out;
}
