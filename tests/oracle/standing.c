/* libcandor-standing.so is an agent whose walker a debugger uses while it has stopped the process (stops.py). The debugger writes the
 * registers of a thread and requests a walk, lets only the thread "standing" continue until standing_done, and reads the frames. They
 * also become a sample of that thread, without weight, so that the recording has their names.
 *
 * The debugger cannot call the walker itself: gdb 13 cannot write the registers of a processor with AMX. */
#include "agent/hot/record.h"
#include "agent/hot/thread/thread.h"
#include "agent/hot/walk/walk.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

enum { REGISTERS = REG_RIP + 1 };

#define FOR_DEBUGGER __attribute__((used, retain))

FOR_DEBUGGER uint64_t standing_registers[REGISTERS]; /* in the order of a ucontext */
FOR_DEBUGGER uint64_t standing_frames[FRAMES_MAX + 1];
FOR_DEBUGGER uint64_t standing_outcome;
FOR_DEBUGGER volatile int standing_request; /* tid; 0 = none */
FOR_DEBUGGER volatile int standing_count;   /* number of frames; -1 if the thread has no slot, or is in our handler */

void standing_done(void);

static uint64_t walk_and_record(struct sampled_thread *t, const struct registers *at)
{
    struct walk w;
    struct candor_queue *q = &t->queue;
    uint64_t count = 0;
    walk_begin(&w, at, atomic_load(&t->java_thread));
    candor_queue_begin(q);
    candor_queue_put(q, 1); /* the time is nobody's */
    candor_queue_put(q, 0);
    candor_queue_put(q, at->pc);
    candor_queue_put(q, w.state);
    while (count < FRAMES_MAX && walk_next(&w, &standing_frames[count]))
        candor_queue_put(q, standing_frames[count++]);
    candor_queue_put(q, w.outcome);
    if (candor_queue_commit(q))
        counter_add(&t->counts.samples, 1);
    standing_outcome = w.outcome;
    return count;
}

/* Walks the thread whose registers are in standing_registers. */
static int standing_walk(int tid)
{
    static ucontext_t context;
    struct registers at = {0};
    uint32_t slot = thread_slot_of_tid ? atomic_load(&thread_slot_of_tid[tid]) : 0;
    struct sampled_thread *t = slot ? &sampled_threads[slot - 1] : NULL;
    if (!t || atomic_load(&t->gate.inside))
        return -1;
    memcpy(context.uc_mcontext.gregs, standing_registers, sizeof standing_registers);
    frame_registers(&at, (uintptr_t)&context);
    return (int)walk_and_record(t, &at);
}

FOR_DEBUGGER __attribute__((noinline)) void standing_done(void)
{
    __asm__ volatile("");
}

static void *stand(void *unused)
{
    for (;; usleep(1000))
        if (standing_request) {
            standing_count = standing_walk(standing_request);
            standing_request = 0;
            standing_done();
        }
    return unused;
}

__attribute__((constructor)) static void begin(void)
{
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (!pthread_create(&thread, NULL, stand, NULL))
        pthread_setname_np(thread, "standing");
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
