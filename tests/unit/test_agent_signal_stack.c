/* Some threads compute on stacks of one page, as goroutines and coroutines do, and have an alternate stack for signals. They are sampled
 * by every clock in recording after recording, and survive. Their alternate stacks are as large as Go's, as large as SIGSTKSZ once was,
 * and as small as the kernel allows; they must stay unchanged. The smallest has no room for a second trap, which must wait.
 * tier: default
 * timeout: 180
 * sanitize: no */
#include "../tap.h"
#include "session.h"

#include "agent/hot/layout.h"
#include "agent/hot/signal/handler.h"
#include "agent/trigger/signals/signals.h"
#include "agent/trigger/threads.h"
#include "profile/load/load_jfr.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { LEAST_BYTES = 2048 }; /* the kernel's MINSIGSTKSZ; the C library's macro gives more */
#else
enum { LEAST_BYTES = 5120 };
#endif
enum {
    MS = 1000000,
    PAGE = 4096,
    STEPS = 200000,
    RECORDINGS = 3,
    ROUNDS = 100,
    SAMPLES_LEAST = 8,
    FIRST_BYTES = 1024,
    CPU_MOST_MS = 20000
};

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

static volatile size_t frame_bytes; /* how much of a stack the kernel takes for a signal */

static void note_frame(int signal, siginfo_t *info, void *context)
{
    const stack_t *s = &((const ucontext_t *)context)->uc_stack;
    (void)signal, (void)info;
    frame_bytes = (size_t)((const char *)s->ss_sp + s->ss_size - (const char *)context);
}

/* AT_MINSIGSTKSZ may tell more than the kernel takes. */
static void measure_frame(void)
{
    static char stack[64 << 10];
    struct sigaction note = {.sa_sigaction = note_frame, .sa_flags = SA_ONSTACK | SA_SIGINFO}, before;
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    sigaction(SIGUSR1, &note, &before);
    raise(SIGUSR1);
    sigaction(SIGUSR1, &before, NULL);
    sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
}

/* The smallest has room for one frame and the handler's first functions. */
static size_t alternate_bytes(enum kind kind)
{
    size_t least = frame_bytes + FIRST_BYTES > LEAST_BYTES ? frame_bytes + FIRST_BYTES : LEAST_BYTES;
    size_t bytes[KINDS] = {32 << 10, 8 << 10, least, 32 << 10};
    return bytes[kind] < least ? least : bytes[kind];
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

/* The page below it is inaccessible. */
static stack_t make_alternate(enum kind kind)
{
    size_t bytes = alternate_bytes(kind), whole = (bytes + PAGE - 1) / PAGE * PAGE;
    char *alternate = mmap(NULL, PAGE + whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(alternate + PAGE, whole, PROT_READ | PROT_WRITE);
    return (stack_t){.ss_sp = alternate + PAGE, .ss_size = bytes};
}

/* The lowest page and the page after the coroutine's stack are inaccessible. */
static void begin(enum kind kind)
{
    struct worker *w = &workers[kind];
    char *stack = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(stack + PAGE, PAGE, PROT_READ | PROT_WRITE);
    w->page = stack + PAGE;
    w->alternate = make_alternate(kind);
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
static int record_often(int kind)
{
    struct sigaction own = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    bool good = true;
    alarm(150);
    vm_layout.usable = true; /* otherwise every stack counts as unreadable, because there is no JVM */
    sigaction(SIGUSR1, &own, NULL);
    for (int i = 0; i < KINDS; i++)
        begin((enum kind)i);
    for (int i = 0; i < RECORDINGS; i++)
        good = record((enum clock_kind)kind) && good;
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

static volatile sig_atomic_t traps;

static void count_trap(int signal)
{
    (void)signal;
    traps++;
}

/* Two traps wait, one for the thread and one for the process, whose only thread this is. The kernel delivers one after the other; without a
 * mask, the second would come at the first instruction of our handler. In a separate process, which the second trap would kill. */
static int take_two_traps(int rounds)
{
    struct sigaction own = {.sa_handler = count_trap, .sa_flags = SA_ONSTACK};
    stack_t alternate = make_alternate(SMALLEST);
    sigset_t trap;
    sigemptyset(&trap);
    sigaddset(&trap, SIGTRAP);
    if (sigaltstack(&alternate, NULL) || sigaction(SIGTRAP, &own, NULL) || signals_set(SIGTRAP, handler_on_sigtrap, &session_error))
        return 2;
    for (int i = 0; i < rounds; i++) {
        sigprocmask(SIG_BLOCK, &trap, NULL);
        syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGTRAP);
        kill(getpid(), SIGTRAP);
        sigprocmask(SIG_UNBLOCK, &trap, NULL);
    }
    return traps == 2 * rounds && 2 * frame_bytes > alternate.ss_size ? 0 : 1; /* two frames would not fit */
}

static int status_of_child(int (*work_of_child)(int), int argument)
{
    int status;
    fflush(stdout);
    pid_t pid = fork();
    if (!pid)
        _exit(work_of_child(argument));
    waitpid(pid, &status, 0);
    return status;
}

int main(void)
{
    snprintf(file, sizeof file, "/tmp/candor-signal-stack-%d.jfr", (int)getpid());
    measure_frame();
    int status = status_of_child(take_two_traps, ROUNDS);
    tap_ok(!status, "a second trap waits for the handler of the first, on the smallest alternate stack (status %x)", status);
    for (enum clock_kind kind = CLOCK_SIGTRAP; kind < CLOCK_KINDS; kind++) {
        struct clock c;
        if (clock_choose(&c, kind, MS, &session_error)) {
            tap_skip("%s: %s", clock_names[kind], session_error.text);
            continue;
        }
        status = status_of_child(record_often, (int)kind);
        if (tap_ok(!status, "%s: threads on stacks of a page are sampled in %d recordings, and live (status %x)", clock_names[kind],
                   RECORDINGS, status))
            judge(kind);
    }
    unlink(file);
    return tap_done();
}
