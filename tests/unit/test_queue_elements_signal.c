/*
 * A producer that interrupts itself at every possible place. The processor's single-step flag is set during calls of a queue, so that a
 * handler runs after each instruction, 100,000 times for each queue. One in sixteen handlers, chosen at random, offers to the same queue
 * (in tier all, 100,000 handlers that offer for each queue). Some of the handlers are single-stepped in the same way. Nothing must hang,
 * and every element must arrive once, in the order of its context; the relaxed operations of the consumer are interrupted, too.
 *
 * Not every handler offers, because an offer of a lock-free queue tries again if another offer came between two of its steps.
 *
 * tier: default
 * timeout: 300
 * sanitize: no
 */
#include "../tap.h"

#include "queue_kinds.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#ifdef __x86_64__

#define HANDLED  100000
#define OFFERING 16 /* one in this many handlers */
#define CONTEXTS 3  /* the thread, a handler, a handler in a handler */
#define CAPACITY 64
#define STEPPED  61 /* every so manieth handler is single-stepped */

/* Elements are numbers: the context, and the count of its offers. */
static struct {
    uint64_t accepted, refused, delivered;
} contexts[CONTEXTS];

static const struct queue_kind *kind;
static struct any_queue q;
static uint64_t damaged;
static volatile sig_atomic_t handled, depth;
static uint32_t dice = 1;

/* The trap flag; the red zone below the stack pointer is not touched. */
static inline __attribute__((always_inline)) void step(bool on)
{
    if (on)
        __asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; orq $0x100, (%%rsp); popfq; lea 128(%%rsp), %%rsp" ::: "cc", "memory");
    else
        __asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; andq $~0x100, (%%rsp); popfq; lea 128(%%rsp), %%rsp" ::: "cc", "memory");
}

/* As the headers say: in a handler only the relaxed operation, which does not wait for the operation that it may have interrupted. */
static void offer(unsigned context)
{
    uint64_t n = contexts[context].accepted + 1;

    if ((context ? kind->relaxed_offer : kind->offer)(&q, (void *)(uintptr_t)(n * 16 + context * 4)))
        contexts[context].accepted = n;
    else
        contexts[context].refused++;
}

/* In a handler the flag is off until the handler sets it itself. */
static void handle(int number)
{
    unsigned context = ++depth;

    dice = dice * 1664525u + 1013904223u;
    if (context < CONTEXTS && dice >> 16 < 65536 / OFFERING) {
        step(context == 1 && handled % STEPPED == 0);
        offer(context);
        step(false);
    }
    handled = handled + 1;
    depth--;
}

static void take(void *context, void *element)
{
    uint64_t word = (uintptr_t)element, from = word % 16 / 4;

    damaged += from >= CONTEXTS || word / 16 != ++contexts[from].delivered;
}

/* While it is single-stepped, more elements come than go. */
static void drain(bool stepped)
{
    step(stepped);
    kind->drain(&q, take, NULL, 2);
    step(false);
    kind->drain(&q, take, NULL, UINT64_MAX);
}

static void run(const char *name)
{
    const char *tier = getenv("CANDOR_TIER");
    int wanted = tier && strcmp(tier, "all") == 0 ? HANDLED * OFFERING : HANDLED;
    uint64_t accepted = 0, delivered = 0;

    for (unsigned i = 0; i < queue_kind_count; i++) {
        if (strcmp(queue_kinds[i].name, name) == 0)
            kind = &queue_kinds[i];
    }
    memset(contexts, 0, sizeof contexts);
    damaged = 0;
    handled = depth = 0;
    kind->make(&q, CAPACITY, 0);
    for (unsigned turn = 0; handled < wanted; turn++) {
        step(true);
        offer(0);
        step(false);
        if (turn % 3 == 0)
            drain(turn % 2 == 0);
    }
    drain(false);
    for (unsigned i = 0; i < CONTEXTS; i++) {
        accepted += contexts[i].accepted;
        delivered += contexts[i].delivered;
    }
    tap_ok(damaged == 0 && accepted == delivered && contexts[0].accepted > 100 && contexts[1].accepted > 100 && contexts[2].accepted > 100,
           "%s: %d handlers: all %llu, %llu and %llu elements arrive once and in order (%llu refused)", name, (int)handled,
           (unsigned long long)contexts[0].accepted, (unsigned long long)contexts[1].accepted, (unsigned long long)contexts[2].accepted,
           (unsigned long long)(contexts[1].refused + contexts[2].refused));
    tap_ok(queue_kind_free(kind, &q), "... and its memory is whole");
}

int main(void)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_NODEFER};

    sigaction(SIGTRAP, &action, NULL);
    run("mpsc array");
    run("mpsc chunked");
    run("mpsc unbounded");
    run("mpsc linked");
    run("mpmc array");
    return tap_done();
}

#else

int main(void)
{
    tap_skip("queues interrupted after each instruction: x86-64 only");
    return tap_done();
}

#endif
