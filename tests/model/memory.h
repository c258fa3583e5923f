/*
 * The memory of one execution: for each atomic object the history of its stores in modification order, and for each thread what it has
 * seen and what happened before. memory.c explains the model.
 *
 * Thread 0 is the main thread. Limits (objects, stores) are fixed; if one is reached, the process ends, so nothing is hidden.
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
    bool force;        /* OP_CAS: the comparison is assumed to succeed */
};

struct memory_outcome {
    uint64_t value;  /* the value read (OP_STORE: the value written) */
    unsigned writer; /* thread that wrote it */
    bool stored;
};

/* Clears everything; from now on `shared` is watched. */
void memory_reset(void *shared, size_t bytes);

/* Everything that `from` has done or seen happens before the next step of `to`. */
void memory_order_after(unsigned to, unsigned from);

/* The number of ways in which the operation can continue now; 0 is the one that sees the newest store. */
unsigned memory_ways(unsigned thread, const struct memory_op *op);

struct memory_outcome memory_perform(unsigned thread, const struct memory_op *op, unsigned way);

/* A plain access. Returns NULL, or the access with which it races (static text). */
const char *memory_access(unsigned thread, const void *address, size_t size, bool write);

/* A hash of the execution graph so far: the same graph gives the same hash, whatever the interleaving. */
uint64_t memory_hash(void);

#endif
