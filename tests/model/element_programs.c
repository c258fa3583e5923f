#include "element_programs.h"

#include "candor/queue.h"

#include <stddef.h>
#include <string.h>

#define MEMORY_WORDS 40
#define MAX_ELEMENTS 10 /* of a producer */
#define PRODUCERS    3  /* two threads, and before them the main thread */
#define MAIN         2

static struct {
    union {
        struct candor_spsc_array candor_spsc_array;
        struct candor_spsc_chunked candor_spsc_chunked;
        struct candor_spsc_linked candor_spsc_linked;
        struct candor_mpsc_array candor_mpsc_array;
        struct candor_mpsc_chunked candor_mpsc_chunked;
        struct candor_mpsc_linked candor_mpsc_linked;
        struct candor_spmc_array candor_spmc_array;
        struct candor_mpmc_array candor_mpmc_array;
    } q;
    struct candor_pool pool;
    uint64_t memory[MEMORY_WORDS];
    uint64_t payload[PRODUCERS][MAX_ELEMENTS]; /* plain: the data to which an element points */
} shared;

/* Each is written by one thread, and read by finish. */
static struct {
    unsigned offered, accepted;
} made[PRODUCERS];
static struct {
    uint64_t *got[PRODUCERS * MAX_ELEMENTS];
    unsigned count;
} taken[3], walked[2]; /* taken: by two threads, and by finish; walked: what a thread's last walk has seen and it has not polled yet */

static const struct element_program *program;

#define ADAPT(type)                                                                                                                        \
    static bool add_##type(void *element, bool relaxed)                                                                                    \
    {                                                                                                                                      \
        return relaxed ? type##_relaxed_offer(&shared.q.type, element) : type##_offer(&shared.q.type, element);                            \
    }                                                                                                                                      \
    static void *get_##type(bool relaxed)                                                                                                  \
    {                                                                                                                                      \
        return relaxed ? type##_relaxed_poll(&shared.q.type) : type##_poll(&shared.q.type);                                                \
    }                                                                                                                                      \
    static void *look_##type(void)                                                                                                         \
    {                                                                                                                                      \
        return type##_peek(&shared.q.type);                                                                                                \
    }                                                                                                                                      \
    static uint64_t walk_##type(candor_queue_visit *visit, void *context)                                                                  \
    {                                                                                                                                      \
        return type##_walk(&shared.q.type, visit, context);                                                                                \
    }                                                                                                                                      \
    static bool none_##type(void)                                                                                                          \
    {                                                                                                                                      \
        return type##_is_empty(&shared.q.type);                                                                                            \
    }

ADAPT(candor_spsc_array)
ADAPT(candor_spsc_chunked)
ADAPT(candor_spsc_linked)
ADAPT(candor_mpsc_array)
ADAPT(candor_mpsc_chunked)
ADAPT(candor_mpsc_linked)
ADAPT(candor_spmc_array)
ADAPT(candor_mpmc_array)

#define ROW(type)                                                                                                                          \
    add_##type, get_##type, look_##type, walk_##type, none_##type, offsetof(struct type, producer), offsetof(struct type, consumer)

static const struct {
    bool (*add)(void *element, bool relaxed);
    void *(*get)(bool relaxed);
    void *(*look)(void);
    uint64_t (*walk)(candor_queue_visit *visit, void *context);
    bool (*none)(void);
    size_t producer, consumer; /* where the indices are */
    size_t more;               /* where more atomic words are */
    const char *more_names[3];
} queues[] = {
    [SPSC_ARRAY] = {ROW(candor_spsc_array)},
    [SPSC_CHUNKED] = {ROW(candor_spsc_chunked)},
    [SPSC_GROWABLE] = {ROW(candor_spsc_chunked)},
    [SPSC_LINKED] = {ROW(candor_spsc_linked)},
    [MPSC_ARRAY] = {ROW(candor_mpsc_array), offsetof(struct candor_mpsc_array, limit), {"limit"}},
    [MPSC_CHUNKED] = {ROW(candor_mpsc_chunked), offsetof(struct candor_mpsc_chunked, ring), {"ring", "end", "limit"}},
    [MPSC_LINKED] = {ROW(candor_mpsc_linked)},
    [SPMC_ARRAY] = {ROW(candor_spmc_array), offsetof(struct candor_spmc_array, limit), {"limit"}},
    [MPMC_ARRAY] = {ROW(candor_mpmc_array)},
};

