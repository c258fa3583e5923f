/* The native unwinder compared with libgcc's, at random points of programs that use the C library; and call frame information that is
 * written by hand, damaged, or removed.
 * tier: quick
 * timeout: 120
 * aarch64: yes */
#include "../tap.h"
#include "fake_cfi.h"

#include "agent/hot/fault/fault.h"
#include "agent/hot/unwind/cfi.h"
#include "agent/hot/unwind/module.h"
#include "agent/hot/unwind/unwind.h"
#include "agent/symbolize/modules.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

enum { DEPTH_MAX = 64, POINTS = 3000, PERIOD_NS = 200000 };

/* ---- against libgcc ---- */

struct trace {
    uintptr_t pcs[DEPTH_MAX];
    int depth;
    int described; /* the frames down to the first without call frame information, where libgcc ends */
};

static struct counts {
    int points, same, open, different;
    struct trace ours, theirs; /* details of the last point that differed */
} counts;

/* UNWIND_END, or the reason why the walk did not get there. The linker's stubs have no call frame information on AArch64, nor has the vdso
 * of some kernels. */
static enum unwind_step walk(const void *context, struct trace *t)
{
    enum unwind_step step = UNWIND_INTERRUPTED;
    struct registers at;
    bool is_described = true;
    *t = (struct trace){0};
    if (!frame_registers(&at, (uintptr_t)context))
        return UNWIND_UNKNOWN;
    struct frame f = {at.pc, at.sp, at.fp};
    while (t->depth < DEPTH_MAX && step <= UNWIND_INTERRUPTED) {
        bool leaf = step == UNWIND_INTERRUPTED;
        t->pcs[t->depth++] = f.pc;
        t->described += is_described;
        step = unwind_step(&f, &at, leaf);
        if (step == UNWIND_UNKNOWN && frame_undescribed_caller(&f, leaf ? &at : NULL)) {
            step = UNWIND_CALLER;
            is_described = false;
        }
    }
    return step;
}

static _Unwind_Reason_Code note_frame(struct _Unwind_Context *context, void *out)
{
    struct trace *t = out;
    uintptr_t pc = _Unwind_GetIP(context);
    if (pc && t->depth < DEPTH_MAX)
        t->pcs[t->depth++] = pc;
    return _URC_NO_REASON;
}

/* libgcc begins in the handler; the interrupted function begins at the frame whose pc is that of the context. */
static void drop_handler(struct trace *t, uintptr_t pc)
{
    int from = 0;
    while (from < t->depth && t->pcs[from] != pc)
        from++;
    t->depth -= from;
    memmove(t->pcs, t->pcs + from, (size_t)t->depth * sizeof *t->pcs);
}

static void compare(int signal, siginfo_t *info, void *context)
{
    int saved = errno;
    struct trace ours, theirs = {0};
    enum unwind_step end = walk(context, &ours);
    _Unwind_Backtrace(note_frame, &theirs);
    drop_handler(&theirs, ours.pcs[0]);
    counts.points++;
    if (ours.described != theirs.depth || memcmp(ours.pcs, theirs.pcs, (size_t)theirs.depth * sizeof *ours.pcs)) {
        counts.different++;
        counts.ours = ours;
        counts.theirs = theirs;
    } else if (end == UNWIND_END)
        counts.same++;
    else
        counts.open++;
    errno = saved;
}

static timer_t start_timer(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec period = {.it_interval.tv_nsec = PERIOD_NS, .it_value.tv_nsec = PERIOD_NS};
    struct sigaction action = {.sa_sigaction = compare, .sa_flags = SA_SIGINFO | SA_RESTART};
    timer_t timer;
    sigaction(SIGUSR1, &action, NULL);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &period, NULL);
    return timer;
}

static void print_trace(const char *who, const struct trace *t)
{
    for (int i = 0; i < t->depth; i++) {
        Dl_info info = {0};
        dladdr((void *)t->pcs[i], &info);
        const char *slash = info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
        tap_note("%s %2d %#lx %s %s", who, i, (unsigned long)t->pcs[i], slash ? slash + 1 : "?", info.dli_sname ? info.dli_sname : "?");
    }
}

