/*
 * The queues of elements between threads: as many producers and consumers as each queue allows, small queues that are full and empty all
 * the time, and an observer that asks for their size. Every element arrives once, in its producer's order, with the data to which it
 * points. A queue that says it is not empty has an element, and no size is out of bounds. The consumer's walk sees what the polls after it
 * take; the observer's walk over an array sees nothing twice, and nothing that was taken before. test_queue_elements_tsan runs this program
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
    uint64_t value;             /* plain: written by the producer before its offer */
    _Atomic(uint64_t) taken_in; /* number of the observer's last walk when it had been polled; 0: not polled */
};

static struct token tokens[SIDES][ELEMENTS];

struct producer {
    unsigned side;
    uint64_t refused;
};

struct seen {
    struct token *tokens[QUEUE_MAX];
    uint64_t count;
};

struct consumer {
    uint64_t delivered[SIDES], next[SIDES], damaged, lied;
    struct seen seen;
};

static const struct queue_kind *kind;
static struct any_queue q;
static unsigned producers, consumers;
static _Atomic(unsigned) producing;
static _Atomic(uint64_t) taken_count; /* relaxed: it only delays producers */
static _Atomic(bool) observing;
static _Atomic(uint64_t) walk_number; /* the observer's current or last walk */

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

static void take(struct consumer *c, struct token *token)
{
    size_t at = (size_t)(token - tokens[0]);
    unsigned side = (unsigned)(at / ELEMENTS);

    if (at >= SIDES * ELEMENTS || at % ELEMENTS < c->next[side] || token->value != value_of(side, at % ELEMENTS)) {
        c->damaged++;
        return;
    }
    /* Acquire and release: pairs with that in observe_walk, so that a later walk knows of this poll. */
    atomic_store_explicit(&token->taken_in, atomic_fetch_add_explicit(&walk_number, 0, memory_order_acq_rel), memory_order_relaxed);
    c->next[side] = at % ELEMENTS + 1;
    c->delivered[side]++;
    atomic_fetch_add_explicit(&taken_count, 1, memory_order_relaxed);
}

static void take_one(void *context, void *element)
{
    take(context, element);
}

static bool see(void *context, void *element)
{
    struct seen *s = context;

    s->tokens[s->count++] = element;
    return s->count < QUEUE_MAX;
}

/* Walks as the only consumer, and takes what it has seen: all of it comes, in this order. What was in a bubble may come between. */
static void walk_and_take(struct consumer *c, struct seen *s)
{
    s->count = 0;
    c->lied += kind->walk(&q, see, s) != s->count;
    for (uint64_t i = 0; i < s->count; i++) {
        struct token *token = kind->poll(&q);

        while (token && token != s->tokens[i] && producers > 1) {
            take(c, token);
            token = kind->poll(&q);
        }
        c->lied += token != s->tokens[i];
        if (!token)
            return;
        take(c, token);
    }
}

static void *consume(void *argument)
{
    struct consumer *c = argument;

    for (uint64_t turn = 0;; turn++) {
        /* Acquire: pairs with the release in produce; read before the queue, so that the last element is seen. */
        bool over = atomic_load_explicit(&producing, memory_order_acquire) == 0;
        bool some = consumers == 1 && !kind->is_empty(&q);
        struct token *seen = turn % 5 == 0 ? kind->peek(&q) : NULL, *token;

        c->lied += turn % 5 == 0 && some && !seen;
        token = some || over || turn % 2 ? kind->poll(&q) : kind->relaxed_poll(&q);
        c->lied += some && !token;
        c->lied += consumers == 1 && seen && seen != token;
        if (token) {
            take(c, token);
            if (consumers == 1 && turn % 7 == 0)
                walk_and_take(c, &c->seen);
        } else if (over) {
            return NULL;
        } else if (kind->drain(&q, take_one, c, 5) == 0) {
            sched_yield();
        }
    }
}

/* The others go round the ring while the observer walks. */
static bool see_slowly(void *context, void *element)
{
    sched_yield();
    return see(context, element);
}

/* Walks over an array as a third thread. Returns what is wrong with what it has seen. */
static uint64_t observe_walk(struct seen *s)
{
    /* Acquire and release: pairs with that in take. */
    uint64_t number = atomic_fetch_add_explicit(&walk_number, 1, memory_order_acq_rel) + 1, wrong;
    bool ordered = producers > 1 || consumers > 1;

    s->count = 0;
    wrong = kind->walk(&q, see_slowly, s) != s->count || s->count > CAPACITY;
    for (uint64_t i = 0; i < s->count; i++) {
        uint64_t taken_in = atomic_load_explicit(&s->tokens[i]->taken_in, memory_order_relaxed);

        wrong += taken_in != 0 && taken_in < number;
        for (uint64_t j = 0; j < i; j++) {
            bool same_side = (s->tokens[i] - tokens[0]) / ELEMENTS == (s->tokens[j] - tokens[0]) / ELEMENTS;

            wrong += s->tokens[j] == s->tokens[i] || (ordered && same_side && s->tokens[j] > s->tokens[i]);
        }
    }
    return wrong;
}

static void *observe(void *argument)
{
    static struct seen seen;
    uint64_t *wrong = argument, capacity = kind->capacity(&q), offered = 0, polled = 0;

    while (atomic_load_explicit(&observing, memory_order_relaxed)) {
        uint64_t now_polled = kind->polled ? kind->polled(&q) : 0, now_offered = kind->offered ? kind->offered(&q) : 0;

        *wrong += now_offered < offered || now_polled < polled;
        *wrong += kind->offered && kind->size(&q) > capacity;
        kind->is_empty(&q);
        if (kind->offer_n)
            *wrong += observe_walk(&seen);
        offered = now_offered;
        polled = now_polled;
        sched_yield();
    }
    return NULL;
}

static void run(const struct queue_kind *k)
{
    struct producer p[SIDES] = {{0}, {1}};
    static struct consumer c[SIDES];
    pthread_t threads[2 * SIDES + 1];
    uint64_t delivered = 0, damaged = 0, lied = 0, refused = 0, wrong = 0;
    unsigned n = 0;

    kind = k;
    producers = k->many_producers ? 2 : 1;
    consumers = k->many_consumers ? 2 : 1;
    memset(c, 0, sizeof c);
    memset(tokens, 0, sizeof tokens);
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
    tap_ok(lied == 0 && wrong == 0, "... what is_empty, peek, walk, size and the counts say is true (%llu, %llu wrong)",
           (unsigned long long)lied, (unsigned long long)wrong);
    tap_ok(queue_kind_free(k, &q), "... and its memory is whole");
}

int main(void)
{
    for (unsigned i = 0; i < queue_kind_count; i++)
        run(&queue_kinds[i]);
    return tap_done();
}
