/*
 * The functions that code compiled with -fsanitize=thread calls: those of ThreadSanitizer's run-time library (gcc 12 and clang 14,
 * x86-64 and AArch64), connected to the explorer. Functions that are missing here are not needed by the code under test; if that
 * changes, the link fails.
 */
#include "explore.h"

#include "instrument.h"
#include "memory.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller)
{
}

void __tsan_func_exit(void)
{
}

#define PLAIN(size)                                                                                                                        \
    void __tsan_read##size(void *address)                                                                                                  \
    {                                                                                                                                      \
        explore_access(address, size, false);                                                                                              \
    }                                                                                                                                      \
    void __tsan_write##size(void *address)                                                                                                 \
    {                                                                                                                                      \
        explore_access(address, size, true);                                                                                               \
    }

PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

void __tsan_unaligned_read16(void *address)
{
    explore_access(address, 16, false);
}

void __tsan_unaligned_write16(void *address)
{
    explore_access(address, 16, true);
}

void __tsan_read_range(void *address, size_t size)
{
    explore_access(address, size, false);
}

void __tsan_write_range(void *address, size_t size)
{
    explore_access(address, size, true);
}

/* The code under test is compiled with -Dmemcpy=model_memcpy. */
void *model_memcpy(void *to, const void *from, size_t size)
{
    explore_access(from, size, false);
    explore_access(to, size, true);
    return memcpy(to, from, size);
}

/* The queues call this in loops that wait. */
void candor_queue_pause(void)
{
    explore_wait();
}

static uint64_t operate(enum op_kind kind, volatile void *address, uint64_t operand, int order)
{
    if (order == memory_order_seq_cst) {
        fprintf(stderr, "model: sequentially consistent operations are not modelled\n");
        exit(3);
    }
    return explore_operate((struct memory_op){kind, (uint64_t *)(uintptr_t)address, operand, 0, order, 0, false}).value;
}

uint64_t __tsan_atomic64_load(const volatile uint64_t *a, int order)
{
    return operate(OP_LOAD, (volatile void *)(uintptr_t)a, 0, order);
}

void __tsan_atomic64_store(volatile uint64_t *a, uint64_t v, int order)
{
    operate(OP_STORE, a, v, order);
}

#define READ_MODIFY_WRITE(name, kind)                                                                                                      \
    uint64_t __tsan_atomic64_##name(volatile uint64_t *a, uint64_t v, int order)                                                           \
    {                                                                                                                                      \
        return operate(kind, a, v, order);                                                                                                 \
    }

READ_MODIFY_WRITE(exchange, OP_EXCHANGE)
READ_MODIFY_WRITE(fetch_add, OP_ADD)
READ_MODIFY_WRITE(fetch_sub, OP_SUB)
READ_MODIFY_WRITE(fetch_and, OP_AND)
READ_MODIFY_WRITE(fetch_or, OP_OR)
READ_MODIFY_WRITE(fetch_xor, OP_XOR)

uint64_t __tsan_atomic64_compare_exchange_val(volatile uint64_t *a, uint64_t expected, uint64_t v, int order, int failure_order)
{
    struct memory_op op = {OP_CAS, (uint64_t *)(uintptr_t)a, v, expected, order, failure_order, false};
    struct memory_outcome outcome;

    if (order == memory_order_seq_cst || failure_order == memory_order_seq_cst)
        return operate(OP_CAS, a, v, memory_order_seq_cst); /* refused there */
    outcome = explore_operate(op);
    return outcome.stored ? expected : outcome.value;
}

int __tsan_atomic64_compare_exchange_strong(volatile uint64_t *a, uint64_t *expected, uint64_t v, int order, int failure_order)
{
    uint64_t wanted = *expected;

    *expected = __tsan_atomic64_compare_exchange_val(a, wanted, v, order, failure_order);
    return *expected == wanted;
}