static int init(void)
{
    uint64_t *memory = shared.memory;
    unsigned words = program->queue == SPSC_LINKED || program->queue == MPSC_LINKED ? 2 : program->ring + 1;
    uint64_t capacity = program->capacity ? program->capacity : CANDOR_QUEUE_UNBOUNDED;

    if (program->chunks)
        candor_pool_init(&shared.pool, memory, program->chunks, words);
    switch (program->queue) {
    case SPSC_ARRAY:
        return candor_spsc_array_init(&shared.q.candor_spsc_array, memory, capacity);
    case SPSC_CHUNKED:
        return candor_spsc_chunked_init(&shared.q.candor_spsc_chunked, &shared.pool, capacity);
    case SPSC_GROWABLE:
        return candor_spsc_growable_init(&shared.q.candor_spsc_chunked, memory, program->ring, capacity);
    case SPSC_LINKED:
        return candor_spsc_linked_init(&shared.q.candor_spsc_linked, &shared.pool);
    case MPSC_ARRAY:
        return candor_mpsc_array_init(&shared.q.candor_mpsc_array, memory, capacity);
    case MPSC_CHUNKED:
        return candor_mpsc_chunked_init(&shared.q.candor_mpsc_chunked, &shared.pool, capacity);
    case MPSC_LINKED:
        return candor_mpsc_linked_init(&shared.q.candor_mpsc_linked, &shared.pool);
    case SPMC_ARRAY:
        return candor_spmc_array_init(&shared.q.candor_spmc_array, memory, capacity);
    case MPMC_ARRAY:
        return candor_mpmc_array_init(&shared.q.candor_mpmc_array, (struct candor_mpmc_array_cell *)memory, capacity);
    }
    return -1;
}

/* ---- the work of the threads ---- */

static void offer(unsigned side, bool relaxed)
{
    unsigned n = made[side].offered++;

    shared.payload[side][made[side].accepted] = n + 1;
    if (queues[program->queue].add(&shared.payload[side][made[side].accepted], relaxed))
        made[side].accepted++;
    else
        explore_check(!program->fits || relaxed, "producer %u: element %u was refused, though there is room", side, n);
}

static void take(unsigned side, uint64_t *element)
{
    explore_check(element >= shared.payload[0] && element < shared.payload[PRODUCERS], "an element that nobody offered");
    explore_check(*element != 0, "an element that was taken before");
    *element = 0;
    taken[side].got[taken[side].count++] = element;
}

/* The only consumer polls what its walk has seen; what was in a bubble may come between, if there are two producers. */
static void check_walked(unsigned side, const uint64_t *element)
{
    if (walked[side].count == 0)
        return;
    if (walked[side].got[0] == element)
        memmove(walked[side].got, walked[side].got + 1, --walked[side].count * sizeof *walked[side].got);
    else
        explore_check(program->producer[1], "the walk has not seen an element that comes before those that it has seen");
}

/* Whether a walk by this thread sees the elements in their order. With two producers there is no order to compare with. */
static bool is_ordered(void)
{
    return !program->producer[1] && !(program->queue == SPSC_ARRAY && program->consumer[1]);
}

/* The place of an element in the order of the queue, with one producer: the main thread's come first. */
static size_t rank(const uint64_t *element)
{
    size_t at = (size_t)(element - shared.payload[0]);

    return at >= MAIN * MAX_ELEMENTS ? at - MAIN * MAX_ELEMENTS : at + MAX_ELEMENTS;
}

static bool see(void *context, void *element)
{
    unsigned side = *(unsigned *)context;
    const uint64_t *e = element;

    explore_check(e >= shared.payload[0] && e < shared.payload[PRODUCERS], "a walk sees an element that nobody offered");
    if (!program->consumer[1])
        explore_check(*e != 0, "a walk sees an element that was taken before");
    for (unsigned i = 0; i < walked[side].count; i++) {
        explore_check(walked[side].got[i] != e, "a walk sees an element twice");
        explore_check(!is_ordered() || rank(walked[side].got[i]) < rank(e), "a walk sees elements out of order");
    }
    for (unsigned i = 0; i < taken[side].count; i++)
        explore_check(taken[side].got[i] != e, "a walk sees what this thread has taken");
    walked[side].got[walked[side].count++] = element;
    return true;
}

static void walk(unsigned side)
{
    walked[side].count = 0;
    explore_check(queues[program->queue].walk(see, &side) == walked[side].count, "a walk counts something else than it has seen");
}

