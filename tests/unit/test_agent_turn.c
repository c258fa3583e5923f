/* Turns: a fault in a turn ends it, wherever the fault happens, and leaves the thread in the state before the turn.
 * tier: quick
 * timeout: 60
 * sanitize: no
 * aarch64: yes */
#include "../tap.h"

#include "agent/collect/session/internal_fault.h"
#include "agent/hot/fault/fault.h"
#include "agent/hot/thread/turn.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile char *closed;
static struct turn *own;

static void touch(void *unused)
{
    *closed = 1;
}

static void change(void *number)
{
    ++*(int *)number;
}

static int touch_below(int depth)
{
    volatile char frame[2000] = {0};
    if (depth == 0)
        touch(NULL);
    else
        frame[depth] = (char)touch_below(depth - 1);
    return frame[depth];
}

static void touch_deep(void *depth)
{
    touch_below(*(int *)depth);
}

static void copy(void *unused)
{
    static char from[5000];
    memcpy((void *)closed, from, sizeof from - (size_t)getpid() % 2);
}

static void call_nothing(void *unused)
{
    ((void (*)(void))(uintptr_t)closed)();
}

/* Registers that a call preserves: the compiler keeps these values in registers across the turn. */
static bool leaves_registers(void)
{
    uint64_t seed = (uint64_t)getpid(), a = seed * 3, b = seed * 5, c = seed * 7, d = seed * 11, e = seed * 13;
    double x = (double)seed * 1.5, y = (double)seed * 2.5;
    __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e));
    bool whole = turn_take(own, touch, NULL);
    __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e));
    return !whole && a == seed * 3 && b == seed * 5 && c == seed * 7 && d == seed * 11 && e == seed * 13 && x == (double)seed * 1.5 &&
           y == (double)seed * 2.5;
}

static bool is_blocked(int signal)
{
    sigset_t now;
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    return sigismember(&now, signal);
}

static sigjmp_buf back;

static void theirs(int signal)
{
    siglongjmp(back, 1);
}

static bool reaches_them(void)
{
    if (sigsetjmp(back, 1))
        return true;
    touch(NULL);
    return false;
}

static void *elsewhere(void *reached)
{
    *(bool *)reached = reaches_them();
    return NULL;
}

static void let_another_touch(void *reached)
{
    pthread_t thread;
    pthread_create(&thread, NULL, elsewhere, reached);
    pthread_join(thread, NULL);
}

/* If handlers run on a separate stack. */
static void use_alternate_stack(void)
{
    static char memory[65536];
    stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
    sigaltstack(&stack, NULL);
}

int main(void)
{
    struct sigaction behind = {.sa_handler = theirs};
    char text[INTERNAL_FAULT_TEXT_MAX];
    int number = 1, depth = 20;
    bool reached = false;
    closed = mmap(NULL, 1 << 16, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sigaddset(&behind.sa_mask, SIGUSR1);
    sigaction(SIGSEGV, &behind, NULL);
    fault_install();
    own = turn_of_own_thread();
    tap_ok(turn_take(own, change, &number) && number == 2, "a turn without a fault does its work");
    turn_take(own, let_another_touch, &reached);
    tap_ok(reached && reaches_them(), "faults of other threads, and outside of turns, reach who was there before");
    tap_ok(!turn_has_faulted() && !internal_fault_describe(text, sizeof text) && !*text, "and are none of ours");
    for (int alternate = 0; alternate < 2; alternate++) {
        const char *where = alternate ? "with an alternate stack" : "on the thread's stack";
        if (alternate)
            use_alternate_stack();
        tap_ok(leaves_registers(), "%s: a turn that faults is left, with all registers a call preserves", where);
        tap_ok(!turn_take(own, touch_deep, &depth), "%s: also from deep below", where);
        tap_ok(!turn_take(own, copy, NULL) && !turn_take(own, call_nothing, NULL), "%s: or from others' code, and from none", where);
        tap_ok(!is_blocked(SIGSEGV) && !is_blocked(SIGUSR1), "%s: with the signal mask it had", where);
    }
    tap_ok(turn_take(own, change, &number) && number == 3, "another turn does its work");
    tap_ok(turn_has_faulted() && internal_fault_describe(text, sizeof text) && strstr(text, "SIGSEGV at "), "the first fault is told: %s",
           text);
    tap_ok(reaches_them(), "faults outside of turns still reach who was there before");
    return tap_done();
}
