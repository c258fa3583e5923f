#include "agent/trigger/clocks/exits.h"

#include "agent/trigger/clocks/clock.h"

#include <sys/resource.h>
#include <unistd.h>

struct leaving {
    int fd, tid;
    uint64_t count_ns;                      /* the event's count when the clock ended */
    uint64_t cpu_at_end_ns, cpu_at_last_ns; /* the thread's clock when the sampling clock ended, and when it was read last */
};

static struct {
    struct leaving ring[EXITS_MAX];
    uint32_t oldest, count, most;
    uint64_t cpu_ns; /* CPU time of entries that are closed */
} exits;

static struct leaving *nth(uint32_t n)
{
    return &exits.ring[(exits.oldest + n) % EXITS_MAX];
}

/* Whether the thread still exists. A thread's clock never goes back: a lower value means that the id belongs to another thread. */
static bool is_there(struct leaving *l)
{
    uint64_t cpu = clock_thread_cpu(l->tid);
    if (cpu < l->cpu_at_last_ns)
        return false;
    l->cpu_at_last_ns = cpu;
    return true;
}

static uint64_t used(const struct leaving *l)
{
    return l->fd >= 0 ? clock_event_count(l->fd) - l->count_ns : l->cpu_at_last_ns - l->cpu_at_end_ns;
}

static void close_event(const struct leaving *l)
{
    if (l->fd >= 0)
        close(l->fd);
}

static void settle(const struct leaving *l)
{
    exits.cpu_ns += used(l);
    close_event(l);
}

void exits_add(int tid, uint64_t cpu_ns, int fd, uint64_t count_ns)
{
    if (exits.count == exits.most) {
        settle(nth(0));
        exits.oldest = (exits.oldest + 1) % EXITS_MAX;
        exits.count--;
    }
    *nth(exits.count++) = (struct leaving){fd, tid, count_ns, cpu_ns, cpu_ns};
}

bool exits_expects(int tid)
{
    for (uint32_t i = 0; i < exits.count; i++) {
        struct leaving *l = nth(i);
        if (l->tid == tid && is_there(l))
            return l->cpu_at_last_ns - l->cpu_at_end_ns < EXITS_CPU_MAX_NS;
    }
    return false;
}

void exits_cancel(int tid)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < exits.count; i++) {
        struct leaving *l = nth(i);
        if (l->tid == tid && is_there(l))
            close_event(l);
        else
            *nth(kept++) = *l;
    }
    exits.count = kept;
}

void exits_reap(void)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < exits.count; i++) {
        struct leaving *l = nth(i);
        if (is_there(l))
            *nth(kept++) = *l;
        else
            settle(l);
    }
    exits.count = kept;
}

void exits_close(void)
{
    exits_reap();
    while (exits.count)
        settle(nth(--exits.count));
}

uint64_t exits_cpu(void)
{
    uint64_t cpu_ns = exits.cpu_ns;
    for (uint32_t i = 0; i < exits.count; i++)
        cpu_ns += used(nth(i));
    return cpu_ns;
}

void exits_reset(void)
{
    struct rlimit limit;
    exits.most = EXITS_MAX;
    if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur / 8 < EXITS_MAX)
        exits.most = (uint32_t)limit.rlim_cur / 8 + 1;
    exits.cpu_ns = 0;
}