static void poll(unsigned side, char how)
{
    bool some = (how == 'e' || how == 'b') && !queues[program->queue].none();
    void *seen = how == 'k' ? queues[program->queue].look() : NULL;
    void *element = queues[program->queue].get(how == 'r' || how == 'b');

    explore_check(element || !some, "the queue is not empty, and a poll finds nothing");
    explore_check(!seen || program->consumer[1] || seen == element, "peek and poll see different elements");
    if (element) {
        take(side, element);
        if (!program->consumer[1])
            check_walked(side, element);
    }
}

static void produce(unsigned side)
{
    for (const char *s = program->producer[side]; *s; s++)
        offer(side, *s == 'r');
}

static void consume(unsigned side)
{
    for (const char *s = program->consumer[side]; *s; s++) {
        if (*s == 'w')
            walk(side);
        else
            poll(side, *s);
    }
}

/* clang-format off */
static void produce_first(void) { produce(0); }
static void produce_second(void) { produce(1); }
static void consume_first(void) { consume(0); }
static void consume_second(void) { consume(1); }
/* clang-format on */

static void setup(void)
{
    memset(made, 0, sizeof made);
    memset(taken, 0, sizeof taken);
    memset(walked, 0, sizeof walked);
    explore_check(init() == 0, "init");
    for (unsigned i = 0; i < program->lead; i++) {
        queues[program->queue].add(&shared.payload[MAIN][0], false);
        queues[program->queue].get(false);
    }
    for (unsigned i = 0; i < program->held; i++)
        offer(MAIN, false);
}

/* For each producer: its elements are in order in each consumer's list and, if there is only one consumer, in the rest. */
static void check_order(void)
{
    unsigned arrived[PRODUCERS] = {0};

    for (unsigned side = 0; side < 3; side++) {
        uint64_t *last[PRODUCERS] = {0};

        for (unsigned i = 0; i < taken[side].count; i++) {
            uint64_t *element = taken[side].got[i];
            unsigned from = (unsigned)((element - shared.payload[0]) / MAX_ELEMENTS);

            explore_check(element > last[from], "producer %u: elements are out of order", from);
            last[from] = element;
            arrived[from]++;
        }
    }
    for (unsigned side = 0; side < PRODUCERS; side++)
        explore_check(arrived[side] == made[side].accepted, "producer %u: %u elements accepted, %u arrived", side, made[side].accepted,
                      arrived[side]);
}

/* An element that was there before the threads and that nobody took was seen by each walk. */
static void check_seen(const uint64_t *element)
{
    for (unsigned side = 0; side < 2; side++) {
        bool seen = !program->consumer[side] || !strchr(program->consumer[side], 'w');

        for (unsigned i = 0; i < walked[side].count; i++)
            seen = seen || walked[side].got[i] == element;
        explore_check(seen, "a walk has not seen an element that was there all the time");
    }
}

static void finish(void)
{
    uint64_t *element;

    while (taken[2].count < PRODUCERS * MAX_ELEMENTS && (element = queues[program->queue].get(true)))
        take(2, element);
    for (unsigned i = 0; i < taken[2].count; i++) {
        if (taken[2].got[i] < shared.payload[MAIN] + program->held && taken[2].got[i] >= shared.payload[MAIN])
            check_seen(taken[2].got[i]);
    }
    check_order();
    explore_check(queues[program->queue].none(), "the drained queue is not empty");
}

static const char *place(const void *address)
{
    size_t offset = (size_t)((const char *)address - (const char *)&shared.q);
    size_t word = (size_t)((const uint64_t *)address - shared.memory);
    size_t more = queues[program->queue].more;

    if (program->chunks && (address == (void *)shared.pool.taken || address == (void *)shared.pool.touched))
        return address == (void *)shared.pool.taken ? "taken" : "touched";
    if (word < MEMORY_WORDS)
        return program->queue != MPMC_ARRAY ? "slot" : word % 2 ? "element" : "sequence";
    if (offset == queues[program->queue].producer)
        return "producer";
    if (offset == queues[program->queue].consumer)
        return "consumer";
    if (more && offset >= more && offset < more + 24)
        return queues[program->queue].more_names[(offset - more) / 8];
    return "?";
}

const struct explore_program *element_program(const struct element_program *p)
{
    static struct explore_program result;
    unsigned n = 0;

    program = p;
    result = (struct explore_program){p->name, &shared, sizeof shared, setup, {produce_first}, finish, place};
    n = 1;
    if (p->producer[1])
        result.threads[n++] = produce_second;
    result.threads[n++] = consume_first;
    if (p->consumer[1])
        result.threads[n++] = consume_second;
    return &result;
}
