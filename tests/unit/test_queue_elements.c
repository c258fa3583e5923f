/*
 * The queues of elements, with one thread. First the properties of all of them (order, full, empty, counts, refusals, fill and drain,
 * batches, wrap of the indices), then the places where each can go wrong: rings exactly full, the element on the JUMP slot, a JUMP
 * before its element, the last ring of a growable queue, an empty pool, bubbles.
 *
 * tier: quick
 * timeout: 60
 * aarch64: yes
 */
#include "../tap.h"

#include "queue_kinds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CAPACITY 64

static void *element(uint64_t n)
{
    return (void *)(uintptr_t)(8 * n + 8);
}

/* ---- properties of all queues ---- */

static void test_full_and_empty(const struct queue_kind *k)
{
    struct any_queue q;
    uint64_t n = 0, wrong = 0, most = k->bounded ? CAPACITY : QUEUE_MAX;

    k->make(&q, CAPACITY, 0);
    tap_ok(k->capacity(&q) == (k->bounded ? CAPACITY : CANDOR_QUEUE_UNBOUNDED), "%s: its capacity", k->name);
    tap_ok(k->is_empty(&q) && k->size(&q) == 0 && !k->poll(&q) && !k->peek(&q) && !k->relaxed_poll(&q) && !k->relaxed_peek(&q),
           "%s: is empty at first", k->name);
    for (; n <= most && (n % 2 ? k->relaxed_offer : k->offer)(&q, element(n)); n++) {
        wrong += k->size(&q) != n + 1 || k->is_empty(&q) || k->peek(&q) != element(0) || k->relaxed_peek(&q) != element(0);
        wrong += k->offered && (k->offered(&q) != n + 1 || k->polled(&q) != 0);
    }
    tap_ok(k->bounded ? n == most : n >= most, "%s: %llu elements fit", k->name, (unsigned long long)n);
    tap_ok(!k->bounded || (!k->offer(&q, element(n)) && !k->relaxed_offer(&q, element(n)) && k->size(&q) == n), "%s: one more does not",
           k->name);
    for (uint64_t i = 0; i < n; i++) {
        wrong += k->peek(&q) != element(i) || (i % 2 ? k->relaxed_poll : k->poll)(&q) != element(i) || k->size(&q) != n - i - 1;
        wrong += k->polled && k->polled(&q) != i + 1;
    }
    tap_ok(wrong == 0, "%s: order, size and counts at each step (%llu wrong)", k->name, (unsigned long long)wrong);
    tap_ok(k->is_empty(&q) && !k->poll(&q) && k->offer(&q, element(7)) && k->poll(&q) == element(7), "%s: and begins again", k->name);
    tap_ok(!k->offer(&q, NULL) && !k->relaxed_offer(&q, NULL) && !k->offer(&q, CANDOR_QUEUE_JUMP) &&
               !k->relaxed_offer(&q, CANDOR_QUEUE_JUMP) && k->is_empty(&q),
           "%s: refuses what is no element", k->name);
    k->offer(&q, element(1));
    tap_ok(queue_kind_free(k, &q), "%s: its memory is whole in the end", k->name);
}

/* ---- walks ---- */

struct seen {
    uint64_t next, most, wrong;
};

static bool see(void *context, void *e)
{
    struct seen *s = context;

    s->wrong += e != element(s->next++);
    return --s->most > 0;
}

/* Whether walks see the elements from `first` on, `count` of them, and end when they are told to. */
static bool walks(const struct queue_kind *k, struct any_queue *q, uint64_t first, uint64_t count)
{
    struct seen all = {first, UINT64_MAX, 0}, some = {first, count / 2 + 1, 0};
    uint64_t in_some = count < count / 2 + 1 ? count : count / 2 + 1;

    return k->walk(q, see, &all) == count && all.next == first + count && all.wrong == 0 && k->walk(q, see, &some) == in_some &&
           some.next == first + in_some && some.wrong == 0;
}

