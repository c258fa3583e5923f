#include "agent/hot/fault/fault.h"

#include "agent/hot/calls/lanes.h"
#include "agent/hot/fault/traps.h"
#include "agent/hot/fault/visit.h"
#include "agent/hot/java/code.h"
#include "agent/hot/load.h"
#include "agent/hot/signal/action.h"
#include "agent/hot/signal/handler.h"
#include "agent/hot/thread/turn.h"
#include "agent/hot/unwind/frame.h"
#include "agent/hot/walk/walk.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The bounds of the section that load.h fills; the linker provides them. */
extern const struct fault_entry __start_candor_faults[] __attribute__((visibility("hidden")));
extern const struct fault_entry __stop_candor_faults[] __attribute__((visibility("hidden")));

enum { GUARDED = 4, LAYERS = 3 };
static const int guarded[GUARDED] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

/* Our handlers form layers: one for each time that we put ours in front. Each layer passes faults on to the handler that it found, so the
 * lowest layer is reached even if other handlers are in between. The handlers are set with the system call, not with the C library's
 * sigaction. With libjsig, the JVM's handler would otherwise run before ours, and it treats any fault of a thread whose stack overflows as
 * its own. */
static struct kernel_action former[LAYERS][GUARDED];
static int layers[GUARDED];

/* The ucontext of the fault that each layer is passing on in this thread. */
static __thread const void *handing_on[LAYERS];

/* The users of the handler: the recording on the agent's thread, visits on other threads, or both. The lock is held during a few system
 * calls, and never by handlers. */
static struct {
    atomic_flag held;
    bool by_recording;
    int by_others;
} wanted = {ATOMIC_FLAG_INIT};

static bool resume(void *context)
{
    uintptr_t *pc = frame_resume_at(context);
    for (const struct fault_entry *e = __start_candor_faults; e < __stop_candor_faults; e++)
        if ((uintptr_t)&e->load + (uintptr_t)(intptr_t)e->load == *pc) {
            *pc = (uintptr_t)&e->resume + (uintptr_t)(intptr_t)e->resume;
            return true;
        }
    return false;
}

/* Passes the fault to the next handler. If there was no handler before ours, the default action is restored, and the fault occurs again
 * when the instruction is retried. */
static void pass_on(const struct kernel_action *next, int signal, siginfo_t *info, void *context)
{
    if (next->flags & SA_SIGINFO)
        next->handler.with_info(signal, info, context);
    else if (next->handler.plain == SIG_DFL || next->handler.plain == SIG_IGN)
        action_exchange(signal, next, NULL);
    else
        next->handler.plain(signal);
}

/* Returns the context of the fault. If several traps and faults wait for a thread, the kernel delivers the first one first, whether it is
 * blocked or not (dequeue_synchronous_signal). So if a blocked trap waits for a thread that then faults, the trap is delivered first. The
 * fault follows, as if it had happened at the first instruction of the trap's handler. The true place is in the context with which that
 * handler is about to be called. */
static void *context_of_fault(void *context)
{
    bool on_top = *frame_resume_at(context) == (uintptr_t)handler_on_sigtrap;
    return on_top ? (void *)frame_third_argument(context) : context;
}

/* Returns the turn that has faulted, or NULL. In a turn every fault is the agent's, wherever it happens, except faults in the JVM's code.
 * The signals whose handlers could interrupt a turn are blocked (trigger/signals/signals.c). */
static struct turn *turn_that_faulted(uintptr_t pc, const void *context)
{
    struct registers at;
    if (code_contains(pc) || walk_is_in_libjvm(pc))
        return NULL;
    struct sampled_thread *t = sampled_threads ? thread_of_caller() : NULL;
    if (t && t->gate.turn.sp)
        return &t->gate.turn;
    struct turn *of_callback = t ? lanes_turn(t) : NULL;
    struct turn *turn = of_callback ? of_callback : turn_if_own_thread();
    return turn || !frame_registers(&at, (uintptr_t)context) ? turn : visit_that_faulted(pc, at.sp);
}

static const struct kernel_action *former_of(int layer, int signal)
{
    int i = 0;
    while (guarded[i] != signal)
        i++;
    return &former[layer][i];
}

/* Passes the fault to the handler from before the first layer, which is the JVM's. */
static void hand_to_first(uintptr_t pc, int signal, siginfo_t *info, void *context)
{
    struct traps_held held;
    traps_hold(&held, pc);
    pass_on(former_of(0, signal), signal, info, context);
    traps_let_go(&held);
}

/* Passes the fault to the handler that was installed before this layer. If that handler has been installed again over the layer, it passes
 * the fault back, and so on without end; handing_on detects this. */
static void hand_on(int layer, int signal, siginfo_t *info, void *context)
{
    const void *before = handing_on[layer];
    handing_on[layer] = context;
    pass_on(former_of(layer, signal), signal, info, context);
    handing_on[layer] = before;
}

static void on_fault(int layer, int signal, siginfo_t *info, void *context)
{
    context = context_of_fault(context);
    if (resume(context))
        return;
    uintptr_t pc = info->si_code > 0 ? *frame_resume_at(context) : 0; /* 0: a process or thread sent the signal */
    struct turn *turn = pc ? turn_that_faulted(pc, context) : NULL;
    if (turn) {
        turn_leave(turn, signal, context);
        return;
    }
    if (layer && handing_on[layer] != context)
        hand_on(layer, signal, info, context);
    else
        hand_to_first(pc, signal, info, context);
}

