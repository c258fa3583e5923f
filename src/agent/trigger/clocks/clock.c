#include "agent/trigger/clocks/clock.h"

#include "agent/hot/inject.h"
#include "agent/hot/kernel.h"
#include "agent/hot/signal/handler.h"
#include "agent/trigger/clocks/rings.h"
#include "agent/trigger/hooks/claims.h"
#include "agent/trigger/signals/signals.h"
#include "agent/trigger/tasks/tasks.h"
#include "base/libc.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#ifndef F_SETOWN_EX
#error "needs _GNU_SOURCE"
#endif

const char *const clock_names[CLOCK_KINDS] = {"auto", "sigtrap", "signal", "timer", "itimer"};

/* An addition to the first period of a perf clock, if the kernel cannot stop the clock at its first expiry. The first period repeats
 * until the handler sets the second one. If it were shorter than the handler takes, the processor would do nothing else for minutes. */
enum { BLIND_NS = 100000 };
#define NEVER_NS (UINT64_C(1) << 50) /* of CPU time; not larger, because the kernel adds it to its clock */

static struct clock in_use;
static int timer_signal; /* for threads that get a timer in place of an event; 0 = none so far */

static uint64_t read_clock(clockid_t id)
{
    struct timespec t;
    return clock_gettime(id, &t) ? 0 : (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Returns the kernel's encoding of a thread's CPU clock: inverted id, per-thread, scheduler time. */
static clockid_t thread_clock(int tid)
{
    return (clockid_t)((~(unsigned)tid << 3) | 6);
}

uint64_t clock_thread_cpu(int tid)
{
    return read_clock(thread_clock(tid));
}

uint64_t clock_process_cpu(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

static int open_event(const struct clock *c, int tid, uint64_t period, uint64_t cookie)
{
    bool counts = clock_counts(c);
    struct perf_event_attr attr = {
        .type = counts ? c->counter.type : PERF_TYPE_SOFTWARE,
        .size = sizeof attr,
        .config = counts ? c->counter.config : PERF_COUNT_SW_TASK_CLOCK,
        .sample_period = period,
        .read_format = counts ? PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING : 0,
        .disabled = 1,
        .exclude_kernel = !c->kernel,
        .exclude_hv = 1,
        .wakeup_events = 1,
    };
    if (c->kind == CLOCK_SIGTRAP) {
        attr.sigtrap = 1;
        attr.remove_on_exec = 1;
        attr.sig_data = cookie;
    }
    if (c->kernel_stacks) {
        attr.sample_type = PERF_SAMPLE_CALLCHAIN;
        attr.exclude_callchain_user = 1;
        attr.sample_max_stack = KERNEL_FRAMES_MAX;
        /* The signal wakes the reader. If the ring woke it, too, a sample would cost half as much again. */
        attr.watermark = 1;
        attr.wakeup_watermark = UINT32_MAX;
    }
    long fd = syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    return fd < 0 ? -errno : (int)fd;
}

static int route_event_signal(int fd, int tid, int signal)
{
    struct f_owner_ex owner = {.type = F_OWNER_TID, .pid = tid};
    if (fcntl(fd, F_SETOWN_EX, &owner) < 0 || fcntl(fd, F_SETSIG, signal) < 0 || fcntl(fd, F_SETFL, O_ASYNC) < 0)
        return -errno;
    return 0;
}

/* Timers are made by system calls. Before glibc 2.34 the C library's functions were in librt, which a JVM does not load, and their timer_t
 * was no number that the handler could give to the kernel. */
static int create_timer(int tid, int signal, uint64_t cookie, int *timer)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = signal};
    event.sigev_value.sival_ptr = (void *)(uintptr_t)cookie;
    libc_notify_thread(&event, tid);
    return syscall(SYS_timer_create, thread_clock(tid), &event, timer) ? -errno : 0;
}

static void to_timespec(struct timespec *t, uint64_t ns)
{
    t->tv_sec = (time_t)(ns / 1000000000u);
    t->tv_nsec = (long)(ns % 1000000000u);
}

static int try_event(const struct clock *c)
{
    int fd = open_event(c, 0, c->interval_ns, 0);
    if (fd >= 0)
        close(fd);
    return fd < 0 ? fd : 0;
}

/* Finds which parts of the kernel's work the clock can see: its stacks, only its time, or nothing. */
static int try_perf(struct clock *c)
{
    c->has_kernel_rule = true;
    c->kernel = true;
    c->kernel_stacks = c->kind == CLOCK_SIGTRAP;
    int rc = try_event(c);
    if (rc && c->kernel_stacks) {
        c->kernel_stacks = false;
        c->stacks_error = rc;
        rc = try_event(c);
    }
    if ((rc == -EACCES || rc == -EPERM) && !c->counter.in_kernel) {
        c->kernel = false;
        rc = try_event(c);
    }
    return rc == -EPERM ? -EACCES : rc;
}

/* Reasons besides an errno. TRACED: a debugger would treat SIGTRAP as its own breakpoint. */
enum { TRACED = -4096, TOO_OLD, UNGUARDED };

/* Whether a filter (seccomp) forbids perf events. The kernel itself returns EINVAL for invalid flags before any other check. */
static bool is_filtered(void)
{
    struct perf_event_attr attr = {.size = sizeof attr};
    return syscall(SYS_perf_event_open, &attr, 0, -1, -1, ~0ul) < 0 && errno != EINVAL && prctl(PR_GET_SECCOMP) == 2;
}

static const char *why_not(int rc)
{
    return rc == TRACED                                        ? "a debugger is attached, and receives its signal"
           : (rc == -EACCES || rc == -ENOSYS) && is_filtered() ? "a seccomp filter refuses it, as containers' default filters do"
           : rc == TOO_OLD                                     ? "before Linux 6.1 its signal may be lost, or kill the process"
           : rc == UNGUARDED ? "a library that replaces the handler of its signal would cause the process to be killed, and here the agent "
                               "cannot notice that"
                             : strerror(-rc);
}

static bool is_since(unsigned major, unsigned minor)
{
    struct utsname system;
    unsigned here, below;
    return !uname(&system) && sscanf(system.release, "%u.%u", &here, &below) == 2 && (here > major || (here == major && below >= minor));
}

/* Whether a library could replace our handler without notice. The signal's default action would then kill the process. */
static bool is_unguarded(int signal)
{
    return signal != SIGURG && claims_open(NULL);
}

/* Before Linux 6.1, a SIGTRAP of an event could be lost when its thread was switched out, and its first expiry could not stop the
 * event. Before 5.19 it killed the process if the thread blocked SIGTRAP, as the C library does while it starts a thread. */
static int try_trap(struct clock *c)
{
    if (!is_since(6, 1))
        return TOO_OLD;
    if (tasks_are_traced())
        return TRACED;
    return signals_taker(SIGTRAP) ? -EBUSY : is_unguarded(SIGTRAP) ? UNGUARDED : try_perf(c);
}

static int try_timer(const struct clock *c)
{
    int timer;
    int rc = create_timer((int)syscall(SYS_gettid), c->signal, 0, &timer);
    if (!rc)
        syscall(SYS_timer_delete, timer);
    return rc;
}

static int try_clock(struct clock *c)
{
    switch (c->kind) {
    case CLOCK_SIGTRAP:
        c->signal = SIGTRAP;
        return try_trap(c);
    case CLOCK_SIGNAL:
        c->signal = signals_unused(0);
        return is_unguarded(c->signal) ? UNGUARDED : try_perf(c);
    case CLOCK_TIMER:
        c->signal = signals_unused(0);
        c->kernel = true;
        return is_unguarded(c->signal) ? UNGUARDED : try_timer(c);
    default:
        c->signal = SIGPROF;
        c->kernel = true;
        return is_unguarded(c->signal) ? UNGUARDED : 0;
    }
}

/* Chooses the first kind that works, up to `last`. *rc: the error of the last kind that was tried. */
static bool choose(struct clock *out, const struct clock *like, enum clock_kind wanted, enum clock_kind last, int *rc, char *reason,
                   size_t size)
{
    for (int kind = CLOCK_SIGTRAP; kind <= (int)last; kind++) {
        if (wanted != CLOCK_AUTO && (int)wanted != kind)
            continue;
        struct clock c = *like;
        c.kind = (enum clock_kind)kind;
        *rc = try_clock(&c);
        if (!*rc) {
            *out = c;
            snprintf(out->reason, sizeof out->reason, "%s", reason);
            return true;
        }
        size_t used = strlen(reason);
        snprintf(reason + used, size - used, "%s%s: %s", used ? "; " : "", clock_names[kind], why_not(*rc));
    }
    return false;
}

int clock_choose(struct clock *out, enum clock_kind wanted, uint64_t interval_ns, struct error *e)
{
    const struct clock like = {.interval_ns = interval_ns};
    char reason[sizeof out->reason] = "";
    int rc = -EINVAL;
    if (choose(out, &like, wanted, CLOCK_KINDS - 1, &rc, reason, sizeof reason))
        return 0;
    return error_set(e, rc, "clock '%s' does not work here (%s); use clock=auto", clock_names[wanted], reason);
}

int clock_choose_counting(struct clock *out, enum clock_kind wanted, const struct event_counter *counter, uint64_t interval,
                          struct error *e)
{
    const struct clock like = {.interval_ns = interval, .counter = *counter};
    char reason[sizeof out->reason] = "", why[256];
    int rc = -EINVAL;
    if (wanted == CLOCK_TIMER || wanted == CLOCK_ITIMER)
        return error_set(e, rc, "clock '%s' measures only CPU time; leave it out to count %s", clock_names[wanted], like.counter.name);
    if (choose(out, &like, wanted, CLOCK_SIGNAL, &rc, reason, sizeof reason))
        return 0;
    if (rc == TRACED || rc == TOO_OLD || rc == UNGUARDED)
        return error_set(e, -ENOTSUP, "clock '%s' does not work here (%s); use clock=auto", clock_names[wanted], reason);
    return error_set(e, rc, "event '%s': %s", like.counter.name, event_counter_refusal(&like.counter, rc, why, sizeof why));
}

static void set_process_timer(uint64_t interval_ns)
{
    if (atomic_load(&handler_config.timer_is_taken))
        return;
    struct itimerval v = {
        .it_interval = {.tv_sec = (time_t)(interval_ns / 1000000000u), .tv_usec = (suseconds_t)(interval_ns / 1000 % 1000000)}};
    v.it_value = v.it_interval;
    syscall(SYS_setitimer, ITIMER_PROF, &v, NULL);
}

static signals_handler handler_of(enum clock_kind kind)
{
    switch (kind) {
    case CLOCK_SIGTRAP:
        return handler_on_sigtrap;
    case CLOCK_SIGNAL:
        return handler_on_perf_signal;
    case CLOCK_TIMER:
        return handler_on_thread_timer;
    default:
        return handler_on_process_timer;
    }
}

/* Whether the kernel forgets the trap of an expiry that stops its event. Before Linux 6.11 it does if the thread is switched out at once,
 * and an event such as context-switches expires in the switch itself. */
static bool loses_trap_of_stop(const struct clock *c)
{
    return c->kind == CLOCK_SIGTRAP && c->counter.in_kernel && !is_since(6, 11);
}

/* Whether PERF_EVENT_IOC_REFRESH really stops the event after one expiry. It does not with a CPU clock that excludes kernel time: an expiry
 * in the kernel counts, but is not delivered. */
static bool can_stop_first(const struct clock *c)
{
    return clock_is_perf(c) && (c->kernel || clock_counts(c)) && !loses_trap_of_stop(c);
}

int clock_start(const struct clock *clock, struct error *e)
{
    bool perf = clock_is_perf(clock);
    in_use = *clock;
    timer_signal = 0;
    atomic_store(&handler_config.interval_ns, clock->interval_ns);
    atomic_store(&handler_config.pace_ns, clock->interval_ns);
    handler_config.counts = clock_counts(clock);
    handler_config.measures = perf && clock->kernel && !handler_config.counts;
    handler_config.traps = clock->kind == CLOCK_SIGTRAP;
    atomic_store(&handler_config.held, 0);
    handler_config.redraws = perf;
    handler_config.stops_first = can_stop_first(clock);
    atomic_store(&handler_config.process_cpu_ns, clock_process_cpu());
    int rc = clock->kind == CLOCK_NONE ? 0 : signals_set(clock->signal, handler_of(clock->kind), e);
    claims_use_timer(!rc && clock->kind == CLOCK_ITIMER);
    if (!rc && clock->kind == CLOCK_ITIMER)
        set_process_timer(clock->interval_ns);
    return rc;
}

void clock_set_interval(uint64_t interval_ns)
{
    in_use.interval_ns = interval_ns;
    atomic_store_explicit(&handler_config.interval_ns, interval_ns, memory_order_relaxed); /* relaxed: nothing else depends on it */
}

void clock_set_pace(uint64_t pace_ns)
{
    /* Relaxed, because no other memory depends on it. */
    if (atomic_exchange_explicit(&handler_config.pace_ns, pace_ns, memory_order_relaxed) != pace_ns && in_use.kind == CLOCK_ITIMER)
        set_process_timer(pace_ns);
}

/* Whether few descriptors are left. The program must not run out of descriptors because of the agent, so events do not use the last quarter
 * of its limit. */
static bool is_scarce(int fd)
{
    struct rlimit limit;
    return !getrlimit(RLIMIT_NOFILE, &limit) && (rlim_t)fd >= limit.rlim_cur - limit.rlim_cur / 4;
}

static int enable(struct sampled_thread *t)
{
    t->clock.cpu_at_setting = clock_thread_cpu(t->tid);
    return handler_config.stops_first ? ioctl(t->clock.fd, PERF_EVENT_IOC_REFRESH, 1) : ioctl(t->clock.fd, PERF_EVENT_IOC_ENABLE, 0);
}

static int arm_perf(struct sampled_thread *t)
{
    t->clock.blind_ns = handler_config.stops_first || handler_config.counts ? 0 : BLIND_NS;
    t->handler.period_ns += t->clock.blind_ns;
    t->clock.fd = open_event(&in_use, t->tid, t->handler.period_ns, thread_cookie(t));
    int rc = t->clock.fd;
    if (rc >= 0 && is_scarce(rc))
        rc = -EMFILE;
    if (rc >= 0)
        rc = in_use.kind == CLOCK_SIGNAL ? route_event_signal(t->clock.fd, t->tid, in_use.signal) : 0;
    if (rc >= 0 && enable(t) < 0)
        rc = -errno;
    if (rc < 0 && t->clock.fd >= 0) {
        close(t->clock.fd);
        t->clock.fd = -1;
    }
    return rc;
}

static int arm_timer(struct sampled_thread *t, int signal)
{
    struct itimerspec its;
    int rc = create_timer(t->tid, signal, thread_cookie(t), &t->clock.timer);
    if (rc)
        return rc;
    to_timespec(&its.it_value, t->handler.period_ns);
    to_timespec(&its.it_interval, t->handler.base_ns);
    t->clock.has_timer = true;
    t->clock.cpu_at_setting = clock_thread_cpu(t->tid);
    return syscall(SYS_timer_settime, t->clock.timer, 0, &its, NULL) ? -errno : 0;
}

/* Gives the thread a timer in place of an event. */
static int arm_timer_instead(struct sampled_thread *t)
{
    int signal = timer_signal ? timer_signal : signals_unused(in_use.signal);
    int rc = timer_signal ? 0 : is_unguarded(signal) ? -EBUSY : signals_set(signal, handler_on_thread_timer, NULL);
    if (rc)
        return rc;
    timer_signal = signal;
    t->handler.period_ns -= t->clock.blind_ns;
    t->clock.blind_ns = 0;
    return arm_timer(t, signal);
}

int clock_arm_exactly(struct sampled_thread *t)
{
    int rc = 0;
    t->clock.fd = -1;
    t->clock.has_timer = false;
    t->clock.cpu_at_setting = clock_thread_cpu(t->tid);
    t->clock.expiries_at_setting = counter_get(&t->counts.expiries);
    t->clock.perf_error = 0;
    t->handler.until_redraw = 1;
    t->handler.in_first_period = true;
    /* The first period is uniform in (0, interval], so that a thread that uses less than an interval is sampled in proportion to its
     * use. */
    t->handler.pace_ns = t->handler.base_ns = handler_pace(t);
    t->handler.period_ns = 1 + handler_random(&t->handler.random) % t->handler.base_ns;
    if (inject_lies(INJECT_LATE_FIRST))
        t->handler.period_ns = t->handler.base_ns;
    t->handler.next_weight_ns = t->handler.base_ns;
    t->handler.last_count = 0;
    if (clock_is_perf(&in_use))
        rc = arm_perf(t);
    else if (in_use.kind == CLOCK_TIMER)
        rc = arm_timer(t, in_use.signal);
    return rc;
}

int clock_arm(struct sampled_thread *t)
{
    int rc = clock_arm_exactly(t);
    /* No other clock counts events. */
    if (rc < 0 && rc != -ESRCH && in_use.kind != CLOCK_TIMER && !clock_counts(&in_use)) {
        t->clock.perf_error = rc;
        rc = arm_timer_instead(t);
    }
    return rc;
}

void clock_disarm(struct sampled_thread *t)
{
    rings_close(t);
    int fd = atomic_exchange(&t->clock.fd, -1);
    if (fd >= 0) {
        ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
        close(fd);
    }
    if (t->clock.has_timer) {
        syscall(SYS_timer_delete, t->clock.timer);
        t->clock.has_timer = false;
    }
}

/* Whether closing an event waits for the delivery of its signal, which lasts as long as the event's thread sleeps. Linux 6.11 to 6.14 do
 * this. */
static bool closing_waits(void)
{
    return is_since(6, 11) && !is_since(6, 15);
}

bool clock_may_be_drawn(void)
{
    return in_use.kind == CLOCK_SIGTRAP && in_use.kernel && !clock_counts(&in_use) && !closing_waits();
}

bool clock_may_be_taken(void)
{
    bool may_be_late = in_use.kind == CLOCK_SIGNAL; /* nothing in its signal shows that it is ours once the event is closed */
    return !clock_counts(&in_use) && !may_be_late && !(in_use.kind == CLOCK_SIGTRAP && closing_waits());
}

void clock_revive(const struct sampled_thread *t)
{
    uint64_t period = t->handler.base_ns;
    if (handler_config.stops_first && t->clock.fd >= 0 && !ioctl(t->clock.fd, PERF_EVENT_IOC_PERIOD, &period))
        ioctl(t->clock.fd, PERF_EVENT_IOC_ENABLE, 0);
}

int clock_mute(struct sampled_thread *t)
{
    int fd = t->clock.fd;
    uint64_t period = NEVER_NS;
    rings_close(t);
    if (fd >= 0 && !clock_counts(&in_use) && !ioctl(fd, PERF_EVENT_IOC_PERIOD, &period)) {
        t->clock.fd = -1;
        return fd;
    }
    clock_disarm(t);
    return -1;
}

uint64_t clock_event_count(int fd)
{
    uint64_t count;
    return read(fd, &count, sizeof count) == sizeof count ? count : 0;
}

uint64_t clock_count(const struct sampled_thread *t)
{
    return t->clock.fd >= 0 && !clock_counts(&in_use) ? clock_event_count(t->clock.fd) : 0;
}

struct event_reading clock_reading(const struct sampled_thread *t)
{
    struct event_reading r;
    bool known = t->clock.fd >= 0 && clock_counts(&in_use) && read(t->clock.fd, &r, sizeof r) == sizeof r;
    return known ? r : (struct event_reading){0};
}

void clock_want_kernel_stacks(struct sampled_thread *t)
{
    if (in_use.kernel_stacks)
        rings_open(t);
}

uintptr_t clock_taker(int *signal)
{
    *signal = in_use.signal;
    uintptr_t taker = in_use.signal ? signals_taker(in_use.signal) : 0;
    if (!taker && timer_signal) {
        *signal = timer_signal;
        taker = signals_taker(timer_signal);
    }
    return taker;
}

bool clock_timer_is_taken(void)
{
    return in_use.kind == CLOCK_ITIMER && atomic_load(&handler_config.timer_is_taken);
}

int clock_signal(const struct sampled_thread *t)
{
    return t->clock.perf_error ? timer_signal : in_use.signal;
}

void clock_mute_process(void)
{
    if (in_use.kind == CLOCK_ITIMER)
        set_process_timer(0);
}

bool clock_stop(void)
{
    clock_mute_process();
    claims_use_timer(false);
    in_use = (struct clock){.kind = CLOCK_AUTO};
    timer_signal = 0;
    return signals_restore();
}
