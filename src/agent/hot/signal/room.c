#include "agent/hot/signal/room.h"

#include "agent/hot/unwind/frame.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

static char *spares;
static _Atomic bool taken[ROOM_SPARES];
static const size_t spares_bytes = (size_t)ROOM_SPARES * ROOM_SPARE_BYTES;

int room_init(void)
{
    if (spares)
        return 0;
    char *p = mmap(NULL, spares_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return -errno;
    spares = p;
    return 0;
}

/* Frees the pages, but keeps the mapping, as for the thread table. */
void room_deinit(void)
{
    if (spares)
        madvise(spares, spares_bytes, MADV_DONTNEED);
}

static bool lies_on(const stack_t *s, uintptr_t at)
{
    return at - (uintptr_t)s->ss_sp < s->ss_size;
}

/* Returns how much stack the handler still needs. It measures the kernel's frame for its own signal, and assumes that other frames are as
 * large. */
static size_t need(const ucontext_t *context, const stack_t *stack, bool asks_jvm)
{
    struct registers at;
    uintptr_t top = (uintptr_t)stack->ss_sp + stack->ss_size;
    if (frame_registers(&at, (uintptr_t)context) && lies_on(stack, at.sp)) /* another handler on that stack was interrupted */
        top = at.sp;
    size_t kernel = top - (uintptr_t)context;
    return ROOM_OWN_BYTES + ROOM_KERNEL_FRAMES * kernel + (asks_jvm ? ROOM_JVM_BYTES : 0);
}

/* Whether the stack has room. The bounds of a thread's own stack are unknown, but even the smallest has room (handler.h). */
static bool has_room(const ucontext_t *context, bool asks_jvm)
{
    const stack_t *stack = &context->uc_stack;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return !lies_on(stack, here) || here - (uintptr_t)stack->ss_sp >= need(context, stack, asks_jvm);
}

static char *take_spare(void)
{
    for (int i = 0; spares && i < ROOM_SPARES; i++)
        if (!atomic_exchange_explicit(&taken[i], true, memory_order_acquire)) /* pairs with the release in give_back */
            return spares + (size_t)i * ROOM_SPARE_BYTES;
    return NULL;
}

static void give_back(const char *spare)
{
    atomic_store_explicit(&taken[(size_t)(spare - spares) / ROOM_SPARE_BYTES], false, memory_order_release);
}

struct move {
    char *spare;
    void (*work)(void *);
    void *argument;
};

/* Runs the work on a spare stack. The kernel does not get the stack's lowest part, so that a handler's own frames have room below the
 * kernel's last frame. */
static void run_on_spare(void *argument)
{
    const struct move *m = argument;
    stack_t here = {.ss_sp = m->spare + ROOM_OWN_BYTES, .ss_size = ROOM_SPARE_BYTES - ROOM_OWN_BYTES};
    syscall(SYS_sigaltstack, &here, NULL);
    m->work(m->argument);
}

/* Calls the work on a stack that has room. The return from the handler restores the alternate stack. While the spare stack is not the
 * alternate stack, the kernel would write a signal over the handler's own context. The handler blocks the signals that could come at these
 * times (trigger/signals/signals.c). */
bool room_run(const void *context, bool asks_jvm, void (*work)(void *), void *argument)
{
    if (has_room(context, asks_jvm)) {
        work(argument);
        return true;
    }
    struct move m = {.work = work, .argument = argument};
    m.spare = take_spare();
    if (!m.spare)
        return false;
    frame_call_on((uintptr_t)m.spare + ROOM_SPARE_BYTES, run_on_spare, &m);
    give_back(m.spare);
    return true;
}
