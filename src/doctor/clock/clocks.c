#include "doctor/clock/clocks.h"

#include "base/text/units.h"
#include "doctor/clock/burst.h"
#include "doctor/clock/counters.h"
#include "doctor/clock/stacks.h"
#include "doctor/machine/kernel.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUND_NS = 10000 };

/* Indexed by kind. The signals are those of the agent, with one exception: the agent looks for an unused signal, and this check uses
 * SIGURG, which is ignored by default. */
static const char *const rows[CLOCKS_KINDS] = {"clock sigtrap", "clock signal", "clock timer", "clock itimer"};
static const char *const names[CLOCKS_KINDS] = {"sigtrap", "signal", "timer", "itimer"};
static const int signals[CLOCKS_KINDS] = {SIGTRAP, SIGURG, SIGURG, SIGPROF};

static bool is_perf(enum clocks_kind kind)
{
    return kind == CLOCKS_SIGTRAP || kind == CLOCKS_SIGNAL;
}

/* Opens the event with kernel mode if that is allowed, else without, as the agent does. */
static int open_perf(struct clocks_try *t)
{
    int signal = t->kind == CLOCKS_SIGNAL ? signals[t->kind] : 0;
    int fd = burst_open_event(signal, true);
    t->with_kernel = fd >= 0;
    return fd == -EACCES || fd == -EPERM ? burst_open_event(signal, false) : fd;
}

static void run_perf(struct clocks_try *t)
{
    struct burst burst;
    int fd = open_perf(t);
    t->error = fd < 0 ? -fd : 0;
    if (fd < 0)
        return;
    burst_run(signals[t->kind], fd, false, &burst);
    t->count = burst.count;
    t->median_ns = burst.median_ns;
    if (!t->try_kernel)
        return;
    burst_run(signals[t->kind], fd, true, &burst);
    t->kernel_due = BURST_CPU_MS * 1000 / BURST_ASKED_US;
    t->kernel_count = burst.count;
}

static void run_timer(struct clocks_try *t)
{
    struct burst burst;
    signal(signals[t->kind], SIG_IGN); /* for an expiry that comes before the burst has set its handler */
    t->error = -(t->kind == CLOCKS_TIMER ? burst_start_thread_timer(signals[t->kind]) : burst_start_process_timer());
    if (t->error)
        return;
    burst_run(signals[t->kind], -1, false, &burst);
    t->count = burst.count;
    t->median_ns = burst.median_ns;
}

static void run_try(void *result)
{
    struct clocks_try *t = result;
    if (is_perf(t->kind))
        run_perf(t);
    else
        run_timer(t);
}

/* Makes a call with flags that do not exist. The kernel answers EINVAL before it checks anything else. */
static void run_nonsense(void *result)
{
    struct perf_event_attr attr = {.size = sizeof attr};
    *(int *)result = syscall(SYS_perf_event_open, &attr, 0, -1, -1, ~0ul) < 0 ? errno : 0;
}

static bool was_sigsys(int status)
{
    return status >= 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS;
}

/* Whether the delivery of SIGTRAP works. The agent has the same test (trigger/clocks/clock.c). */
static bool is_sound(int kernel_major, int kernel_minor)
{
    return kernel_is_at_least(kernel_major, kernel_minor, 6, 1);
}

void clocks_measure(enum clocks_kind kind, bool try_kernel, const struct identity *who, struct clocks_try *t)
{
    int major, minor;
    kernel_version(&major, &minor);
    if (kind == CLOCKS_SIGTRAP && !is_sound(major, minor)) {
        *t = (struct clocks_try){.kind = kind, .error = EOPNOTSUPP, .nonsense_error = EINVAL};
        return;
    }
    *t = (struct clocks_try){.kind = kind, .try_kernel = try_kernel, .error = EINTR};
    int status = identity_try(who, run_try, t, sizeof *t);
    t->killed = was_sigsys(status);
    if (status < 0)
        t->error = -status;
    if (t->error && is_perf(kind))
        t->nonsense_error = was_sigsys(identity_try(who, run_nonsense, &t->nonsense_error, sizeof(int))) ? -1 : t->nonsense_error;
}

