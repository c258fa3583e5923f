#include "doctor/clock/burst.h"

#include "base/libc.h"
#include "base/time_units.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { TIMES_MAX = 1024, ZEROES = 256 << 10 };

static volatile uint32_t count;
static volatile uint64_t times[TIMES_MAX];

static uint64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static void on_signal(int signal)
{
    if (count < TIMES_MAX)
        times[count] = cpu_ns();
    count++;
}

int burst_open_event(int signal, bool with_kernel)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof attr,
        .config = PERF_COUNT_SW_TASK_CLOCK,
        .sample_period = BURST_ASKED_US * 1000,
        .disabled = 1,
        .exclude_kernel = !with_kernel,
        .exclude_hv = 1,
        .wakeup_events = 1,
        .sigtrap = !signal,
        .remove_on_exec = !signal,
    };
    long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return -errno;
    struct f_owner_ex owner = {.type = F_OWNER_TID, .pid = (pid_t)syscall(SYS_gettid)};
    if (signal &&
        (fcntl((int)fd, F_SETOWN_EX, &owner) < 0 || fcntl((int)fd, F_SETSIG, signal) < 0 || fcntl((int)fd, F_SETFL, O_ASYNC) < 0)) {
        int code = -errno;
        close((int)fd);
        return code;
    }
    return (int)fd;
}

int burst_start_thread_timer(int signal)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = signal};
    struct itimerspec each = {{0, BURST_ASKED_US * 1000}, {0, BURST_ASKED_US * 1000}};
    timer_t timer;
    libc_notify_thread(&event, (int)syscall(SYS_gettid));
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) || timer_settime(timer, 0, &each, NULL))
        return -errno;
    return 0;
}

int burst_start_process_timer(void)
{
    struct itimerval each = {{0, BURST_ASKED_US}, {0, BURST_ASKED_US}};
    return setitimer(ITIMER_PROF, &each, NULL) ? -errno : 0;
}

static void use_user_time(void)
{
    for (volatile int i = 0; i < 10000; i++)
        continue;
}

static void use_kernel_time(int zeroes, char *buffer)
{
    if (read(zeroes, buffer, ZEROES) < 0)
        use_user_time();
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t median_gap(uint32_t n)
{
    static uint64_t gaps[TIMES_MAX];
    if (n < BURST_ENOUGH)
        return 0;
    for (uint32_t i = 1; i < n; i++)
        gaps[i - 1] = times[i] - times[i - 1];
    qsort(gaps, n - 1, sizeof *gaps, ascending);
    return gaps[(n - 1) / 2];
}

static bool goes_on(uint64_t used_ns, bool in_kernel)
{
    return used_ns < BURST_CPU_MS * NS_PER_MS || (!in_kernel && count < BURST_ENOUGH && used_ns < BURST_PATIENCE_MS * NS_PER_MS);
}

void burst_run(int signal, int event, bool in_kernel, struct burst *out)
{
    static char buffer[ZEROES];
    struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    int zeroes = in_kernel ? open("/dev/zero", O_RDONLY | O_CLOEXEC) : -1;
    sigaction(signal, &sa, NULL);
    count = 0;
    if (event >= 0)
        ioctl(event, PERF_EVENT_IOC_ENABLE, 0);
    for (uint64_t begin = cpu_ns(); goes_on(cpu_ns() - begin, in_kernel);)
        if (in_kernel)
            use_kernel_time(zeroes, buffer);
        else
            use_user_time();
    if (event >= 0)
        ioctl(event, PERF_EVENT_IOC_DISABLE, 0);
    if (zeroes >= 0)
        close(zeroes);
    out->count = count;
    out->median_ns = median_gap(count < TIMES_MAX ? count : TIMES_MAX);
}
