#include "agent/hot/thread/turn.h"

#include "agent/hot/load.h"
#include "agent/hot/time.h"
#include "agent/hot/unwind/frame.h"

#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STACK_WORDS_SEARCHED = 512 };

/* The bounds of the agent in memory, which the linker provides. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

static struct {
    long tid;
    struct turn turn;
} own_thread;

_Atomic bool turn_first_claimed;

static struct {
    _Atomic bool told;
    struct turn_fault facts;
} first;

struct turn *turn_of_own_thread(void)
{
    own_thread.tid = syscall(SYS_gettid);
    return &own_thread.turn;
}

struct turn *turn_if_own_thread(void)
{
    return own_thread.turn.sp && own_thread.tid == syscall(SYS_gettid) ? &own_thread.turn : NULL;
}

bool turn_take(struct turn *turn, void (*work)(void *), void *argument)
{
    bool whole = frame_call_guarded(&turn->sp, work, argument);
    turn->sp = 0;
    return whole;
}

struct turn_fault turn_first_fault(void)
{
    /* Acquire: pairs with the release in note. The thread that faulted may not have stored the facts yet. */
    return atomic_load_explicit(&first.told, memory_order_acquire) ? first.facts : (struct turn_fault){0};
}

bool turn_is_own(uintptr_t pc)
{
    return pc >= (uintptr_t)__ehdr_start && pc < (uintptr_t)etext;
}

/* Returns the nearest return address on the stack that is in the agent, or 0. */
static uintptr_t find_own_call(uintptr_t sp)
{
    uint64_t word;
    for (int i = 0; i < STACK_WORDS_SEARCHED && load_u64(sp + 8 * (uintptr_t)i, &word); i++)
        if (turn_is_own(frame_code_address(word)))
            return frame_code_address(word);
    return 0;
}

static void note(int signal, const void *context)
{
    struct registers at;
    if (atomic_exchange(&turn_first_claimed, true) || !frame_registers(&at, (uintptr_t)context))
        return;
    uintptr_t pc = turn_is_own(at.pc) ? at.pc : find_own_call(at.sp);
    first.facts = (struct turn_fault){.signal = signal,
                                      .offset = pc ? pc - (uintptr_t)__ehdr_start : 0,
                                      .elsewhere = !turn_is_own(at.pc),
                                      .process_ns = time_now_ns(CLOCK_PROCESS_CPUTIME_ID)};
    /* Release: pairs with the acquire in turn_first_fault. */
    atomic_store_explicit(&first.told, true, memory_order_release);
}

void turn_leave(struct turn *turn, int signal, void *context)
{
    /* First, so that a fault in this function does not count as one in the turn. */
    uintptr_t sp = turn->sp;
    turn->sp = 0;
    note(signal, context);
    frame_leave_guarded(context, sp);
}