/* Random steps compared with plain arithmetic, from the given index on, so that an index wraps. */
static void test_random(const struct queue_kind *k, uint64_t start)
{
    struct any_queue q;
    uint64_t in = 0, out = 0, wrong = 0, state = start + 1, most = k->bounded ? CAPACITY : 200;

    k->make(&q, CAPACITY, start);
    for (int i = 0; i < 20000; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        /* Half of the time it mostly fills, the other half it mostly drains. */
        if ((state >> 33) % 16 < (i / 500 % 2 ? 5u : 11u)) {
            if (in - out == most && !k->bounded)
                continue;
            bool good = k->offer(&q, element(in));

            wrong += good != (in - out < most);
            in += good;
        } else {
            void *e = k->poll(&q);

            wrong += e != (in == out ? NULL : element(out));
            out += e != NULL;
        }
        wrong += k->size(&q) != in - out || k->is_empty(&q) != (in == out);
        wrong += k->offered && (k->offered(&q) - k->polled(&q)) << 1 != (in - out) << 1;
        wrong += i % 16 == 0 && !walks(k, &q, out, in - out);
    }
    tap_ok(wrong == 0 && in > 5000, "%s: from index %#llx on, %llu elements (%llu wrong)", k->name, (unsigned long long)start,
           (unsigned long long)in, (unsigned long long)wrong);
    queue_kind_free(k, &q);
}

struct tally {
    uint64_t supplied, consumed, wrong, turns, left;
};

static void *supply(void *context)
{
    struct tally *t = context;

    return element(t->supplied++);
}

static void consume(void *context, void *e)
{
    struct tally *t = context;

    t->wrong += e != element(t->consumed++);
}

static bool running(void *context)
{
    struct tally *t = context;

    return t->left-- > 0;
}

static uint64_t idle(void *context, uint64_t turns)
{
    struct tally *t = context;

    t->wrong += turns != t->turns++;
    return turns + 1;
}

static void test_fill_and_drain(const struct queue_kind *k)
{
    struct any_queue q;
    struct tally t = {0};
    struct candor_queue_loop loop = {running, idle, &t};
    uint64_t room = k->bounded ? CAPACITY : 1000;

    k->make(&q, CAPACITY, 0);
    tap_ok(k->fill(&q, supply, &t, 0) == 0 && k->drain(&q, consume, &t, 5) == 0 && t.supplied == 0, "%s: no limit, no element", k->name);
    tap_ok(k->fill(&q, supply, &t, 10) == 10 && t.supplied == 10 && k->size(&q) == 10, "%s: fill of 10", k->name);
    tap_ok(k->drain(&q, consume, &t, 4) == 4 && t.consumed == 4 && k->size(&q) == 6, "%s: drain of 4", k->name);
    tap_ok(k->fill(&q, supply, &t, room) == (k->bounded ? CAPACITY - 6 : 1000) && k->size(&q) == t.supplied - 4,
           "%s: fill asks for no element that has no room (%llu)", k->name, (unsigned long long)t.supplied);
    tap_ok(!k->bounded || (k->fill(&q, supply, &t, 1) == 0 && t.supplied == CAPACITY + 4), "%s: nor when it is full", k->name);
    tap_ok(k->drain(&q, consume, &t, UINT64_MAX) == t.supplied - 4 && k->is_empty(&q) && t.wrong == 0, "%s: drain of all", k->name);
    t.left = 3;
    tap_ok(k->drain_while(&q, consume, &t, &loop) == 0 && t.turns == 3 && t.wrong == 0, "%s: drain_while waits and ends", k->name);
    t.turns = 0;
    t.left = k->bounded ? 4 : 0; /* the first turn fills, the others wait */
    tap_ok(k->fill_while(&q, supply, &t, &loop) == (k->bounded ? CAPACITY : 0) && t.turns == (k->bounded ? 3 : 0) && t.wrong == 0,
           "%s: fill_while waits and ends", k->name);
    t.turns = 0;
    t.left = 2; /* one turn drains, one waits; without a limit both wait */
    tap_ok(k->drain_while(&q, consume, &t, &loop) == (k->bounded ? CAPACITY : 0) && t.wrong == 0 && t.supplied == t.consumed,
           "%s: drain_while drains", k->name);
    queue_kind_free(k, &q);
}

