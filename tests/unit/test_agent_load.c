/* Guarded loads, and the fault handler for them.
 * tier: quick
 * timeout: 60
 * aarch64: yes */
#include "../tap.h"

#include "agent/hot/fault/fault.h"
#include "agent/hot/load.h"
#include "agent/hot/signal/handler.h"
#include "agent/hot/unwind/frame.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t page;
static char *pages; /* one readable page, then a page that does not exist */
static char *closed;

static void make_pages(void)
{
    page = (size_t)sysconf(_SC_PAGESIZE);
    pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(pages, 0xab, page);
    munmap(pages + page, page);
    closed = mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static int loads_at(uintptr_t at)
{
    uint64_t d;
    uint32_t w;
    uint16_t h;
    uint8_t b;
    return load_u64(at, &d) + load_u32(at, &w) + load_u16(at, &h) + load_u8(at, &b);
}

static void test_values(void)
{
    static const uint8_t bytes[16] = {0xf8, 0xff, 0xff, 0xff, 1, 2, 3, 4, 0x80, 0xfe};
    uintptr_t at = (uintptr_t)bytes;
    uint64_t d = 0, v;
    uint32_t w = 0;
    uint16_t h = 0;
    uint8_t b = 0;
    int64_t s;
    tap_ok(load_u64(at, &d) && d == 0x04030201fffffff8u && load_u32(at, &w) && w == 0xfffffff8u && load_u16(at, &h) && h == 0xfff8 &&
               load_u8(at, &b) && b == 0xf8,
           "each width reads what is there");
    tap_ok(load_field(at, (struct vm_field){4, 4}, &v) && v == 0x04030201 && load_field(at, (struct vm_field){9, 1}, &v) && v == 0xfe &&
               load_field(at, (struct vm_field){8, 2}, &v) && v == 0xfe80,
           "fields, zero-extended");
    tap_ok(load_signed(at, (struct vm_field){0, 4}, &s) && s == -8 && load_signed(at, (struct vm_field){0, 2}, &s) && s == -8 &&
               load_signed(at, (struct vm_field){4, 1}, &s) && s == 1 && load_signed(at, (struct vm_field){0, 8}, &s) &&
               s == 0x04030201fffffff8,
           "signed fields");
    tap_ok(!load_field(at, (struct vm_field){0, 0}, &v), "a field this JVM has not");
}

static void test_faults(void)
{
    char name[] = "/tmp/candor-load-XXXXXX";
    int fd = mkstemp(name);
    unlink(name);
    char *beyond_file = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0);
    uint64_t v = 1;
    tap_ok(loads_at((uintptr_t)pages) == 4, "a readable page");
    tap_ok(loads_at((uintptr_t)pages + page) == 0, "an unmapped page");
    tap_ok(loads_at((uintptr_t)closed) == 0, "a page without permission");
    tap_ok(loads_at((uintptr_t)beyond_file) == 0, "a file that is shorter (SIGBUS)");
    tap_ok(loads_at(0) == 0 && loads_at(8) == 0, "the zero page");
    tap_ok(loads_at(0x8000000000000000u) == 0 && loads_at(0xdeadbeefdeadbeefu) == 0, "addresses that cannot be");
    tap_ok(loads_at(UINTPTR_MAX) == 0 && loads_at(UINTPTR_MAX - 3) == 0, "the end of the address space");
    uintptr_t end = (uintptr_t)pages + page;
    tap_ok(load_u64(end - 8, &v) && !load_u64(end - 7, &v) && !load_u64(end - 1, &v), "the end of a page");
    tap_ok(loads_at(end - 1) == 1 && loads_at(end - 2) == 2 && loads_at(end - 4) == 3, "as far as each width reaches");
    for (int i = 0; i < 100000; i++)
        v += loads_at((uintptr_t)pages + page);
    tap_ok(v < 1000 || v, "four hundred thousand faults");
    close(fd);
    munmap(beyond_file, page);
}

static sigjmp_buf back;
static volatile sig_atomic_t reached;
static void *volatile reached_address;
static volatile uintptr_t reached_pc;

static void jump_back(int signal, siginfo_t *info, void *context)
{
    reached = signal;
    reached_address = info->si_addr;
    reached_pc = *frame_resume_at(context);
    siglongjmp(back, 1);
}

static void set(int signal, void (*handler)(int, siginfo_t *, void *), int flags)
{
    struct sigaction sa = {.sa_flags = SA_SIGINFO | flags, .sa_sigaction = handler};
    sigaddset(&sa.sa_mask, SIGUSR1);
    sigaction(signal, &sa, NULL);
}

static bool touch(volatile char *at)
{
    reached = 0;
    if (!sigsetjmp(back, 1))
        (void)*at;
    return reached == SIGSEGV && reached_address == (void *)at;
}

static void test_other_faults(void)
{
    tap_ok(touch(closed), "a fault of the program's own reaches the handler that was there before");
    tap_ok(touch(closed), "again");
    tap_ok(loads_at((uintptr_t)closed) == 0, "and ours still work");
}

/* A clock's trap that is pending, blocked, for this thread. */
static void queue_trap(void)
{
    siginfo_t info = {.si_signo = SIGTRAP, .si_code = 6 /* TRAP_PERF */};
    syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), SIGTRAP, &info);
}

