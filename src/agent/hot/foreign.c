#include "agent/hot/foreign.h"

#include "agent/hot/load.h"

_Atomic uint64_t foreign_places[FOREIGN_MAX];

/* A fixed place has its distance in the lower half, and a place in a block the offset. */
#define FIXED    (1ULL << 63)
#define IN_BLOCK (1ULL << 62)
enum { MODULE_SHIFT = 32, MODULES_MAX = 1 << 16 };

/* glibc's vector: pairs of words, one for each module, whose first word is the block. The pair before the vector begins with the vector's
 * length. Modules have numbers from 1 on. */
enum { PAIR = 16, NOT_ALLOCATED = -1 };
#if defined(__x86_64__)
enum { VECTOR_AT = 8 };
#elif defined(__aarch64__)
enum { VECTOR_AT = 0 };
#endif

uint64_t foreign_fixed(intptr_t from_thread_pointer)
{
    return from_thread_pointer == (int32_t)from_thread_pointer ? FIXED | (uint32_t)from_thread_pointer : 0;
}

uint64_t foreign_in_block(size_t module, size_t offset)
{
    return module && module < MODULES_MAX && offset <= INT32_MAX ? IN_BLOCK | (uint64_t)module << MODULE_SHIFT | offset : 0;
}

bool foreign_block(uintptr_t thread_pointer, size_t module, uintptr_t *block)
{
    uint64_t vector, length, found;
    if (!load_u64(thread_pointer + VECTOR_AT, &vector) || !load_u64(vector - PAIR, &length) || module > length ||
        !load_u64(vector + PAIR * module, &found) || !found || found == (uint64_t)NOT_ALLOCATED)
        return false;
    *block = found;
    return true;
}

static uintptr_t record_at(uintptr_t thread_pointer, uint64_t place)
{
    uintptr_t variable;
    uint64_t record;
    if (place & FIXED)
        variable = thread_pointer + (uintptr_t)(intptr_t)(int32_t)(uint32_t)place;
    else if (foreign_block(thread_pointer, place >> MODULE_SHIFT & (MODULES_MAX - 1), &variable))
        variable += (uint32_t)place;
    else
        return 0;
    /* The format demands even addresses. */
    return load_u64(variable, &record) && !(record & 1) ? record : 0;
}

uintptr_t foreign_record(uintptr_t thread_pointer, int i)
{
    uint64_t place = atomic_load_explicit(&foreign_places[i], memory_order_relaxed);
    return place && thread_pointer ? record_at(thread_pointer, place) : 0;
}
