/*
 * The search. Threads are coroutines that stop before each atomic operation. At every step the number of choices is the number of ways
 * in which all threads together can continue (memory_ways). The choices form a path. The next execution repeats all choices but the
 * last, for which it takes the next one: depth first, without saved states.
 *
 * Pruning: how a thread continues depends only on the values that it has read. The memory depends only on which load read from which
 * store, and on the modification orders; that is the execution graph. If the graph of a path was met before, in another interleaving,
 * the path can lead to nothing new, and is abandoned. Graphs are remembered by 64-bit hashes.
 */
#include "explore.h"

#include "instrument.h"
#include "memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define DEPTH       200
#define STACK_BYTES 65536

struct coroutine {
    jmp_buf top;  /* before the program's thread: starts it */
    jmp_buf here; /* where it waits */
    bool created, finished;
    struct memory_op pending;
    struct memory_outcome outcome;
    unsigned steps;
    unsigned newest; /* number of operations in a row that read the newest store while no other thread was left */
    bool stale;      /* since it last waited, it has read an older store */
    char stack[STACK_BYTES] __attribute__((aligned(64)));
};

/* A point at which the execution can continue in several ways. */
struct choice {
    unsigned taken, ways; /* counted through all threads */
    unsigned thread, way; /* what `taken` stands for */
};

struct step {
    unsigned thread;
    struct memory_op op;
    struct memory_outcome outcome;
};

static struct {
    const struct explore_program *program;
    const struct explore_plant *plant;
    struct explore_result *result;
    unsigned current; /* 0: the main thread */
    bool waits;       /* the execution ends: a thread waits */
    jmp_buf scheduler;
    ucontext_t creator;
    struct coroutine threads[EXPLORE_THREADS];
    struct choice path[DEPTH];
    unsigned path_length;
    struct step steps[DEPTH];
    unsigned depth;
    uint64_t *seen; /* open addressing, 0 = free */
    size_t seen_capacity, seen_count;
} x;

/* ---- graphs met before ---- */

static void seen_grow(void)
{
    uint64_t *old = x.seen;
    size_t old_capacity = x.seen_capacity;

    x.seen_capacity = old_capacity ? 2 * old_capacity : 1 << 16;
    x.seen = calloc(x.seen_capacity, sizeof *x.seen);
    if (!x.seen)
        abort();
    for (size_t i = 0; i < old_capacity; i++) {
        size_t at = old[i] & (x.seen_capacity - 1);

        while (old[i] && x.seen[at])
            at = (at + 1) & (x.seen_capacity - 1);
        if (old[i])
            x.seen[at] = old[i];
    }
    free(old);
}

/* True if the graph is new. */
static bool seen_add(uint64_t hash)
{
    size_t at;

    if (2 * x.seen_count >= x.seen_capacity)
        seen_grow();
    hash += hash == 0;
    for (at = hash & (x.seen_capacity - 1); x.seen[at]; at = (at + 1) & (x.seen_capacity - 1)) {
        if (x.seen[at] == hash)
            return false;
    }
    x.seen[at] = hash;
    x.seen_count++;
    return true;
}

/* ---- threads ---- */

static void fail(const char *format, va_list args)
{
    if (!x.result->failed)
        vsnprintf(x.result->message, sizeof x.result->message, format, args);
    x.result->failed = true;
    if (x.current != 0)
        _longjmp(x.scheduler, 1); /* the thread never continues */
}

void explore_check(bool passed, const char *format, ...)
{
    va_list args;

    if (passed)
        return;
    va_start(args, format);
    fail(format, args);
    va_end(args);
}

static unsigned thread_count(void)
{
    unsigned n = 0;

    while (n < EXPLORE_THREADS && x.program->threads[n])
        n++;
    return n;
}

/* The largest number of reads of a waiting loop before it looks again. */
#define LOOKS 3

static bool is_alone(unsigned index)
{
    for (unsigned t = 0; t < thread_count(); t++) {
        if (t != index && !x.threads[t].finished)
            return false;
    }
    return true;
}