static void test_batches(const struct queue_kind *k)
{
    struct any_queue q;
    void *in[CAPACITY + 6], *out[CAPACITY + 6] = {0};
    uint64_t wrong = 0, n;

    for (uint64_t i = 0; i < CAPACITY + 6; i++)
        in[i] = element(i);
    k->make(&q, CAPACITY, UINT64_MAX - 20);
    tap_ok(k->offer_n(&q, in, 0) == 0 && k->poll_n(&q, out, 0) == 0 && k->poll_n(&q, out, 9) == 0, "%s: empty batches", k->name);
    tap_ok(k->offer_n(&q, in, 10) == 10 && k->size(&q) == 10 && k->poll_n(&q, out, 4) == 4 && k->size(&q) == 6, "%s: a batch", k->name);
    n = k->offer_n(&q, in + 10, CAPACITY - 4); /* two more than fit */
    tap_ok(n == CAPACITY - 6 && k->size(&q) == CAPACITY, "%s: of a batch that is too large as much as fits", k->name);
    tap_ok(k->poll_n(&q, out + 4, CAPACITY + 2) == CAPACITY && k->is_empty(&q), "%s: a batch takes no more than there is", k->name);
    for (uint64_t i = 0; i < CAPACITY + 4; i++)
        wrong += out[i] != element(i);
    tap_ok(wrong == 0, "%s: batches keep the order", k->name);
    in[3] = NULL;
    tap_ok(k->offer_n(&q, in, 8) == 3 && k->size(&q) == 3, "%s: a batch ends before what is no element", k->name);
    queue_kind_free(k, &q);
}

static void test_all(const struct queue_kind *k)
{
    test_full_and_empty(k);
    test_random(k, 0);
    test_random(k, ((uint64_t)1 << 32) - 300);
    test_random(k, ((uint64_t)1 << 63) - 300);
    test_random(k, UINT64_MAX - 300);
    test_fill_and_drain(k);
    if (k->offer_n)
        test_batches(k);
}

/* ---- rings ---- */

static const struct queue_kind *kind(const char *name)
{
    for (unsigned i = 0; i < queue_kind_count; i++) {
        if (strcmp(queue_kinds[i].name, name) == 0)
            return &queue_kinds[i];
    }
    abort();
}

static uint64_t put(const struct queue_kind *k, struct any_queue *q, uint64_t first, uint64_t count)
{
    uint64_t n = 0;

    while (n < count && k->offer(q, element(first + n)))
        n++;
    return n;
}

static bool got(const struct queue_kind *k, struct any_queue *q, uint64_t first, uint64_t count)
{
    for (uint64_t n = 0; n < count; n++) {
        if (k->poll(q) != element(first + n))
            return false;
    }
    return true;
}

static void test_ring_full(const char *name)
{
    const struct queue_kind *k = kind(name);
    struct any_queue q;
    uint64_t wrong = 0;

    k->make(&q, CAPACITY, 0);
    tap_ok(put(k, &q, 0, 7) == 7 && candor_pool_in_use(&q.pool) == 1, "%s: a ring of 8 holds 7", name);
    tap_ok(got(k, &q, 0, 1) && put(k, &q, 7, 1) == 1 && candor_pool_in_use(&q.pool) == 1,
           "%s: the consumer one behind, the ring goes round", name);
    tap_ok(put(k, &q, 8, 1) == 1 && candor_pool_in_use(&q.pool) == 2, "%s: the next is on the JUMP slot, in a new ring", name);
    tap_ok(got(k, &q, 1, 7) && candor_pool_in_use(&q.pool) == 2, "%s: the old ring is drained", name);
    tap_ok(k->peek(&q) == element(8) && candor_pool_in_use(&q.pool) == 1, "%s: peek leaves it", name);
    tap_ok(got(k, &q, 8, 1) && k->is_empty(&q), "%s: the element on the JUMP slot", name);
    tap_ok(put(k, &q, 9, 20) == 20 && got(k, &q, 9, 20), "%s: several rings on", name);
    for (uint64_t i = 0; i < 1000; i++)
        wrong += put(k, &q, i, 3) != 3 || !got(k, &q, i, 3);
    tap_ok(wrong == 0 && candor_pool_in_use(&q.pool) == 1 && candor_pool_high_water(&q.pool) <= 5,
           "%s: a consumer that keeps up needs one ring", name);
    queue_kind_free(k, &q);
}

