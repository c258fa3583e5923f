/*
 * The queues of elements between threads: as many producers and consumers as each queue allows, small queues that are full and empty all
 * the time, and an observer that asks for their size. Every element arrives once, in its producer's order, with the data to which it
 * points. A queue that says it is not empty has an element, and no size is out of bounds. test_queue_elements_tsan runs this program
 * again, compiled for ThreadSanitizer.
 *
 * tier: quick
 * timeout: 120
 * aarch64: yes
 */
#include "../tap.h"

#include "queue_kinds.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_THREAD__
#define ELEMENTS 8000
#else
#define ELEMENTS 60000
#endif
#define CAPACITY     16
#define MOST_WAITING (QUEUE_MAX / 2) /* in an unbounded queue, so that its memory is enough */
#define SIDES        2

struct token {
    uint64_t value; /* plain: written by the producer before its offer */
};

static struct token tokens[SIDES][ELEMENTS];

struct producer {
    unsigned side;
    uint64_t refused;
};

struct consumer {
    uint64_t delivered[SIDES], next[SIDES], damaged, lied;
};

static const struct queue_kind *kind;
static struct any_queue q;
static unsigned producers, consumers;
static _Atomic(unsigned) producing;
static _Atomic(uint64_t) taken_count; /* relaxed: it only delays producers */
static _Atomic(bool) observing;

static uint64_t value_of(unsigned side, uint64_t n)
{
    return (n + 1) * 0x9e3779b97f4a7c15ULL + side;
}

static void *produce(void *argument)
{
    struct producer *p = argument;
    uint64_t n = 0;

    while (n < ELEMENTS) {
        struct token *token = &tokens[p->side][n];
        bool behind = !kind->bounded && n * producers > atomic_load_explicit(&taken_count, memory_order_relaxed) + MOST_WAITING;

        token->value = value_of(p->side, n);
        if (!behind && (n % 3 ? kind->offer : kind->relaxed_offer)(&q, token)) {
            n++;
        } else {
            p->refused++;
            sched_yield();
        }
    }
    /* Release: pairs with the acquire in consume; all offers are over. */
    atomic_fetch_sub_explicit(&producing, 1, memory_order_release);
    return NULL;
}

static void take(struct consumer *c, const struct token *token)
{
    size_t at = (size_t)(token - tokens[0]);
    unsigned side = (unsigned)(at / ELEMENTS);

    if (at >= SIDES * ELEMENTS || at % ELEMENTS < c->next[side] || token->value != value_of(side, at % ELEMENTS)) {
        c->damaged++;
        return;
    }
    c->next[side] = at % ELEMENTS + 1;
    c->delivered[side]++;
    atomic_fetch_add_explicit(&taken_count, 1, memory_order_relaxed);
}

static void take_one(void *context, void *element)
{
    take(context, element);
}

static void *consume(void *argument)
{
    struct consumer *c = argument;

    for (uint64_t turn = 0;; turn++) {
        /* Acquire: pairs with the release in produce; read before the queue, so that the last element is seen. */
        bool over = atomic_load_explicit(&producing, memory_order_acquire) == 0;
        bool some = consumers == 1 && !kind->is_empty(&q);
        const struct token *seen = turn % 5 == 0 ? kind->peek(&q) : NULL, *token;

        c->lied += turn % 5 == 0 && some && !seen;
        token = some || over || turn % 2 ? kind->poll(&q) : kind->relaxed_poll(&q);
        c->lied += some && !token;
        c->lied += consumers == 1 && seen && seen != token;
        if (token)
            take(c, token);
        else if (over)
            return NULL;
        else if (kind->drain(&q, take_one, c, 5) == 0)
            sched_yield();
    }
}

static void *observe(void *argument)
{
    uint64_t *wrong = argument, capacity = kind->capacity(&q), offered = 0, polled = 0;

    while (atomic_load_explicit(&observing, memory_order_relaxed)) {
        uint64_t now_polled = kind->polled ? kind->polled(&q) : 0, now_offered = kind->offered ? kind->offered(&q) : 0;

        *wrong += now_offered < offered || now_polled < polled;
        *wrong += kind->offered && kind->size(&q) > capacity;
        kind->is_empty(&q);
        offered = now_offered;
        polled = now_polled;
        sched_yield();
    }
    return NULL;
}

static void run(const struct queue_kind *k)
{
    struct producer p[SIDES] = {{0}, {1}};
    struct consumer c[SIDES];
    pthread_t threads[2 * SIDES + 1];
    uint64_t delivered = 0, damaged = 0, lied = 0, refused = 0, wrong = 0;
    unsigned n = 0;

    kind = k;
    producers = k->many_producers ? 2 : 1;
    consumers = k->many_consumers ? 2 : 1;
    memset(c, 0, sizeof c);
    k->make(&q, CAPACITY, 0);
    atomic_store(&producing, producers);
    atomic_store(&taken_count, 0);
    atomic_store(&observing, true);
    for (unsigned i = 0; i < producers; i++)
        pthread_create(&threads[n++], NULL, produce, &p[i]);
    for (unsigned i = 0; i < consumers; i++)
        pthread_create(&threads[n++], NULL, consume, &c[i]);
    pthread_create(&threads[n], NULL, observe, &wrong);
    for (unsigned i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    atomic_store(&observing, false);
    pthread_join(threads[n], NULL);
    for (unsigned i = 0; i < SIDES; i++) {
        delivered += c[i].delivered[0] + c[i].delivered[1];
        damaged += c[i].damaged;
        lied += c[i].lied;
        refused += p[i].refused;
    }
    tap_ok(damaged == 0 && delivered == (uint64_t)producers * ELEMENTS,
           "%s, %u and %u threads: %llu elements arrive once, whole and in order (%llu offers failed)", k->name, producers, consumers,
           (unsigned long long)delivered, (unsigned long long)refused);
    tap_ok(lied == 0 && wrong == 0, "... what is_empty, peek, size and the counts say is true (%llu, %llu wrong)", (unsigned long long)lied,
           (unsigned long long)wrong);
    tap_ok(queue_kind_free(k, &q), "... and its memory is whole");
}

int main(void)
{
    for (unsigned i = 0; i < queue_kind_count; i++)
        run(&queue_kinds[i]);
    return tap_done();
}
