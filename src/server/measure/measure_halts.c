/* Key metrics from halts: pauses for garbage collection, safepoints, and waits that only the JDK's recorder has. */
#include "profile/accounts.h"
#include "server/measure/measure.h"

const char *const measure_events[MEASURE_EVENTS] = {
    [MEASURE_GC] = "jdk.GarbageCollection",     [MEASURE_GC_PAUSE] = "jdk.GCPhasePause",
    [MEASURE_SAFEPOINT] = "jdk.SafepointBegin", [MEASURE_SYNCHRONIZATION] = "jdk.SafepointStateSynchronization",
    [MEASURE_SOCKET_READ] = "jdk.SocketRead",   [MEASURE_SOCKET_WRITE] = "jdk.SocketWrite",
    [MEASURE_FILE_READ] = "jdk.FileRead",       [MEASURE_FILE_WRITE] = "jdk.FileWrite",
    [MEASURE_STALL] = "jdk.ZAllocationStall",   [MEASURE_PIN] = "jdk.VirtualThreadPinned",
};

const unsigned measure_halts_of_threads = 1u << HALT_SOCKET_READ | 1u << HALT_SOCKET_WRITE | 1u << HALT_FILE_READ | 1u << HALT_FILE_WRITE |
                                          1u << HALT_ALLOCATION | 1u << HALT_PINNED;

struct sources {
    const bool *by_jdk; /* as in struct measuring */
    bool counted;       /* the agent recorded the JVM's counters of safepoints */
    bool wall;          /* the agent recorded what threads wait for */
};

static void know_if(struct minutes *m, bool is_known, const enum key_metric *metrics, size_t n)
{
    for (size_t i = 0; is_known && i < n; i++)
        minutes_know(m, metrics[i]);
}

static void know_all(struct minutes *m, const struct sources *s, const struct profile *p)
{
    static const enum key_metric gc[] = {KEY_GC_SHARE, KEY_GC_LONGEST, KEY_GC_PAUSES}, safepoints[] = {KEY_SAFEPOINT_SHARE, KEY_SAFEPOINTS},
                                 times[] = {KEY_TTSP_SHARE, KEY_TTSP_LONGEST}, io[] = {KEY_IO_WAIT}, stall[] = {KEY_ALLOC_STALL},
                                 pin[] = {KEY_PINNED};
    const bool *has = s->by_jdk;
    know_if(m, accounts_has_book(p, BOOK_HALT) || has[MEASURE_GC] || has[MEASURE_GC_PAUSE], gc, 3);
    know_if(m, s->counted || has[MEASURE_SAFEPOINT], safepoints, 2);
    know_if(m, s->counted || (has[MEASURE_SAFEPOINT] && has[MEASURE_SYNCHRONIZATION]), times, 2);
    know_if(m, has[MEASURE_SOCKET_READ] || has[MEASURE_SOCKET_WRITE] || has[MEASURE_FILE_READ] || has[MEASURE_FILE_WRITE], io, 1);
    know_if(m, has[MEASURE_STALL], stall, 1);
    know_if(m, has[MEASURE_PIN], pin, 1);
}

/* The halts of chunks by the JDK's recorder may be outside the recording's time. */
static bool is_in(const struct minutes *m, const struct halt *h)
{
    return h->start_ns < m->end_ns && (h->ns ? halt_end(h) > m->start_ns : h->start_ns >= m->start_ns);
}

static void add_pause(struct minutes *m, const struct halt *h)
{
    minutes_add_interval(m, KEY_GC_SHARE, h->start_ns, h->ns);
    minutes_add(m, KEY_GC_PAUSES, h->start_ns, (int64_t)h->count);
    minutes_raise(m, KEY_GC_LONGEST, h->start_ns, (int64_t)h->ns);
}

/* The position of counted safepoints in their time is unknown, so they are not split between minutes. */
static void add_safepoint(struct minutes *m, const struct halt *h)
{
    minutes_add(m, KEY_SAFEPOINT_SHARE, h->start_ns, (int64_t)h->ns);
    minutes_add(m, KEY_SAFEPOINTS, h->start_ns, (int64_t)h->count);
    if (!minutes_knows(m, KEY_TTSP_SHARE) || !h->sync_known)
        return;
    minutes_add(m, KEY_TTSP_SHARE, h->start_ns, (int64_t)h->sync_ns);
    minutes_raise(m, KEY_TTSP_LONGEST, h->start_ns, (int64_t)h->sync_ns);
}

static void add_halt(struct minutes *m, const struct sources *s, const struct halt *h)
{
    switch (h->kind) {
    case HALT_GC:
        add_pause(m, h);
        break;
    case HALT_SAFEPOINTS_COUNTED:
        add_safepoint(m, h);
        break;
    case HALT_SAFEPOINT:
        if (!s->counted)
            add_safepoint(m, h);
        break;
    case HALT_SOCKET_READ:
    case HALT_SOCKET_WRITE:
    case HALT_FILE_READ:
    case HALT_FILE_WRITE:
        if (!s->wall)
            minutes_add_interval(m, KEY_IO_WAIT, h->start_ns, h->ns);
        break;
    case HALT_ALLOCATION:
        minutes_add_interval(m, KEY_ALLOC_STALL, h->start_ns, h->ns);
        break;
    case HALT_PINNED:
        minutes_add_interval(m, KEY_PINNED, h->start_ns, h->ns);
        break;
    default:
        break;
    }
}

void measure_halts(struct minutes *m, const struct profile *p, const struct measuring *r)
{
    struct sources sources = {
        .by_jdk = r->by_jdk, .counted = accounts_sum(p, ACCOUNT_HALT_SAFEPOINTS).lines > 0, .wall = accounts_has_book(p, BOOK_WALL)};
    know_all(m, &sources, p);
    for (uint32_t i = 0; i < r->halts.count; i++)
        if (is_in(m, &r->halts.list[i]))
            add_halt(m, &sources, &r->halts.list[i]);
}
