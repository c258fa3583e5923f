/*
 * The memory of one execution: for each atomic object the history of its stores in modification order, for each thread
 * what it has seen and what happened before it. memory.c explains the model.
 *
 * Thread 0 is the main thread. Limits (objects, stores) are fixed; running into one ends the process, it hides nothing.
 */
#ifndef MODEL_MEMORY_H
#define MODEL_MEMORY_H

#include "explore.h"

#define MEMORY_THREADS (EXPLORE_THREADS + 1)

struct memory_op {
    enum op_kind kind;
    uint64_t *address;
    uint64_t operand;
    uint64_t expected; /* OP_CAS */
    int order;
    int failure_order; /* OP_CAS */
    bool force;        /* OP_CAS: the comparison is taken to succeed */
};

struct memory_outcome {
    uint64_t value;  /* what was read (OP_STORE: what was written) */
    unsigned writer; /* thread that wrote it */
    bool stored;
};

/* Forgets all; `shared` is watched from here on. */
void memory_reset(void *shared, size_t bytes);

/* Everything `from` has done or seen happens before what `to` does next. */
void memory_order_after(unsigned to, unsigned from);

/* In how many ways the operation can go now; 0 is the one that sees the newest store. */
unsigned memory_ways(unsigned thread, const struct memory_op *op);

struct memory_outcome memory_perform(unsigned thread, const struct memory_op *op, unsigned way);

/* A plain access. NULL, or what it races with (static text). */
const char *memory_access(unsigned thread, const void *address, size_t size, bool write);

/* A hash of the execution graph so far: same graph, same hash, whatever the interleaving. */
uint64_t memory_hash(void);

#endif