static void on_fault_first(int signal, siginfo_t *info, void *context)
{
    on_fault(0, signal, info, context);
}

static void on_fault_second(int signal, siginfo_t *info, void *context)
{
    on_fault(1, signal, info, context);
}

static void on_fault_third(int signal, siginfo_t *info, void *context)
{
    on_fault(2, signal, info, context);
}

static void (*const entries[LAYERS])(int, siginfo_t *, void *) = {on_fault_first, on_fault_second, on_fault_third};

static bool is_same(const struct kernel_action *now, void (*handler)(int, siginfo_t *, void *))
{
    return now->handler.with_info == handler;
}

/* Sets a layer's handler. A handler needs a restorer, which returns to the kernel. The C library sets one with each handler, so ours
 * copies it; if there was none, there was no handler, and ours is set with the C library's sigaction. */
static int install(int layer, int signal, const struct kernel_action *before)
{
    struct kernel_action ours = *before;
    /* The flags and mask of the JVM's handler stay, because the JVM relies on them: alternate stack, SA_NODEFER. But our handler takes the
     * signal's information, and is not removed by a signal. */
    ours.flags |= SA_SIGINFO | SA_ONSTACK;
    ours.flags &= ~(unsigned long)SA_RESETHAND;
    ours.handler.with_info = entries[layer];
    if (frame_needs_no_restorer || ours.restorer)
        return action_exchange(signal, &ours, NULL);
    struct sigaction sa = {.sa_flags = (int)ours.flags, .sa_sigaction = entries[layer]};
    memcpy(&sa.sa_mask, &ours.mask, sizeof ours.mask);
    return sigaction(signal, &sa, NULL) ? -errno : 0;
}

/* Returns the layer that is in front, or LAYERS if none is. */
static int layer_in_front(int i, const struct kernel_action *now)
{
    int layer = 0;
    while (layer < LAYERS && !(layer < layers[i] && is_same(now, entries[layer])))
        layer++;
    return layer;
}

/* Whether the handler is the JVM's ordinary one. The JVM uses that one for SIGPIPE, too, but not the handler with which it writes its crash
 * report. */
static bool is_ordinary_of_jvm(const struct kernel_action *now)
{
    struct kernel_action pipe;
    return walk_is_in_libjvm((uintptr_t)now->handler.with_info) && !action_exchange(SIGPIPE, NULL, &pipe) &&
           is_same(now, pipe.handler.with_info);
}

/* Returns which layer to set on top of `now`; LAYERS = none. If `now` is the handler from before our first layer, or the JVM's ordinary
 * one, that handler was restored, and the first layer is set again. A layer is put in front of a handler that was set later, but only once:
 * Go's runtime, for example, would treat a fault of ours as a fault of the program. The JVM stays in front while it writes its crash
 * report, and so does a program that has removed all handlers in order to end. */
static int layer_to_set(int i, const struct kernel_action *now)
{
    if (!layers[i] || is_same(now, former[0][i].handler.with_info) || is_ordinary_of_jvm(now))
        return 0;
    if (walk_is_in_libjvm((uintptr_t)now->handler.with_info) || now->handler.plain == SIG_DFL || now->handler.plain == SIG_IGN)
        return LAYERS;
    for (int layer = 1; layer < layers[i]; layer++)
        if (is_same(now, former[layer][i].handler.with_info))
            return LAYERS;
    return layers[i];
}

static int put_in_front(int i)
{
    struct kernel_action now;
    int rc = action_exchange(guarded[i], NULL, &now);
    if (rc)
        return rc;
    int front = layer_in_front(i, &now), layer = front < LAYERS ? LAYERS : layer_to_set(i, &now);
    if (front < LAYERS)
        layers[i] = front + 1;
    if (layer == LAYERS)
        return 0;
    former[layer][i] = now;
    layers[i] = layer + 1;
    return install(layer, guarded[i], &now);
}

static int renew(void)
{
    int rc = 0;
    for (int i = 0; i < GUARDED && !rc; i++)
        rc = put_in_front(i);
    return rc;
}

/* Removes the layers that have no other handler in front of them. */
static void take_back(int i)
{
    struct kernel_action now;
    int front = action_exchange(guarded[i], NULL, &now) ? LAYERS : layer_in_front(i, &now);
    if (front == LAYERS)
        return;
    action_exchange(guarded[i], &former[front][i], NULL);
    layers[i] = front;
    if (front)
        take_back(i);
}

static bool put_back(void)
{
    bool all = true;
    for (int i = 0; i < GUARDED; i++) {
        if (layers[i])
            take_back(i);
        all = all && !layers[i];
    }
    return all;
}

static void lock(void)
{
    while (atomic_flag_test_and_set(&wanted.held))
        continue;
}

static void unlock(void)
{
    atomic_flag_clear(&wanted.held);
}

int fault_install(void)
{
    lock();
    wanted.by_recording = true;
    int rc = renew();
    unlock();
    return rc;
}

bool fault_remove(void)
{
    lock();
    wanted.by_recording = false;
    bool back = wanted.by_others || put_back();
    unlock();
    return back;
}

void fault_hold(void)
{
    lock();
    wanted.by_others++;
    renew();
    unlock();
}

void fault_let_go(void)
{
    lock();
    wanted.by_others--;
    if (!wanted.by_others && !wanted.by_recording)
        put_back();
    unlock();
}
