#include "agent/context/records.h"

#include "agent/hot/context.h"
#include "agent/hot/thread/thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert((int)CONTEXT_TIDS_MAX == (int)THREAD_IDS_MAX, "each thread has a place in the table");
_Static_assert(CONTEXT_BYTES <= (int)RECORDS_STRIDE, "a record has room");

static uint8_t *_Atomic memory;
static _Atomic uint32_t used; /* all records with a lower number have been taken at least once */
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t at_exit;
static bool has_key;

/* The free list of records that were given back. The lower half is the number of the first, plus one. The upper half counts the
 * changes, so that a record that was taken and given back meanwhile is noticed. */
static _Atomic uint64_t free_list;
static _Atomic uint32_t next_free[RECORDS_MAX]; /* the next record's number plus one; 0 = this is the last */

/* The calling thread's own record and its place in context_of_tid. */
static __thread int own_plus_one;
static __thread _Atomic uintptr_t *place;

static void *reserve(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static void give_at_exit(void *record)
{
    context_point(0, place);
    own_plus_one = 0;
    place = NULL;
    records_give((int)(intptr_t)record - 1);
}

static uint8_t *make(void)
{
    pthread_mutex_lock(&making);
    uint8_t *made = atomic_load(&memory);
    if (!made) {
        has_key = has_key || !pthread_key_create(&at_exit, give_at_exit);
        if (!atomic_load(&context_of_tid))
            atomic_store(&context_of_tid, (_Atomic uintptr_t *)reserve(THREAD_IDS_MAX * sizeof(uintptr_t)));
        if (has_key && atomic_load(&context_of_tid))
            made = reserve((size_t)RECORDS_MAX * RECORDS_STRIDE);
        /* Last, because a thread that sees it must see the other tables, too. */
        atomic_store(&memory, made);
    }
    pthread_mutex_unlock(&making);
    return made;
}

void *records_memory(size_t *bytes)
{
    uint8_t *made = atomic_load(&memory);
    *bytes = (size_t)RECORDS_MAX * RECORDS_STRIDE;
    return made ? made : make();
}

uintptr_t records_address(int record)
{
    uint8_t *made = atomic_load(&memory);
    return made && record >= 0 && record < RECORDS_MAX ? (uintptr_t)made + (uintptr_t)record * RECORDS_STRIDE : 0;
}

/* ---- the free list ---- */

static int pop(void)
{
    /* Acquire: pairs with the release of the thread that gave the record back. The last writes of that thread to the record come before
     * ours. */
    uint64_t head = atomic_load_explicit(&free_list, memory_order_acquire), next;
    do {
        if (!(uint32_t)head)
            return -1;
        /* The value may be stale, but then the head and its count have changed, and the exchange fails. */
        next = atomic_load_explicit(&next_free[(uint32_t)head - 1], memory_order_relaxed) | ((head >> 32) + 1) << 32;
    } while (!atomic_compare_exchange_weak_explicit(&free_list, &head, next, memory_order_acquire, memory_order_acquire));
    return (int)(uint32_t)head - 1;
}

void records_give(int record)
{
    if (!records_address(record))
        return;
    uint64_t head = atomic_load_explicit(&free_list, memory_order_relaxed), mine;
    do {
        atomic_store_explicit(&next_free[record], (uint32_t)head, memory_order_relaxed);
        mine = (uint32_t)(record + 1) | ((head >> 32) + 1) << 32;
        /* Release: pairs with the acquire of the thread that takes the record. */
    } while (!atomic_compare_exchange_weak_explicit(&free_list, &head, mine, memory_order_release, memory_order_relaxed));
}

static int take_new(void)
{
    uint32_t n = atomic_load_explicit(&used, memory_order_relaxed);
    while (n < RECORDS_MAX)
        if (atomic_compare_exchange_weak_explicit(&used, &n, n + 1, memory_order_relaxed, memory_order_relaxed))
            return (int)n;
    return -1;
}

int records_take(void)
{
    size_t bytes;
    if (!records_memory(&bytes))
        return -1;
    int record = pop();
    if (record < 0)
        record = take_new();
    if (record < 0)
        return -1;
    uint8_t *at = (uint8_t *)records_address(record);
    memset(at, 0, CONTEXT_ATTRIBUTES);
    at[CONTEXT_VALID] = 1;
    return record;
}

/* ---- the thread that calls ---- */

/* Looks the thread's place up once per thread, because carriers call this code at each mount and unmount. */
static void find_place(void)
{
    _Atomic uintptr_t *table = place ? NULL : atomic_load(&context_of_tid);
    long tid = table ? syscall(SYS_gettid) : THREAD_IDS_MAX;
    if (tid < THREAD_IDS_MAX)
        place = &table[tid];
}

void records_point(uintptr_t record)
{
    find_place();
    context_point(record || !own_plus_one ? record : records_address(own_plus_one - 1), place);
}

int records_take_own(void)
{
    if (own_plus_one)
        return own_plus_one - 1;
    int record = records_take();
    if (record < 0)
        return -1;
    if (pthread_setspecific(at_exit, (void *)(intptr_t)(record + 1))) {
        records_give(record);
        return -1;
    }
    own_plus_one = record + 1;
    records_point(0);
    return record;
}