/* The kernel delivers the blocked trap before the fault. */
static void test_trap_that_waits(void)
{
    struct sigaction trap = {.sa_flags = SA_SIGINFO, .sa_sigaction = handler_on_sigtrap}, before;
    sigset_t traps, old;
    int loads = 0, touched = 0;
    sigemptyset(&traps);
    sigaddset(&traps, SIGTRAP);
    sigaction(SIGTRAP, &trap, &before);
    pthread_sigmask(SIG_BLOCK, &traps, &old);
    for (int i = 0; i < 1000; i++) {
        uint64_t v;
        queue_trap();
        loads += load_u64((uintptr_t)closed, &v);
        queue_trap();
        touched += touch(closed) && reached_pc != (uintptr_t)handler_on_sigtrap;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    sigaction(SIGTRAP, &before, NULL);
    tap_ok(!loads && touched == 1000, "a trap that waits for the thread: our faults are ours, others' reach them where they were");
}

/* The child's own fault must kill it as it would without us. */
static int death_of_child(bool ignored)
{
    pid_t pid = fork();
    if (!pid) {
        signal(SIGSEGV, ignored ? SIG_IGN : SIG_DFL);
        fault_install();
        if (loads_at((uintptr_t)closed))
            _exit(1);
        (void)*(volatile char *)closed;
        _exit(2);
    }
    int status;
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

static void passing_on(int signal, siginfo_t *info, void *context);
static struct sigaction behind;
static int passed_on;

static void passing_on(int signal, siginfo_t *info, void *context)
{
    passed_on++;
    behind.sa_sigaction(signal, info, context);
}

static bool is_in_front(void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction now;
    return !sigaction(SIGSEGV, NULL, &now) && now.sa_sigaction == handler;
}

/* Like a runtime that treats faults of its own threads as faults of the program. */
static void test_stepping_in_front(void)
{
    struct sigaction front = {.sa_flags = SA_SIGINFO, .sa_sigaction = passing_on}, first = behind;
    passed_on = 0;
    tap_ok(!fault_install() && !is_in_front(passing_on), "it steps in front of it");
    tap_ok(loads_at((uintptr_t)closed) == 0 && !passed_on, "a load that faults does not come to the other");
    tap_ok(touch(closed) && passed_on == 1, "a fault of the program's does, and to the first handler through it");
    sigaction(SIGSEGV, &front, &behind);
    tap_ok(touch(closed), "where the other steps in front again, a fault comes to the first handler still");
    tap_ok(!fault_install() && is_in_front(passing_on), "nor do we step in front of it for ever");
    sigaction(SIGSEGV, &behind, NULL);
    behind = first;
    tap_ok(!fault_remove() && is_in_front(passing_on), "the other is in front again when ours has gone");
    signal(SIGSEGV, SIG_DFL);
    tap_ok(!fault_install() && is_in_front(NULL), "nor is it put in front of nobody");
}

static void test_removal(void)
{
    struct sigaction before[2], now;
    static const int signals[2] = {SIGSEGV, SIGBUS};
    set(SIGSEGV, jump_back, SA_NODEFER);
    set(SIGBUS, jump_back, SA_RESTART);
    for (int i = 0; i < 2; i++)
        sigaction(signals[i], NULL, &before[i]);
    tap_ok(!fault_install() && !fault_install(), "installing twice is as good as once");
    sigaction(SIGSEGV, NULL, &now);
    tap_ok(now.sa_flags & SA_NODEFER && now.sa_flags & SA_ONSTACK && sigismember(&now.sa_mask, SIGUSR1),
           "flags and mask of the former handler stay");
    test_faults();
    test_other_faults();
    test_trap_that_waits();

    struct sigaction front = {.sa_flags = SA_SIGINFO, .sa_sigaction = passing_on};
    sigaction(SIGSEGV, &front, &behind);
    tap_ok(!fault_remove(), "with another handler in front ours stays");
    tap_ok(loads_at((uintptr_t)closed) == 0 && touch(closed), "and is reached through it");
    test_stepping_in_front();
    sigaction(SIGSEGV, &before[0], NULL);
    tap_ok(!fault_install() && loads_at((uintptr_t)closed) == 0, "where the former handler has been put back, ours comes again");
    sigaction(SIGSEGV, &behind, NULL);
    tap_ok(fault_remove() && fault_remove(), "without it ours goes");
    for (int i = 0; i < 2; i++) {
        sigaction(signals[i], NULL, &now);
        tap_ok(now.sa_sigaction == before[i].sa_sigaction && now.sa_flags == before[i].sa_flags &&
                   !memcmp(&now.sa_mask, &before[i].sa_mask, 8 /* the kernel's part */),
               "signal %d is as it was", signals[i]);
    }
    tap_ok(touch(closed), "and works as before");
}

int main(void)
{
    make_pages();
    test_values();
    tap_ok(death_of_child(false) == SIGSEGV, "the default action kills");
    tap_ok(death_of_child(true) == SIGSEGV, "and so does an ignored fault, as the kernel has it");
    test_removal();
    return tap_done();
}