/* A bounded queue that stays full must not take a ring for each element. */
static void test_hover(const char *name)
{
    const struct queue_kind *k = kind(name);
    struct any_queue q;
    uint64_t in, most = 0, wrong = 0;

    k->make(&q, CAPACITY, 0);
    in = put(k, &q, 0, CAPACITY + 1);
    for (uint64_t out = 0; out < 10000; out++) {
        wrong += !got(k, &q, out, 1) || put(k, &q, in++, 1) != 1 || k->offer(&q, element(0));
        if (candor_pool_in_use(&q.pool) > most)
            most = candor_pool_in_use(&q.pool);
    }
    tap_ok(wrong == 0 && most <= (CAPACITY - 1) / (QUEUE_RING - 1) + 2, "%s: at its bound it owns at most %llu chunks", name,
           (unsigned long long)most);
    queue_kind_free(k, &q);
}

static void test_empty_pool(const char *name, bool many)
{
    struct any_queue q = {.memory = calloc(1, candor_pool_bytes(2, QUEUE_RING + 1))};
    const struct queue_kind *k = kind(name);
    uint64_t *other;
    int rc;

    candor_pool_init(&q.pool, q.memory, 2, QUEUE_RING + 1);
    rc = many ? candor_mpsc_chunked_init(&q.u.candor_mpsc_chunked, &q.pool, CANDOR_QUEUE_UNBOUNDED)
              : candor_spsc_chunked_init(&q.u.candor_spsc_chunked, &q.pool, CANDOR_QUEUE_UNBOUNDED);
    tap_ok(rc == 0 && put(k, &q, 0, 100) == 14, "%s: two chunks hold 14, then it is full", name);
    tap_ok(!k->relaxed_offer(&q, element(14)) && k->size(&q) == 14 && got(k, &q, 0, 8) && put(k, &q, 14, 1) == 1,
           "%s: it continues when a chunk has come back", name);
    tap_ok(got(k, &q, 8, 7) && k->is_empty(&q) && put(k, &q, 15, 100) >= 7, "%s: nothing was lost", name);
    k->deinit(&q);
    tap_ok(candor_pool_in_use(&q.pool) == 0, "%s: the pool is whole", name);
    other = candor_pool_take(&q.pool);
    candor_pool_take(&q.pool);
    rc = many ? candor_mpsc_chunked_init(&q.u.candor_mpsc_chunked, &q.pool, 8)
              : candor_spsc_chunked_init(&q.u.candor_spsc_chunked, &q.pool, 8);
    tap_ok(rc == -ENOMEM, "%s: no queue without a chunk", name);
    candor_pool_give(&q.pool, other);
    rc = many ? candor_mpsc_chunked_init(&q.u.candor_mpsc_chunked, &q.pool, 0)
              : candor_spsc_chunked_init(&q.u.candor_spsc_chunked, &q.pool, 0);
    tap_ok(rc == -EINVAL && candor_pool_in_use(&q.pool) == 1, "%s: none without capacity", name);
    free(q.memory);
}

static void test_jump_before_element(void)
{
    const struct queue_kind *spsc = kind("spsc unbounded"), *mpsc = kind("mpsc unbounded");
    struct any_queue q;
    uint64_t *slot;

    spsc->make(&q, CAPACITY, 0);
    put(spsc, &q, 0, 7);
    tap_ok(candor_spsc_chunked_has_room(&q.u.candor_spsc_chunked, 7) && got(spsc, &q, 0, 7) && !spsc->poll(&q) && !spsc->peek(&q) &&
               spsc->is_empty(&q) && candor_pool_in_use(&q.pool) == 1,
           "spsc chunked: a JUMP whose element is to come is an empty queue");
    tap_ok(put(spsc, &q, 7, 2) == 2 && got(spsc, &q, 7, 2), "spsc chunked: the element comes");
    queue_kind_free(spsc, &q);

    mpsc->make(&q, CAPACITY, 0);
    put(mpsc, &q, 0, 7);
    slot = candor_mpsc_chunked_claim(&q.u.candor_mpsc_chunked, true);
    tap_ok(slot && got(mpsc, &q, 0, 7) && !mpsc->relaxed_poll(&q) && !mpsc->relaxed_peek(&q) && !mpsc->is_empty(&q),
           "mpsc chunked: a JUMP whose element is to come is a bubble");
    tap_ok(put(mpsc, &q, 8, 1) == 1 && !mpsc->relaxed_poll(&q) && mpsc->size(&q) == 2, "mpsc chunked: what is behind it waits");
    tap_ok(walks(mpsc, &q, 8, 1), "mpsc chunked: but a walk sees it");
    if (slot)
        __atomic_store_n(slot, (uint64_t)(uintptr_t)element(7), __ATOMIC_RELEASE);
    tap_ok(got(mpsc, &q, 7, 2) && mpsc->is_empty(&q), "mpsc chunked: the element comes");
    q.u.candor_mpsc_chunked.producer.index |= 1;
    tap_ok(!mpsc->relaxed_offer(&q, element(9)) && !mpsc->poll(&q) && mpsc->is_empty(&q) && mpsc->size(&q) == 0,
           "mpsc chunked: while another makes a ring, relaxed_offer fails and the queue is as before");
    q.u.candor_mpsc_chunked.producer.index &= ~(uint64_t)1;
    tap_ok(put(mpsc, &q, 9, 1) == 1 && got(mpsc, &q, 9, 1), "mpsc chunked: and continues");
    queue_kind_free(mpsc, &q);
}