static void check(const char *what, void (*load)(int))
{
    memset(&counts, 0, sizeof counts);
    load(1); /* at its first call: while the dynamic linker binds it, only libgcc finds the stack pointer */
    timer_t timer = start_timer();
    for (int i = 0; counts.points < POINTS; i++)
        load(i);
    timer_delete(timer);
    signal(SIGUSR1, SIG_IGN);
    if (counts.different) {
        print_trace("ours  ", &counts.ours);
        print_trace("libgcc", &counts.theirs);
    }
    tap_ok(!counts.different && !counts.open && counts.same == counts.points, "%s: %d of %d stacks are libgcc's, and end at the last frame",
           what, counts.same, counts.points);
}

static volatile double sink;

static int by_text(const void *a, const void *b)
{
    return strcoll(*(char *const *)a, *(char *const *)b);
}

static void load_text(int round)
{
    static char lines[256][40];
    char *sorted[256];
    for (int i = 0; i < 256; i++) {
        snprintf(lines[i], sizeof lines[i], "%.6f %x %s", sin(i + round), i * 2654435761u, strerror(i % 40));
        sorted[i] = lines[i];
    }
    qsort(sorted, 256, sizeof *sorted, by_text);
    for (int i = 0; i < 256; i++)
        sink += strtod(sorted[i], NULL);
}

static void load_memory(int round)
{
    static char from[70000], to[70000];
    char *blocks[64];
    for (int i = 0; i < 64; i++) {
        blocks[i] = calloc(1, (size_t)(i + round % 7) * 97 + 1);
        memmove(to + i, from + 3 * i, (size_t)i * 1000);
        memset(from + i, i, (size_t)i * 100);
    }
    sink += (double)strlen(strcpy(to, "x")) + (memchr(from, 77, sizeof from) != NULL);
    for (int i = 0; i < 64; i++)
        free(blocks[i]);
}

static void load_math(int round)
{
    for (int i = 1; i < 200; i++)
        sink += pow(i, 1.5 + round % 3) + exp(-i) + log(i) + atan2(i, round) + fmod(1e300, i) + cbrt(i);
}

/* System calls, and time functions of the vdso. */
static void load_kernel(int round)
{
    struct timespec t;
    for (int i = 0; i < 50; i++) {
        clock_gettime(CLOCK_MONOTONIC, &t);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        sink += (double)getppid();
    }
}

/* Functions with a realigned stack, with a stack that grows by a requested size, and with a deep stack. */
__attribute__((noinline)) static double realigned(int n)
{
    volatile double block[8] __attribute__((aligned(128)));
    for (int i = 0; i < 8; i++)
        block[i] = n + i;
    volatile char *grown = __builtin_alloca((size_t)n % 500 + 1);
    memset((char *)grown, n, (size_t)n % 500 + 1);
    double below = n > 0 ? realigned(n - 1) : 0;
    return below + block[n % 8] + grown[0];
}

static void load_frames(int round)
{
    sink += realigned(round % 50);
}

static _Atomic int nested;

/* A signal handler that does work and is itself interrupted. */
static void work_in_handler(int signal)
{
    load_math(signal);
    nested++;
}

static void load_handler(int round)
{
    raise(SIGUSR2);
}

static void *in_thread(void *load)
{
    check("in a thread", (void (*)(int))(uintptr_t)load);
    return NULL;
}

static void test_against_libgcc(void)
{
    check("text", load_text);
    check("memory", load_memory);
    check("mathematics", load_math);
    check("system calls and vdso", load_kernel);
    check("realigned and growing frames", load_frames);
    signal(SIGUSR2, work_in_handler);
    check("a signal handler, and what it interrupted", load_handler);
    tap_ok(nested > 0, "which worked");
}

