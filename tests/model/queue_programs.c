#include "queue_programs.h"

#include "candor/queue.h"

#include <string.h>

#define MAX_CHUNK_WORDS 5
#define MIN_CHUNK_WORDS 4
#define MAX_CHUNKS      8
#define MAX_RECORDS     8
#define MAX_LENGTH      9

/* The atomic operations that a record costs a producer: begin, commit, and for each chunk a guess, an exchange (repeated for each other
 * taker or giver that came in between: few, here), a look at the touched bitmap, a mark in it, and a give if it is rolled back. */
#define STEPS_PER_CHUNK 12
#define STEPS_BOUND     (2 + STEPS_PER_CHUNK * (MAX_LENGTH / (MIN_CHUNK_WORDS - 1) + 1))

static struct {
    struct candor_queue queues[2];
    uint64_t memory[2 + MAX_CHUNK_WORDS * (MAX_CHUNKS + 1)];
    struct candor_pool pool;
} shared;

/* Each is written by one thread, and read by finish. */
static struct {
    uint64_t committed[MAX_RECORDS];
    unsigned committed_count;
    uint64_t delivered[MAX_RECORDS];
    unsigned delivered_count;
} journal[2];

static const struct queue_program *program;
static unsigned most_steps;

static void setup(void)
{
    candor_pool_init(&shared.pool, shared.memory, program->pool_chunks, program->chunk_words);
    for (int i = 0; i < 2; i++) {
        candor_queue_init(&shared.queues[i], &shared.pool);
        journal[i].committed_count = journal[i].delivered_count = 0;
    }
}

/* Record n contains n and its length in each word. */
static bool put_record(struct candor_queue *q, uint64_t n, unsigned length)
{
    candor_queue_begin(q);
    for (unsigned i = 0; i < length; i++)
        candor_queue_put(q, n * 100 + length);
    return candor_queue_commit(q);
}

static void leave_open(struct candor_queue *q, unsigned length)
{
    candor_queue_begin(q);
    for (unsigned i = 0; i < length; i++)
        candor_queue_put(q, 0);
}

static void abort_record(struct candor_queue *q, unsigned length)
{
    leave_open(q, length);
    candor_queue_abort(q);
}

static void produce(int side)
{
    uint64_t n = 1;

    for (const char *s = program->producer[side]; *s; s++, n++) {
        unsigned before = explore_steps(), steps;

        if (*s == 'x' || *s == 'X')
            abort_record(&shared.queues[side], *s == 'x' ? 1 : 4);
        else if (*s == 'o')
            leave_open(&shared.queues[side], 4);
        else if (put_record(&shared.queues[side], n, (unsigned)(*s - '0')))
            journal[side].committed[journal[side].committed_count++] = n;
        else
            explore_check(!program->fits, "record %u was refused, though the pool has room", (unsigned)n);
        steps = explore_steps() - before;
        explore_check(steps <= STEPS_BOUND, "a producer needed %u steps", steps);
        if (steps > most_steps)
            most_steps = steps;
    }
}

static bool take_record(int side)
{
    uint64_t words[MAX_LENGTH];
    size_t length = candor_queue_read(&shared.queues[side], words, MAX_LENGTH);

    if (length == 0)
        return false;
    explore_check(length <= MAX_LENGTH, "a record of %zu words", length);
    for (size_t i = 0; i < length; i++)
        explore_check(words[i] == words[0] && words[i] % 100 == length, "a damaged record");
    explore_check(journal[side].delivered_count < MAX_RECORDS, "more records than there are");
    journal[side].delivered[journal[side].delivered_count++] = words[0] / 100;
    return true;
}

static void consume(void)
{
    for (const char *s = program->consumer; *s; s++) {
        if (*s == 'a' || *s == 'b')
            take_record(*s - 'a');
        else
            candor_queue_shrink(&shared.queues[*s - 'A']);
    }
}

static void check_side(int side)
{
    bool same = journal[side].delivered_count == journal[side].committed_count;

    for (unsigned i = 0; same && i < journal[side].committed_count; i++)
        same = journal[side].delivered[i] == journal[side].committed[i];
    explore_check(same, "queue %d: what arrived is not what was accepted", side);
}

static void finish(void)
{
    bool open = strchr(program->producer[0], 'o');
    unsigned owners;

    for (int i = 0; i < 2; i++) {
        while (take_record(i) && journal[i].delivered_count < MAX_RECORDS)
            ;
        check_side(i);
    }
    owners = candor_pool_in_use(&shared.pool);
    for (int i = 0; i < 2; i++)
        owners -= candor_queue_shrink(&shared.queues[i]);
    explore_check(open || owners == 0, "drained queues own more than a chunk each");
    for (int i = 0; i < 2; i++)
        candor_queue_deinit(&shared.queues[i]);
    explore_check(candor_pool_in_use(&shared.pool) == 0, "deinit left chunks behind");
}

static void produce_first(void)
{
    produce(0);
}

static void produce_second(void)
{
    produce(1);
}

static const char *place(const void *address)
{
    if (address == &shared.queues[0].tail || address == &shared.queues[1].tail)
        return "tail";
    if (address == (void *)shared.pool.taken)
        return "taken";
    if (address == (void *)shared.pool.touched)
        return "touched";
    return "?";
}

const struct explore_program *queue_program(const struct queue_program *p)
{
    static struct explore_program result;

    program = p;
    result = (struct explore_program){p->name, &shared, sizeof shared, setup, {produce_first, consume}, finish, place};
    if (p->producer[1])
        result.threads[2] = produce_second;
    return &result;
}

unsigned queue_program_steps(void)
{
    unsigned steps = most_steps;

    most_steps = 0;
    return steps;
}