static void test_growable(void)
{
    const struct queue_kind *k = kind("spsc growable");
    struct any_queue q;
    struct candor_spsc_chunked *g = &q.u.candor_spsc_chunked;
    uint64_t words = candor_spsc_growable_bytes(2, CAPACITY) / 8, untouched = 0, wrong = 0, in;

    tap_ok(words == 3 + 5 + 9 + 17 + 33 + 65, "spsc growable: its memory holds every ring");
    k->make(&q, CAPACITY, 0);
    for (uint64_t i = 0; i < 1000; i++)
        wrong += put(k, &q, i, 1) != 1 || !got(k, &q, i, 1);
    for (uint64_t i = 3; i < words; i++)
        untouched += q.memory[i] == 0xa5a5a5a5a5a5a5a5u;
    tap_ok(wrong == 0 && untouched == words - 3 && g->producer.mask == 1, "spsc growable: what is not needed is not touched");
    in = put(k, &q, 0, CAPACITY + 1);
    tap_ok(in == CAPACITY && g->producer.mask == CAPACITY - 1 && got(k, &q, 0, CAPACITY) && g->consumer.mask == CAPACITY - 1,
           "spsc growable: filled, it has its last ring");
    in = put(k, &q, 0, CAPACITY + 1);
    tap_ok(in == CAPACITY && g->consumer.slots == g->producer.slots, "spsc growable: which alone holds all, the last slot too");
    for (uint64_t out = 0; out < 1000; out++)
        wrong += !got(k, &q, out, 1) || put(k, &q, in++, 1) != 1 || k->offer(&q, element(0));
    tap_ok(wrong == 0 && got(k, &q, 1000, CAPACITY) && k->is_empty(&q), "spsc growable: and goes round, always full");
    queue_kind_free(k, &q);

    k->make(&q, 4, 0); /* the limit is reached in the last ring while elements are in the first */
    tap_ok(put(k, &q, 0, 9) == 4 && got(k, &q, 0, 1) && put(k, &q, 4, 9) == 1 && got(k, &q, 1, 4) && k->is_empty(&q),
           "spsc growable: the bound holds over all rings");
    queue_kind_free(k, &q);
    tap_ok(candor_spsc_growable_init(g, NULL, 3, 8) == -EINVAL && candor_spsc_growable_init(g, NULL, 8, 4) == -EINVAL &&
               candor_spsc_growable_init(g, NULL, 1, 4) == -EINVAL && candor_spsc_growable_bytes(2, 6) == 0,
           "spsc growable: no odd sizes");
}

/* ---- bubbles, nodes, arguments ---- */

/* A producer stops in an offer, between its element and its index. The consumer takes the element, and is ahead of the index. */
static void test_stopped_offer(const char *name, uint64_t *(*index)(struct any_queue *))
{
    const struct queue_kind *k = kind(name);
    struct any_queue q;

    k->make(&q, CAPACITY, 0);
    put(k, &q, 0, 3);
    --*index(&q);
    tap_ok(walks(k, &q, 0, 2) && got(k, &q, 0, 3) && walks(k, &q, 3, 0) && k->is_empty(&q) && k->size(&q) == 0,
           "%s: a walk while an offer has not counted its element sees nothing that was taken", name);
    ++*index(&q);
    tap_ok(put(k, &q, 3, 2) == 2 && walks(k, &q, 3, 2) && got(k, &q, 3, 2), "%s: and goes on", name);
    queue_kind_free(k, &q);
}