static void test_thread(void)
{
    pthread_t thread;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_create(&thread, NULL, in_thread, (void *)(uintptr_t)load_text);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_join(thread, NULL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* ---- written by hand ---- */

static struct cfi_rule rule_at(const struct fake_cfi *s, unsigned offset)
{
    return cfi_rule_at(&s->module, s->module.low + offset);
}

static void test_instructions(void)
{
    struct fake_cfi s;
    struct cfi_rule r;
    /* push fp at 1; mov fp, sp at 4; pop at 0x80 with the state remembered around an early return at 0x20 */
    fake_cfi(&s, "zR",
             FAKE_INSTRUCTIONS(0x41, 0x0e, 16, 0x80 | FAKE_FP, 2, 0x43, 0x0d, FAKE_FP, 0x5c, 0x0a, 0x0c, FAKE_SP, 8, 0xc0 | FAKE_FP, 0x41,
                               0x0b, 0x02, 0x5f, 0x0c, FAKE_SP, 8));
    r = rule_at(&s, 0);
    tap_ok(r.base == CFI_SP && r.cfa == 8 && r.fp_saved == CFI_SAME && r.return_saved == CFI_AT_CFA && r.return_address == -8,
           "at its first instruction a function has but its return address");
    r = rule_at(&s, 1);
    tap_ok(r.base == CFI_SP && r.cfa == 16 && r.fp_saved == CFI_AT_CFA && r.fp == -16, "then a saved frame pointer");
    r = rule_at(&s, 4);
    tap_ok(r.base == CFI_FP && r.cfa == 16, "then one of its own");
    r = rule_at(&s, 0x20);
    tap_ok(r.base == CFI_SP && r.cfa == 8 && r.fp_saved == CFI_SAME, "none at an early return");
    r = rule_at(&s, 0x21);
    tap_ok(r.base == CFI_FP && r.cfa == 16 && r.fp_saved == CFI_AT_CFA, "which is remembered");
    r = rule_at(&s, 0x80);
    tap_ok(r.base == CFI_SP && r.cfa == 8, "and none at the end");
    tap_ok(rule_at(&s, FAKE_FUNCTION_BYTES).base == CFI_UNKNOWN && cfi_rule_at(&s.module, s.module.low - 1).base == CFI_UNKNOWN,
           "outside nothing is known");
    fake_cfi(&s, "zR", FAKE_INSTRUCTIONS(0x07, FAKE_RETURN));
    tap_ok(rule_at(&s, 0).base == CFI_END, "an undefined return address is the end");
    fake_cfi(&s, "zRS", FAKE_INSTRUCTIONS(0));
    tap_ok(rule_at(&s, 0).base == CFI_SIGNAL, "a signal frame is one");
    fake_cfi(&s, "", FAKE_INSTRUCTIONS(0));
    tap_ok(rule_at(&s, 0).base == CFI_UNKNOWN, "an absolute address without augmentation is another function's");
    fake_cfi(&s, "zRq", FAKE_INSTRUCTIONS(0));
    tap_ok(rule_at(&s, 0).base == CFI_UNKNOWN, "an unknown augmentation is not guessed at");
    fake_cfi(&s, "zR", FAKE_INSTRUCTIONS(0x0d, FAKE_OTHER, 0x13, 0x7f));
    r = rule_at(&s, 0);
    tap_ok(r.base == CFI_REGISTER && r.reg == FAKE_OTHER && r.cfa == 8, "any register may carry the frame");
    fake_cfi(&s, "zR", FAKE_INSTRUCTIONS(0x09, FAKE_RETURN, FAKE_OTHER));
    tap_ok(rule_at(&s, 0).base == CFI_UNKNOWN, "a return address in another register is out of reach");
    fake_cfi(&s, "zR", FAKE_INSTRUCTIONS(0x0b));
    tap_ok(rule_at(&s, 0).base == CFI_UNKNOWN, "as is a state nobody remembered");
    fake_cfi(&s, "zR", FAKE_INSTRUCTIONS(0x3f));
    tap_ok(rule_at(&s, 0).base == CFI_UNKNOWN, "and an instruction nobody knows");
}

/* A function may have as many instructions as GCC generates today; with more, the unwinder gives no answer. */
/* The return from a handler as the kernel has it on AArch64, and musl on x86-64: without call frame information. */
__asm__(".pushsection .rodata\n"
        ".balign 4\n"
        "signal_return:\n"
#if defined(__x86_64__)
        "mov $15, %rax\n"
        "syscall\n"
#else
        "mov x8, #139\n"
        "svc #0\n"
#endif
        ".popsection\n");
extern const char signal_return[];

static void test_undescribed_signal(void)
{
    enum { PC = 0x1234 };
    ucontext_t context = {0};
    struct registers at = {0};
    struct frame f = {(uintptr_t)signal_return, (uintptr_t)&context - frame_signal_context(0), 0}, other = f;
    *frame_resume_at(&context) = PC;
    tap_ok(unwind_step(&f, &at, false) == UNWIND_INTERRUPTED && f.pc == PC && at.pc == PC, "the return from a handler shows what it is");
    other.pc += 4;
    tap_ok(unwind_step(&other, &at, false) == UNWIND_UNKNOWN, "other code does not");
}

static void test_long(void)
{
    static struct fake_cfi s;
    static unsigned char instructions[70000]; /* the others do nothing */
    memcpy(instructions + 20000, (const unsigned char[]){0x0e, 16}, 2);
    fake_cfi(&s, "zR", instructions, 20002);
    tap_ok(rule_at(&s, 0).cfa == 16, "the last of 20,000 instructions counts");
    fake_cfi(&s, "zR", instructions, sizeof instructions);
    tap_ok(rule_at(&s, 0).base == CFI_UNKNOWN, "of 70,000 none does");
}

static void test_expressions(void)
{
    struct fake_cfi s;
    struct cfi_rule r;
    /* The linker's stubs: sp + 8 + ((pc & 15) >= 11) * 8. */
    fake_cfi(&s, "zR", FAKE_INSTRUCTIONS(0x0f, 11, 0x70 + FAKE_SP, 8, 0x70 + FAKE_RETURN, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22));
    unsigned to_16 = (unsigned)-(intptr_t)s.module.low & 15;
    tap_ok(rule_at(&s, to_16 + 10).base == CFI_SP && rule_at(&s, to_16 + 10).cfa == 8 && rule_at(&s, to_16 + 11).cfa == 16,
           "an expression may depend on the place");
    /* A realigned frame: the word at fp - 8, and fp saved where it points. */
    fake_cfi(&s, "zR", FAKE_INSTRUCTIONS(0x0f, 3, 0x70 + FAKE_FP, 0x78, 0x06, 0x10, FAKE_FP, 2, 0x70 + FAKE_FP, 0));
    r = rule_at(&s, 0);
    tap_ok(r.base == CFI_AT_FP && r.cfa == -8 && r.fp_saved == CFI_BY_FP && r.fp == 0, "on a word of the frame");
    fake_cfi(&s, "zR", FAKE_INSTRUCTIONS(0x0f, 4, 0x70 + FAKE_SP, 8, 0x40, 0x1c));
    r = rule_at(&s, 0);
    tap_ok(r.base == CFI_SP && r.cfa == 8 - 16, "on a difference");
    fake_cfi(&s, "zR", FAKE_INSTRUCTIONS(0x0f, 4, 0x70 + FAKE_SP, 8, 0x23, 0x20));
    tap_ok(rule_at(&s, 0).cfa == 40, "on a sum");
    fake_cfi(&s, "zR", FAKE_INSTRUCTIONS(0x0f, 5, 0x0a, 0x34, 0x12, 0x70 + FAKE_SP, 0));
    tap_ok(rule_at(&s, 0).base == CFI_UNKNOWN, "one that leaves two values has none");
    fake_cfi(&s, "zR", FAKE_INSTRUCTIONS(0x0f, 1, 0x22));
    tap_ok(rule_at(&s, 0).base == CFI_UNKNOWN, "nor has one that takes more than there is");
    fake_cfi(&s, "zR", FAKE_INSTRUCTIONS(0x0f, 9, 0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38));
    tap_ok(rule_at(&s, 0).base == CFI_UNKNOWN, "nor one that leaves more than there is room for");
}

/* ---- damaged ---- */

static void test_damage(void)
{
    struct fake_cfi s;
    unsigned answers = 0;
    /* Directly before a page that does not exist, so that reading too far is detected. */
    long page = sysconf(_SC_PAGESIZE);
    unsigned char *two = mmap(NULL, 2 * (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(two + page, (size_t)page, PROT_NONE);
    fake_cfi(&s, "zPLR",
             FAKE_INSTRUCTIONS(0x41, 0x0e, 16, 0x0f, 11, 0x70 + FAKE_SP, 8, 0x70 + FAKE_RETURN, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22,
                               0x0a, 0x10, FAKE_FP, 2, 0x70 + FAKE_FP, 0, 0x0b, 0x02, 0x10, 0x2e, 4));
    unsigned char *copy = two + page - s.length;
    uintptr_t at = (uintptr_t)copy;
    const struct module m = {at + FAKE_FUNCTION, at + FAKE_FUNCTION + FAKE_FUNCTION_BYTES, at, at + 12, 1};
    for (unsigned i = 0; i < s.length; i++)
        for (unsigned v = 0; v < 256; v++) {
            memcpy(copy, s.bytes, s.length);
            copy[i] = (unsigned char)v;
            for (unsigned offset = 0; offset < 64; offset += 21)
                answers += cfi_rule_at(&m, m.low + offset).base <= CFI_END;
        }
    tap_ok(answers == s.length * 256 * 4, "every byte in every wrong value: %u answers", answers);
    munmap(two, 2 * (size_t)page);
    tap_ok(cfi_rule_at(&m, m.low).base == CFI_UNKNOWN, "memory that is gone: none");
}

/* ---- taken away ---- */

static _Atomic int changing = 1;

static bool keep_none_of(const struct module *m, void *unwanted)
{
    return m->low != ((const struct module *)unwanted)->low;
}

/* A library is loaded and unloaded repeatedly, each time another one at the same place. */
static void *come_and_go(void *unused)
{
    static struct fake_cfi sections[2];
    fake_cfi(&sections[0], "zR", FAKE_INSTRUCTIONS(0x0e, 16));
    fake_cfi(&sections[1], "zR", FAKE_INSTRUCTIONS(0x0e, 32));
    for (int i = 0; changing; i++) {
        struct fake_cfi *s = &sections[i % 2];
        struct module m = s->module;
        m.low = 0x1000;
        m.high = i % 2 ? 0x2000 : 0x3000;
        module_add(&m);
        module_retain(keep_none_of, &m);
    }
    return NULL;
}

static void test_replacement(void)
{
    pthread_t thread;
    struct module m;
    int torn = 0, found = 0;
    pthread_create(&thread, NULL, come_and_go, NULL);
    while (found < 100000)
        if (module_find(0x1800, &m)) {
            uint32_t fde;
            memcpy(&fde, (const void *)(m.frame_table + 4), sizeof fde);
            unsigned char cfa = ((const unsigned char *)m.frame_header)[fde + 18];
            torn += cfa != (m.high == 0x2000 ? 32 : 16);
            found++;
        }
    changing = 0;
    pthread_join(thread, NULL);
    tap_ok(!torn, "a library that is replaced is the one or the other, never half of each (%d looks)", found);
    tap_ok(!module_find(0x1800, &m), "and in the end gone");
}

static void test_table_full(void)
{
    struct module m = {0x10, 0x20, 0, 0, 0}, found;
    int added = 0;
    while (module_add(&m))
        added++;
    tap_ok(added > 0 && added < MODULES_MAX, "the table takes %d more", added);
    module_retain(keep_none_of, &m);
    tap_ok(!module_find(0x15, &found) && module_find((uintptr_t)(void *)qsort, &found), "which go again, and no other");
    tap_ok(module_add(&m) && module_find(0x15, &found), "and leave room");
    module_retain(keep_none_of, &m);
}

int main(void)
{
    struct trace prime = {.depth = 0};
    setlocale(LC_ALL, "C.UTF-8");
    modules_update();
    _Unwind_Backtrace(note_frame, &prime);
    fault_install();
    if (!getauxval(AT_SYSINFO_EHDR)) /* there is no kernel of this processor */
        tap_skip("against libgcc: an emulator's signals have frames of its own");
    else {
        test_against_libgcc();
        test_thread();
    }
    test_instructions();
    test_undescribed_signal();
    test_long();
    test_expressions();
    test_damage();
    test_replacement();
    test_table_full();
    fault_remove();
    return tap_done();
}