enum clocks_refusal clocks_judge(const struct clocks_try *t, const struct clocks_facts *facts)
{
    bool perf = is_perf(t->kind);
    bool before_kernel = t->killed || (perf ? t->nonsense_error != EINVAL : t->error == EPERM || t->error == ENOSYS);
    if (t->error == EMFILE || t->error == ENFILE || t->error == EAGAIN || t->error == ENOMEM)
        return CLOCKS_NO_ROOM;
    if (before_kernel && facts->filter)
        return CLOCKS_BY_FILTER;
    if (perf && t->nonsense_error == ENOSYS)
        return CLOCKS_NO_PERF;
    if (t->kind == CLOCKS_SIGTRAP && !is_sound(facts->kernel_major, facts->kernel_minor))
        return CLOCKS_BY_AGE;
    if (perf && facts->paranoid > 2 && !facts->perfmon)
        return CLOCKS_BY_PARANOID;
    return CLOCKS_BY_MODULE;
}

static void explain(struct checkup *f, const struct clocks_try *t, const struct clocks_facts *facts)
{
    switch (clocks_judge(t, facts)) {
    case CLOCKS_BY_FILTER:
        checkup_meaning(f, "a seccomp filter refuses the system call, as the default filters of containers do");
        checkup_remedy(f, is_perf(t->kind) ? "grant the container CAP_PERFMON, or allow perf_event_open in its seccomp profile"
                                           : "allow timer_create and setitimer in the seccomp profile");
        break;
    case CLOCKS_BY_PARANOID:
        checkup_meaning(f, "perf_event_paranoid is %d, and above 2 this kernel lets no ordinary user open perf events", facts->paranoid);
        checkup_remedy(f, "sysctl kernel.perf_event_paranoid=2 (1 shows kernel time too), or grant CAP_PERFMON");
        break;
    case CLOCKS_BY_AGE:
        checkup_meaning(f, "before Linux 6.1 the signal may be lost, or kill a process that blocks it; this is Linux %d.%d",
                        facts->kernel_major, facts->kernel_minor);
        checkup_remedy(f, "use a newer kernel; until then the clock 'signal' does the same at a higher cost");
        break;
    case CLOCKS_NO_PERF:
        checkup_meaning(f, "this kernel has no perf events");
        checkup_remedy(f, "use a kernel with CONFIG_PERF_EVENTS");
        break;
    case CLOCKS_NO_ROOM:
        checkup_meaning(f, "a limit of this user or of the machine is exhausted");
        checkup_remedy(f, "raise RLIMIT_NOFILE (ulimit -n) and RLIMIT_SIGPENDING (ulimit -i)");
        break;
    case CLOCKS_BY_MODULE:
        checkup_meaning(f, "neither the kernel's settings nor a seccomp filter explain it");
        checkup_remedy(f, "look for a security module (SELinux, AppArmor), or for a sandbox that takes the place of the kernel (gVisor)");
        break;
    }
}

static void add_refused(struct checkup *f, const struct clocks_try *t, const struct clocks_facts *facts)
{
    if (t->killed)
        checkup_add(f, CHECK_WARNING, rows[t->kind], "refused with SIGSYS, which kills the process");
    else
        checkup_add(f, CHECK_WARNING, rows[t->kind], "refused: %s", strerror(t->error));
    explain(f, t, facts);
}

/* Whether the time is the tick of a kernel with HZ of 100, 250, 300 or 500, within 5 %. */
static bool is_tick(uint64_t ns)
{
    static const uint64_t ticks[] = {10000000, 4000000, 3333333, 2000000};
    for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++)
        if (ns > ticks[i] - ticks[i] / 20 && ns < ticks[i] + ticks[i] / 20)
            return true;
    return false;
}

