/* Some threads compute on stacks of one page, as goroutines and coroutines do, and have an alternate stack for signals. They are sampled
 * by every clock in recording after recording, and survive. Their alternate stacks are as large as Go's, as large as SIGSTKSZ once was,
 * and as small as the kernel allows; they must stay unchanged.
 * tier: default
 * timeout: 180
 * sanitize: no */
#include "../tap.h"
#include "session.h"

#include "agent/hot/layout.h"
#include "agent/trigger/threads.h"
#include "profile/load/load_jfr.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

enum { MS = 1000000, PAGE = 4096, STEPS = 200000, RECORDINGS = 3, SAMPLES_LEAST = 8, LEAST_BYTES = 2048, CPU_MOST_MS = 20000 };

static char file[64];

/* Code without call frame information, and a frame pointer that leads to unreadable memory: the load of the walk faults. */
void burn_astray(uintptr_t frame_pointer, long steps);
#if defined(__x86_64__)
__asm__(".pushsection .text\n"
        ".globl burn_astray\n"
        ".type burn_astray, @function\n"
        "burn_astray:\n"
        "pushq %rbp\n"
        "movq %rdi, %rbp\n"
        "1: decq %rsi\n"
        "jnz 1b\n"
        "popq %rbp\n"
        "retq\n"
        ".size burn_astray, . - burn_astray\n"
        ".popsection\n");
#else
void burn_astray(uintptr_t frame_pointer, long steps)
{
    (void)frame_pointer;
    while (steps--)
        __asm__ volatile("");
}
#endif

enum kind { AS_GO, AS_SIGSTKSZ, SMALLEST, IN_HANDLER, KINDS };
static const char *const names[KINDS] = {"32 KiB", "8 KiB", "the least", "32 KiB, in a handler of its own"};

static struct worker {
    pthread_t thread;
    _Atomic int tid;
    stack_t alternate;
    char *page; /* the stack on which it computes; the memory below it, and above the page above it, cannot be accessed */
    ucontext_t home, coroutine;
    _Atomic bool is_changed; /* an alternate stack other than the one it had set */
    _Atomic uint64_t cpu;
} workers[KINDS];

static _Atomic bool stop;

static size_t alternate_bytes(enum kind kind)
{
    size_t told = getauxval(AT_MINSIGSTKSZ), least = told > LEAST_BYTES ? told : LEAST_BYTES; /* the C library's macros give more */
    size_t bytes[KINDS] = {32 << 10, 8 << 10, least + 1024, 32 << 10};
    return bytes[kind] < least ? least + 1024 : bytes[kind];
}

static void compute(struct worker *w)
{
    stack_t now;
    for (volatile int i = 0; i < STEPS; i++)
        ;
    burn_astray((uintptr_t)w->page + PAGE + 64, STEPS); /* out of bounds */
    syscall(SYS_sigaltstack, NULL, &now);
    if (now.ss_sp != w->alternate.ss_sp || now.ss_size != w->alternate.ss_size)
        atomic_store(&w->is_changed, true);
    atomic_store(&w->cpu, own_cpu());
}

static void on_coroutine(int kind)
{
    while (!atomic_load(&stop))
        if (kind == IN_HANDLER)
            raise(SIGUSR1);
        else
            compute(&workers[kind]);
}

static void handle(int signal)
{
    (void)signal;
    compute(&workers[IN_HANDLER]);
}

static void *work(void *argument)
{
    struct worker *w = argument;
    sigaltstack(&w->alternate, NULL);
    atomic_store(&w->tid, (int)syscall(SYS_gettid));
    swapcontext(&w->home, &w->coroutine);
    sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    return NULL;
}