void explore_wait(void)
{
    const struct coroutine *c;

    if (x.current == 0) {
        fprintf(stderr, "model: the main thread waits\n");
        exit(3);
    }
    c = &x.threads[x.current - 1];
    explore_check(c->newest < LOOKS, "thread %u waits for ever", x.current);
    if (is_alone(x.current - 1) && !c->stale) /* it looks again, until it has seen the newest value of everything */
        return;
    x.waits = true;
    _longjmp(x.scheduler, 1);
}

unsigned explore_steps(void)
{
    return x.current ? x.threads[x.current - 1].steps : 0;
}

/* Returns to the scheduler, until it resumes this thread. */
static void wait_turn(void)
{
    if (_setjmp(x.threads[x.current - 1].here) == 0)
        _longjmp(x.scheduler, 1);
}

static void run_thread(int index)
{
    struct coroutine *c = &x.threads[index];

    if (_setjmp(c->top) == 0)
        setcontext(&x.creator);
    x.program->threads[index]();
    x.threads[index].finished = true;
    _longjmp(x.scheduler, 1);
}

static void create_thread(int index)
{
    struct coroutine *c = &x.threads[index];
    ucontext_t context;

    getcontext(&context);
    context.uc_stack.ss_sp = c->stack;
    context.uc_stack.ss_size = sizeof c->stack;
    context.uc_link = NULL;
    makecontext(&context, (void (*)(void))run_thread, 1, index);
    swapcontext(&x.creator, &context);
    c->created = true;
}

/* Runs a thread (0 is the first one besides main) to its next operation or its end. */
static void resume(unsigned index, bool start)
{
    struct coroutine *c = &x.threads[index];

    x.current = index + 1;
    if (_setjmp(x.scheduler) == 0)
        _longjmp(start ? c->top : c->here, 1);
    x.current = 0;
}

static bool is_planted(const struct memory_op *op)
{
    return x.plant && x.plant->kind == op->kind && strcmp(x.plant->place, x.program->place(op->address)) == 0 &&
           (!x.plant->only || x.plant->only(*op->address, op->operand));
}

static struct memory_outcome operate_here(struct memory_op op)
{
    struct coroutine *c;

    if (x.current == 0)
        return memory_perform(0, &op, 0);
    c = &x.threads[x.current - 1];
    c->pending = op;
    c->steps++;
    wait_turn();
    return x.threads[x.current - 1].outcome;
}

/* A read-modify-write as an author would write it who forgot that it must be one operation. */
static struct memory_outcome operate_torn(struct memory_op op)
{
    struct memory_op half = {.kind = OP_LOAD, .address = op.address, .order = x.plant->order};
    struct memory_outcome outcome = operate_here(half);

    if (op.kind == OP_CAS && outcome.value != op.expected)
        return outcome;
    half.kind = OP_STORE;
    half.operand = op.kind == OP_ADD ? outcome.value + op.operand : op.operand;
    operate_here(half);
    outcome.stored = true;
    return outcome;
}

struct memory_outcome explore_operate(struct memory_op op)
{
    if (x.current != 0 && is_planted(&op)) {
        if (x.plant->fault == PLANT_TEAR)
            return operate_torn(op);
        op.order = x.plant->fault == PLANT_ORDER ? x.plant->order : op.order;
        op.force = x.plant->fault == PLANT_FORCE;
    }
    return operate_here(op);
}

void explore_access(const void *address, size_t size, bool write)
{
    const char *race = memory_access(x.current, address, size, write);

    if (race)
        explore_check(false, "thread %u, word %zu of the shared memory: %s", x.current,
                      (size_t)((const char *)address - (const char *)x.program->shared) / 8, race);
}

/* ---- one execution ---- */

static void start(void)
{
    memset(x.program->shared, 0, x.program->shared_bytes);
    memory_reset(x.program->shared, x.program->shared_bytes);
    x.current = 0;
    x.depth = 0;
    x.waits = false;
    x.program->setup();
    for (unsigned t = 0; t < thread_count(); t++)
        memory_order_after(t + 1, 0);
    for (unsigned t = 0; t < thread_count(); t++)
        x.threads[t].finished = false;
    for (unsigned t = 0; t < thread_count() && !x.result->failed && !x.waits; t++) {
        x.threads[t].steps = x.threads[t].newest = 0;
        x.threads[t].stale = false;
        if (!x.threads[t].created)
            create_thread((int)t);
        resume(t, true);
    }
}