void clocks_add_measured(struct checkup *f, const struct clocks_try *t)
{
    char got[32];
    uint64_t asked = BURST_ASKED_US * 1000;
    if (!t->median_ns) {
        checkup_add(f, CHECK_WARNING, rows[t->kind], "requested every 1 ms, got %u signals in %d ms", t->count, BURST_PATIENCE_MS);
        checkup_meaning(f, "the clock can be started, but it does not fire");
        return;
    }
    checkup_add(f, CHECK_OK, rows[t->kind], "requested every 1 ms, got every %s (median of %u)",
                units_format_duration(got, sizeof got, (t->median_ns + ROUND_NS / 2) / ROUND_NS * ROUND_NS), t->count - 1);
    if (t->median_ns <= asked + asked / 4)
        return;
    if (!is_perf(t->kind) && is_tick(t->median_ns))
        checkup_meaning(f, "fires at the scheduler's ticks, so samples cannot be closer together");
    else
        checkup_meaning(f, "later than requested: this machine is busy, or its interrupts come late, as in a virtual machine");
}

static bool works(const struct clocks_try *t)
{
    return !t->error && t->median_ns;
}

void clocks_add_kernel_mode(struct checkup *f, const struct clocks_try *best)
{
    uint32_t came = best->kernel_count < best->kernel_due ? best->kernel_count : best->kernel_due;
    bool seen = came > best->kernel_due / 2;
    checkup_add(f, seen ? CHECK_OK : CHECK_WARNING, "kernel mode", "%u of the %u expected samples came", came, best->kernel_due);
    if (seen)
        return;
    checkup_meaning(f, "the books count kernel time as unseen, without stacks");
    if (best->with_kernel && came > best->kernel_due / 10)
        checkup_remedy(f,
                       "allowed, but some samples did not come: the machine may be too busy for this test; run it again when it is idle");
    else if (best->with_kernel)
        checkup_remedy(f, "allowed, but no samples came: this kernel or hypervisor does not interrupt its own code");
    else
        checkup_remedy(f, "sysctl kernel.perf_event_paranoid=1, or grant CAP_PERFMON");
}

static void check_choice(struct checkup *f, const struct clocks_try *tries, const struct identity *who)
{
    int best = 0;
    while (best < CLOCKS_KINDS && !works(&tries[best]))
        best++;
    if (best == CLOCKS_KINDS) {
        checkup_add(f, CHECK_PROBLEM, "clock", "none works");
        checkup_meaning(f, "nothing can be sampled");
        checkup_remedy(f, "see the clocks above");
        return;
    }
    if (is_perf((enum clocks_kind)best))
        clocks_add_kernel_mode(f, &tries[best]);
    if (best == CLOCKS_SIGTRAP && tries[best].with_kernel)
        stacks_check(f, who);
    if (is_perf((enum clocks_kind)best))
        counters_check(f, who);
    checkup_add(f, is_perf((enum clocks_kind)best) ? CHECK_OK : CHECK_WARNING, "clock", "recordings use %s", names[best]);
    if (!is_perf((enum clocks_kind)best)) {
        checkup_meaning(f, "samples come at the scheduler's ticks: they are fewer, each stands for more time, and they miss work that runs "
                           "in step with the ticks");
        checkup_remedy(f, "make perf events possible: see the clocks above");
    }
}

void clocks_check(struct checkup *f, const struct identity *who)
{
    struct clocks_try tries[CLOCKS_KINDS];
    struct identity own;
    struct clocks_facts facts = {.perfmon = identity_has_perfmon(who)};
    kernel_version(&facts.kernel_major, &facts.kernel_minor);
    facts.paranoid = kernel_perf_paranoid();
    facts.filter = !identity_read(0, &own) && own.seccomp == 2;
    for (int kind = 0; kind < CLOCKS_KINDS; kind++) {
        bool best_perf = kind == CLOCKS_SIGTRAP || (kind == CLOCKS_SIGNAL && !works(&tries[CLOCKS_SIGTRAP]));
        clocks_measure((enum clocks_kind)kind, best_perf, who, &tries[kind]);
        if (tries[kind].error)
            add_refused(f, &tries[kind], &facts);
        else
            clocks_add_measured(f, &tries[kind]);
    }
    check_choice(f, tries, who);
}
