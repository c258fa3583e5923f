/*
 * An exhaustive explorer of small concurrent programs over C11 atomics. It runs the program's threads in every order that matters, and
 * lets every load return every value that the C11 memory model allows, until nothing new can happen or a check fails.
 * tests/model/README.md says how, and what "every" means.
 *
 * The code under test is compiled with -fsanitize=thread and linked to instrument.c instead of the sanitizer's run-time library. So its
 * source is the real one, and each of its memory accesses comes here. Accesses to memory that was not declared as shared are ignored.
 *
 * One exploration at a time, in one thread of the process.
 */
#ifndef MODEL_EXPLORE_H
#define MODEL_EXPLORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPLORE_THREADS 4 /* besides the main thread, which runs setup and finish */

/* A program: it must behave in the same way whenever its threads see the same values. `shared` is zero-filled before each execution;
 * setup, threads and finish must reset everything else that they use. finish sees everything that the threads did. */
struct explore_program {
    const char *name;
    void *shared;
    size_t shared_bytes;
    void (*setup)(void);
    void (*threads[EXPLORE_THREADS])(void); /* NULL: none */
    void (*finish)(void);
    const char *(*place)(const void *address); /* names an atomic object for messages */
};

enum op_kind { OP_LOAD, OP_STORE, OP_EXCHANGE, OP_ADD, OP_SUB, OP_AND, OP_OR, OP_XOR, OP_CAS };

/* A fault planted into one operation of the program, to check that the explorer finds it. */
struct explore_plant {
    const char *place; /* as explore_program.place names it */
    enum op_kind kind;
    enum {
        PLANT_ORDER, /* the operation has memory order `order` */
        PLANT_TEAR,  /* the read-modify-write is a load and a store, both of order `order` */
        PLANT_FORCE, /* the compare-and-swap does not compare */
    } fault;
    int order;
    bool (*only)(uint64_t before, uint64_t operand); /* decides by the object's newest value and the operation; NULL: always */
};

struct explore_result {
    uint64_t executions; /* complete ones, each with a different execution graph */
    uint64_t states;     /* different prefixes of execution graphs */
    bool failed;
    char message[256]; /* what failed first */
    char trace[8192];  /* one line per atomic operation that led there */
};

/* Explores the program; `plant` may be NULL. */
void explore(const struct explore_program *program, const struct explore_plant *plant, struct explore_result *result);

/* From the program's threads: a failed check ends the exploration. */
void explore_check(bool passed, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Call it from the program's threads, in a loop that waits for another thread: the loop has seen a value that makes it look again. That
 * ends the execution, uncounted, because there is another one in which the thread at once sees the value for which it waits. If no
 * thread is left that could change the value, it is a fault. The loop must do nothing but look. */
void explore_wait(void);

/* From the program's threads: the number of atomic operations that the calling thread has begun so far. */
unsigned explore_steps(void);

#endif