static uint64_t *index_of_array(struct any_queue *q)
{
    return &q->u.candor_spsc_array.producer.index;
}

static uint64_t *index_of_chunked(struct any_queue *q)
{
    return &q->u.candor_spsc_chunked.producer.index;
}

static uint64_t *index_of_linked(struct any_queue *q)
{
    return &q->u.candor_spsc_linked.producer.index;
}

static void test_bubbles(void)
{
    const struct queue_kind *mpsc = kind("mpsc array"), *spmc = kind("spmc array"), *mpmc = kind("mpmc array");
    struct any_queue q;
    uint64_t first, second;
    void *out[4];

    mpsc->make(&q, 4, 0);
    tap_ok(candor_mpsc_array_claim(&q.u.candor_mpsc_array, 1, true, &first) == 1 && put(mpsc, &q, 1, 1) == 1 && !mpsc->relaxed_poll(&q) &&
               !mpsc->relaxed_peek(&q) && !mpsc->is_empty(&q) && mpsc->size(&q) == 2 && mpsc->poll_n(&q, out, 4) == 0,
           "mpsc array: relaxed forms do not see behind a bubble");
    tap_ok(put(mpsc, &q, 2, 9) == 2 && !mpsc->offer(&q, element(9)), "mpsc array: producers continue behind it, to the end");
    tap_ok(walks(mpsc, &q, 1, 3), "mpsc array: a walk sees behind it");
    candor_mpsc_array_store(&q.u.candor_mpsc_array, first, element(0));
    tap_ok(got(mpsc, &q, 0, 4) && mpsc->is_empty(&q), "mpsc array: all are there when it closes");
    queue_kind_free(mpsc, &q);

    spmc->make(&q, 4, 0);
    put(spmc, &q, 0, 4);
    tap_ok(candor_spmc_array_claim(&q.u.candor_spmc_array, 1, &first) == 1 && spmc->size(&q) == 3 && !spmc->relaxed_offer(&q, element(4)) &&
               got(spmc, &q, 1, 3) && !spmc->poll(&q) && spmc->is_empty(&q),
           "spmc array: a consumer that stops keeps its slot, and only that");
    tap_ok(candor_spmc_array_take(&q.u.candor_spmc_array, first) == element(0) && put(spmc, &q, 4, 9) == 4,
           "spmc array: until it continues");
    queue_kind_free(spmc, &q);

    mpmc->make(&q, 4, 0);
    tap_ok(candor_mpmc_array_claim_empty(&q.u.candor_mpmc_array, true, &first) && put(mpmc, &q, 1, 1) == 1 && !mpmc->relaxed_poll(&q) &&
               !mpmc->relaxed_peek(&q) && !mpmc->is_empty(&q) && mpmc->size(&q) == 2,
           "mpmc array: relaxed forms do not see behind a bubble");
    tap_ok(candor_mpmc_array_claim_empty(&q.u.candor_mpmc_array, true, &second) && put(mpmc, &q, 3, 9) == 1 && !mpmc->offer(&q, element(9)),
           "mpmc array: producers continue behind it, to the end");
    tap_ok(mpmc->walk(&q, see, &(struct seen){1, 1, 0}) == 1 && mpmc->walk(&q, see, &(struct seen){0, 9, 0}) == 2,
           "mpmc array: a walk sees what is behind a bubble, and between two");
    candor_mpmc_array_store(&q.u.candor_mpmc_array, second, element(2));
    candor_mpmc_array_store(&q.u.candor_mpmc_array, first, element(0));
    tap_ok(got(mpmc, &q, 0, 4) && mpmc->is_empty(&q), "mpmc array: all are there when it closes");
    queue_kind_free(mpmc, &q);
}