/* The lowest page and the page after the coroutine's stack are inaccessible. Alternate stacks have such a page below, too. */
static void begin(enum kind kind)
{
    struct worker *w = &workers[kind];
    size_t bytes = alternate_bytes(kind), whole = (bytes + PAGE - 1) / PAGE * PAGE;
    char *stack = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *alternate = mmap(NULL, PAGE + whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(stack + PAGE, PAGE, PROT_READ | PROT_WRITE);
    mprotect(alternate + PAGE, whole, PROT_READ | PROT_WRITE);
    w->page = stack + PAGE;
    w->alternate = (stack_t){.ss_sp = alternate + PAGE, .ss_size = bytes};
    getcontext(&w->coroutine);
    w->coroutine.uc_stack = (stack_t){.ss_sp = w->page, .ss_size = PAGE};
    w->coroutine.uc_link = &w->home;
    makecontext(&w->coroutine, (void (*)(void))on_coroutine, 1, (int)kind);
    pthread_create(&w->thread, NULL, work, w);
    while (!atomic_load(&w->tid))
        sched_yield();
}

static uint64_t samples_of(const struct worker *w)
{
    uint32_t slot = atomic_load(&thread_slot_of_tid[w->tid]);
    return slot ? counter_get(&sampled_threads[slot - 1].counts.samples) : 0;
}

static bool record(enum clock_kind kind)
{
    struct timespec pause = {.tv_nsec = 10 * MS};
    bool all = false, late = false;
    uint64_t begun[KINDS];
    if (!session_start(file, kind, MS))
        return false;
    for (int i = 0; i < KINDS; i++)
        begun[i] = atomic_load(&workers[i].cpu);
    while (!all && !late) {
        nanosleep(&pause, NULL);
        collect_tick();
        all = true;
        for (int i = 0; i < KINDS; i++) {
            all = all && samples_of(&workers[i]) >= SAMPLES_LEAST;
            late = late || atomic_load(&workers[i].cpu) > begun[i] + (uint64_t)CPU_MOST_MS * MS;
        }
    }
    for (int i = 0; i < KINDS && !all; i++)
        tap_note("%s: %llu samples", names[i], (unsigned long long)samples_of(&workers[i]));
    return session_stop() && all;
}

/* In a separate process, which a handler without room would kill. */
static int record_often(enum clock_kind kind)
{
    struct sigaction own = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    bool good = true;
    alarm(60);
    vm_layout.usable = true; /* otherwise every stack counts as unreadable, because there is no JVM */
    sigaction(SIGUSR1, &own, NULL);
    for (int i = 0; i < KINDS; i++)
        begin((enum kind)i);
    for (int i = 0; i < RECORDINGS; i++)
        good = record(kind) && good;
    atomic_store(&stop, true);
    for (int i = 0; i < KINDS; i++) {
        pthread_join(workers[i].thread, NULL);
        good = good && !workers[i].is_changed;
    }
    return good ? 0 : 1;
}

static bool holds(const struct profile *p, uint32_t stack, const char *function)
{
    for (uint32_t node = stack; node; node = p->nodes[node].parent)
        if (strstr(profile_text(p, p->frames[p->nodes[node].frame].label), function))
            return true;
    return false;
}

/* Results of the last recording. A walk from `compute` reaches its caller, also if that is a handler that interrupted. One of seven
 * samples of a thread is in code without call frame information; the chance that all of them are is one in a million. */
static void judge(enum clock_kind kind)
{
    struct profile p;
    uint32_t walked = 0;
    bool seen[1 << 10] = {false};
    profile_init(&p);
    bool good = !profile_load_jfr(&p, file, &session_error);
    for (uint32_t i = 0; good && i < p.sample_count; i++)
        if (p.samples[i].thread < sizeof seen && holds(&p, p.samples[i].stack, "on_coroutine")) {
            walked += !seen[p.samples[i].thread];
            seen[p.samples[i].thread] = true;
        }
    tap_ok(walked == KINDS, "%s: their stacks are walked (of %u of %d)", clock_names[kind], walked, KINDS);
    profile_deinit(&p);
}

int main(void)
{
    snprintf(file, sizeof file, "/tmp/candor-signal-stack-%d.jfr", (int)getpid());
    for (enum clock_kind kind = CLOCK_SIGTRAP; kind < CLOCK_KINDS; kind++) {
        struct clock c;
        int status;
        if (clock_choose(&c, kind, MS, &session_error)) {
            tap_skip("%s: %s", clock_names[kind], session_error.text);
            continue;
        }
        fflush(stdout);
        pid_t pid = fork();
        if (!pid)
            _exit(record_often(kind));
        waitpid(pid, &status, 0);
        if (tap_ok(!status, "%s: threads on stacks of a page are sampled in %d recordings, and live (status %x)", clock_names[kind],
                   RECORDINGS, status))
            judge(kind);
    }
    unlink(file);
    return tap_done();
}