static unsigned ways_of(unsigned index)
{
    return x.threads[index].finished ? 0 : memory_ways(index + 1, &x.threads[index].pending);
}

/* Adds the first choice at a new point to the path; false when all threads have ended. */
static bool grow_path(void)
{
    unsigned ways = 0;

    for (unsigned t = 0; t < thread_count(); t++)
        ways += ways_of(t);
    if (ways == 0)
        return false;
    if (x.path_length == DEPTH) {
        explore_check(false, "more than %d steps: a loop without end?", DEPTH);
        return false;
    }
    x.path[x.path_length++] = (struct choice){.ways = ways};
    return true;
}

static void decode(struct choice *c)
{
    c->way = c->taken;
    for (c->thread = 0; c->way >= ways_of(c->thread); c->thread++)
        c->way -= ways_of(c->thread);
}

/* Takes the next step of the path; returns false when all threads have ended. */
static bool step(void)
{
    struct choice *c = &x.path[x.depth];
    struct coroutine *t;

    if (x.depth == x.path_length && !grow_path())
        return false;
    if (x.depth + 1 == x.path_length) /* the last one is new, all earlier ones are repeated */
        decode(c);
    t = &x.threads[c->thread];
    t->outcome = memory_perform(c->thread + 1, &t->pending, c->way);
    t->newest = c->way == 0 && is_alone(c->thread) ? t->newest + 1 : 0;
    t->stale |= c->way != 0 && is_alone(c->thread);
    x.steps[x.depth++] = (struct step){c->thread + 1, t->pending, t->outcome};
    resume(c->thread, false);
    return true;
}

static void finish(void)
{
    for (unsigned t = 0; t < thread_count(); t++)
        memory_order_after(0, t + 1);
    x.program->finish();
    x.result->executions++;
}

static void execute(void)
{
    start();
    while (!x.result->failed && !x.waits && step()) {
        if (x.depth >= x.path_length && !x.result->failed && !x.waits && !seen_add(memory_hash()))
            return;
    }
    if (!x.result->failed && !x.waits)
        finish();
}

/* Moves to the next path in depth-first order; returns false if there is none. */
static bool backtrack(void)
{
    while (x.path_length > 0 && x.path[x.path_length - 1].taken + 1 == x.path[x.path_length - 1].ways)
        x.path_length--;
    if (x.path_length == 0)
        return false;
    x.path[x.path_length - 1].taken++;
    return true;
}

static void write_trace(void)
{
    static const char *const kinds[] = {"load", "store", "exchange", "add", "sub", "and", "or", "xor", "compare and swap"};
    static const char *const orders[] = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
    size_t used = 0;

    for (unsigned i = 0; i < x.depth && used < sizeof x.result->trace; i++) {
        const struct step *s = &x.steps[i];
        const char *verb = s->op.kind == OP_CAS && !s->outcome.stored ? ", failed" : "";

        used += (size_t)snprintf(x.result->trace + used, sizeof x.result->trace - used, "thread %u: %s %s (%s)%s: %#llx of thread %u\n",
                                 s->thread, kinds[s->op.kind], x.program->place(s->op.address), orders[s->op.order], verb,
                                 (unsigned long long)s->outcome.value, s->outcome.writer);
    }
}

void explore(const struct explore_program *program, const struct explore_plant *plant, struct explore_result *result)
{
    *result = (struct explore_result){0};
    x.program = program;
    x.plant = plant;
    x.result = result;
    x.path_length = 0;
    x.seen_count = 0;
    if (x.seen)
        memset(x.seen, 0, x.seen_capacity * sizeof *x.seen);
    do
        execute();
    while (!result->failed && backtrack());
    result->states = x.seen_count;
    if (result->failed)
        write_trace();
}