static void test_supplied_nodes(void)
{
    static struct candor_queue_node nodes[4];
    struct candor_queue_node *node = NULL;
    struct candor_spsc_linked s;
    struct candor_mpsc_linked m;
    uint64_t wrong = 0;

    candor_spsc_linked_init_supplied(&s, &nodes[0]);
    candor_mpsc_linked_init_supplied(&m, &nodes[2]);
    tap_ok(!candor_spsc_linked_poll_node(&s, &node) && !candor_mpsc_linked_poll_node(&m, &node) && !node &&
               !candor_spsc_linked_offer_node(&s, &nodes[1], NULL) && !candor_mpsc_linked_offer_node(&m, &nodes[3], NULL) &&
               !candor_spsc_linked_offer(&s, element(1)) && !candor_mpsc_linked_offer(&m, element(1)),
           "linked, nodes supplied: empty, and takes no node without an element");
    candor_spsc_linked_offer_node(&s, &nodes[1], element(0));
    candor_mpsc_linked_offer_node(&m, &nodes[3], element(0));
    wrong += candor_spsc_linked_poll_node(&s, &node) != element(0) || node != &nodes[0];
    wrong += candor_mpsc_linked_poll_node(&m, &node) != element(0) || node != &nodes[2];
    for (uint64_t i = 1; i < 100; i++) { /* each node that comes back is used for the next element */
        wrong += !candor_mpsc_linked_offer_node(&m, node, element(i)) || candor_mpsc_linked_size(&m) != 1;
        wrong += candor_mpsc_linked_relaxed_poll_node(&m, &node) != element(i) || node != &nodes[i % 2 ? 3 : 2];
    }
    node = &nodes[0];
    for (uint64_t i = 1; i < 100; i++) {
        wrong += !candor_spsc_linked_offer_node(&s, node, element(i)) || candor_spsc_linked_peek(&s) != element(i);
        wrong += candor_spsc_linked_poll_node(&s, &node) != element(i) || node != &nodes[i % 2];
    }
    tap_ok(wrong == 0 && candor_mpsc_linked_is_empty(&m) && candor_spsc_linked_is_empty(&s), "linked, nodes supplied: they go round");
}

static void test_arguments(void)
{
    static const uint64_t bad[] = {0, 1, 3, 48, (uint64_t)1 << 33};
    uint64_t slots[4], memory[64];
    struct candor_spsc_array s;
    struct candor_mpsc_array m;
    struct candor_spmc_array c;
    struct candor_mpmc_array b;
    struct candor_spsc_chunked ring;
    struct candor_mpsc_chunked rings;
    struct candor_pool pool;
    unsigned accepted = 0;

    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        accepted += candor_spsc_array_init(&s, slots, bad[i]) == 0 || candor_mpsc_array_init(&m, slots, bad[i]) == 0 ||
                    candor_spmc_array_init(&c, slots, bad[i]) == 0 || candor_mpmc_array_init(&b, NULL, bad[i]) == 0;
    tap_ok(accepted == 0 && candor_spsc_array_init(&s, slots, 2) == -EINVAL && candor_mpsc_array_init(&m, slots, 2) == 0,
           "arrays: capacities that are no power of two are refused");
    candor_pool_init(&pool, memory, 4, 2);
    tap_ok(candor_spsc_chunked_init(&ring, &pool, 9) == -EINVAL && candor_mpsc_chunked_init(&rings, &pool, 9) == -EINVAL &&
               candor_pool_in_use(&pool) == 0,
           "chunked: chunks too small for a ring are refused");
    candor_pool_init(&pool, memory, 4, 8);
    tap_ok(candor_spsc_chunked_init(&ring, &pool, 9) == 0 && ring.producer.mask == 3, "chunked: the ring is the power of two that fits");
}

int main(void)
{
    for (unsigned i = 0; i < queue_kind_count; i++)
        test_all(&queue_kinds[i]);
    test_ring_full("spsc chunked");
    test_ring_full("mpsc chunked");
    test_hover("spsc chunked");
    test_hover("mpsc chunked");
    test_empty_pool("spsc unbounded", false);
    test_empty_pool("mpsc unbounded", true);
    test_jump_before_element();
    test_growable();
    test_stopped_offer("spsc array", index_of_array);
    test_stopped_offer("spsc chunked", index_of_chunked);
    test_stopped_offer("spsc unbounded", index_of_chunked);
    test_stopped_offer("spsc growable", index_of_chunked);
    test_stopped_offer("spsc linked", index_of_linked);
    test_bubbles();
    test_supplied_nodes();
    test_arguments();
    return tap_done();
}
