#include "agent/trigger/clocks/event_counter.h"

#include "base/agreed/counted_event.h"
#include "base/agreed/recording_options.h"
#include "base/text/number.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the number in a file, or a negative errno. */
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
    return (int64_t)number_or_zero(text);
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
        return error_set(e, (int)id, "event '%s': this JVM's user may not read /sys/kernel/tracing; only root may use tracepoints there",
                         c->name);
    if (id < 0)
        return error_set(e, (int)id, "event '%s': this JVM finds no such tracepoint under /sys/kernel/tracing/events", c->name);
    c->config = (uint64_t)id;
    return 0;
}

int event_counter_find(struct event_counter *out, const char *name, struct error *e)
{
    *out = (struct event_counter){0};
    if (strlen(name) >= sizeof out->name)
        return error_set(e, -EINVAL, "event '%.40s...': the name is longer than that of any event", name);
    snprintf(out->name, sizeof out->name, "%s", name);
    struct counted_event found;
    if (counted_event_find(&found, name)) {
        out->type = found.type;
        out->config = found.config;
        out->interval = found.interval;
        out->least = found.least;
        out->in_kernel = found.in_kernel;
        return found.type == PERF_TYPE_TRACEPOINT ? find_tracepoint(out, e) : 0;
    }
    return error_set(e, -EINVAL,
                     "event '%.60s': use one or several of " RECORDING_EVENT_TOGETHER " (such as cpu,wall; the comma as %%2C), or "
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
                 "this machine does not count it: its processor has no counter for it, or the virtual machine hides the counter; events of "
                 "the kernel work anywhere: page-faults, context-switches, cpu-migrations");
    else if ((rc == -EACCES || rc == -EPERM) && c->in_kernel)
        snprintf(out, size,
                 "it happens in the kernel, which this process may not sample; set kernel.perf_event_paranoid to %s, or grant CAP_PERFMON",
                 c->type == PERF_TYPE_TRACEPOINT ? "-1" : "1");
    else if (rc == -EACCES || rc == -EPERM)
        snprintf(out, size,
                 "this process may not use perf events; set kernel.perf_event_paranoid to 2 or less, or grant CAP_PERFMON, and in a "
                 "container allow perf_event_open");
    else
        snprintf(out, size, "%s", strerror(-rc));
    return out;
}
