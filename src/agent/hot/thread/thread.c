#include "agent/hot/thread/thread.h"

#include "agent/hot/unwind/frame.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The slot that the calling thread found last. It is checked before use. */
static __thread struct sampled_thread *own;

struct sampled_thread *sampled_threads;
_Atomic uint32_t *thread_slot_of_tid;
_Atomic uint32_t sampled_threads_used;

static void *reserve(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

struct sampled_thread *thread_of_caller(void)
{
    long tid = syscall(SYS_gettid);
    uint32_t slot = tid < THREAD_IDS_MAX ? atomic_load_explicit(&thread_slot_of_tid[tid], memory_order_relaxed) : 0;
    return slot ? &sampled_threads[slot - 1] : NULL;
}

/* Whether the slot belongs to the Java thread with this pointer. It does from the moment when this is known until that thread itself
 * ends. */
static bool is_of(const struct sampled_thread *t, uintptr_t pointer)
{
    return atomic_load_explicit(&t->self.pointer, memory_order_relaxed) == pointer &&
           atomic_load_explicit(&t->java_thread, memory_order_relaxed);
}

struct sampled_thread *thread_of_java_caller(void)
{
    uintptr_t pointer = frame_thread_pointer();
    if (own && is_of(own, pointer))
        return own;
    own = thread_of_caller();
    if (own)
        atomic_store_explicit(&own->self.pointer, pointer, memory_order_relaxed);
    return own;
}

int thread_table_init(void)
{
    if (sampled_threads)
        return 0;
    struct sampled_thread *threads = reserve(THREADS_MAX * sizeof *threads);
    _Atomic uint32_t *slots = reserve(THREAD_IDS_MAX * sizeof *slots);
    if (!threads || !slots) {
        if (threads)
            munmap(threads, THREADS_MAX * sizeof *threads);
        if (slots)
            munmap((void *)slots, THREAD_IDS_MAX * sizeof *slots);
        return -ENOMEM;
    }
    sampled_threads = threads;
    thread_slot_of_tid = slots;
    return 0;
}

void thread_table_deinit(void)
{
    /* The pages are freed, but the mapping stays, because a signal may still be on its way. */
    if (sampled_threads)
        madvise(sampled_threads, THREADS_MAX * sizeof *sampled_threads, MADV_DONTNEED);
    if (thread_slot_of_tid)
        madvise((void *)thread_slot_of_tid, THREAD_IDS_MAX * sizeof *thread_slot_of_tid, MADV_DONTNEED);
}
