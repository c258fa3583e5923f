/* Lanes: the table of lanes, the record that a thread puts into one, and disarming a slot while its thread begins and ends.
 * tier: quick
 * timeout: 120
 * aarch64: yes */
#include "../tap.h"

#include "agent/hot/thread/lane.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNKS = 64, CHUNK_WORDS = 512, ROUNDS = 5000, WORDS = LANE_CLASS_WORDS_MAX + 1 };

struct own_lane {
    struct lane lane;
    uint64_t note;
    char odd[3];
};

static struct lane_table table = {.lane_bytes = sizeof(struct own_lane)};
static struct candor_pool pool;
static struct sampled_thread *first, *last;

static void test_without_table(void)
{
    tap_ok(!lane_of(&table, last) && !lane_open(&table, last, &pool), "without a table there is no lane");
    tap_ok(!lane_is_inside(&table, last) && !lane_turn(&table, last), "nobody is in one, and none has a turn");
    lane_close(&table, last);
    lane_table_deinit(&table);
    tap_ok(!table.lanes, "to close one and to end the table has no effect");
}

static void test_table(void)
{
    if (!tap_ok(!lane_table_init(&table), "a table"))
        return;
    struct own_lane *low = lane_of(&table, first), *high = lane_of(&table, last);
    tap_ok((char *)high - (char *)low == (THREADS_MAX - 1) * (ptrdiff_t)sizeof *low, "has a lane for the first slot and for the last");
    tap_ok(!low->note && !high->note, "which are zero");
    low->note = high->note = 7;
    lane_open(&table, last, &pool);
    tap_ok(low->note == 7 && high->note == 7, "what its owner has in a lane stays as it is when that is opened");
    lane_close(&table, last);
    lane_table_deinit(&table);
    tap_ok(!lane_of(&table, first), "after its end there is no lane");
    tap_ok(!lane_table_init(&table) && lane_of(&table, first) == low && !low->note && !high->note,
           "the next table is in the same place, and zero");
}

/* ---- records ---- */

static size_t put_and_read(const char *name, uint64_t words[WORDS])
{
    struct lane *lane = lane_of(&table, first);
    candor_queue_begin(&lane->queue);
    uint64_t count = lane_put_class(lane, name);
    return candor_queue_commit(&lane->queue) && candor_queue_read(&lane->queue, words, WORDS) == count ? count : WORDS;
}

static void test_class(void)
{
    static char name[8 * WORDS + 1];
    uint64_t words[WORDS];
    bool right = true;
    lane_open(&table, first, &pool);
    for (size_t length = 0; length < sizeof name; length++) {
        size_t kept = length < 8 * LANE_CLASS_WORDS_MAX ? length : 8 * LANE_CLASS_WORDS_MAX;
        memset(words, 0xff, sizeof words);
        size_t count = put_and_read(name, words);
        right = right && count == (kept + 7) / 8 && !memcmp(words, name, kept);
        for (size_t i = kept; right && i < 8 * count; i++)
            right = !((char *)words)[i];
        if (length + 1 < sizeof name)
            name[length] = (char)('a' + length % 26);
    }
    tap_ok(right, "a name of any length is put as words, filled up with 0 and cut at the most");
    lane_close(&table, first);
}

/* ---- turns ---- */

static void look(void *turn)
{
    *(struct turn **)turn = lane_turn(&table, first);
}

static void test_turn(void)
{
    struct lane *lane = lane_open(&table, first, &pool);
    struct turn *taken = NULL;
    tap_ok(!lane_turn(&table, first), "a thread that works at nothing has no turn");
    tap_ok(turn_take(&lane->turn, look, &taken) && taken == &lane->turn, "one that does has its lane's");
    tap_ok(!lane_turn(&table, first) && !lane_turn(&table, last), "until it is done, and no other");
    lane->turn.sp = 8;
    tap_ok(lane_open(&table, first, &pool) == lane && !lane_turn(&table, first), "a lane that is opened has none");
    lane_close(&table, first);
}

/* ---- beginning and ending ---- */

static void test_generation(void)
{
    struct lane *lane = lane_open(&table, first, &pool);
    atomic_store(&first->generation, 5);
    tap_ok(lane_enter(lane, first, 5) && lane_is_inside(&table, first) && !lane_is_inside(&table, last),
           "a thread comes into the lane of its slot");
    lane_leave(lane);
    tap_ok(!lane_is_inside(&table, first), "and leaves it");
    tap_ok(!lane_enter(lane, first, 3) && lane_is_inside(&table, first), "with another's generation it may do nothing there");
    lane_leave(lane);
    lane_close(&table, first);
}

static _Atomic bool over;
static _Atomic uint64_t put_count;

/* Between any two steps the other thread may run, also on a machine with one free processor. This happens only sometimes, because
 * otherwise the two would never meet closely. */
static void let_others_run(uint64_t turn)
{
    if (turn % 2)
        sched_yield();
}

static void *come_and_go(void *unused)
{
    struct lane *lane = lane_of(&table, first);
    for (uint64_t turn = 0; !over; turn++) {
        uint32_t generation = atomic_load_explicit(&first->generation, memory_order_relaxed);
        if (!(generation & 1)) {
            sched_yield();
            continue;
        }
        let_others_run(turn / 2);
        if (lane_enter(lane, first, generation)) {
            let_others_run(turn / 4);
            candor_queue_begin(&lane->queue);
            candor_queue_put(&lane->queue, generation);
            atomic_fetch_add_explicit(&put_count, candor_queue_commit(&lane->queue), memory_order_relaxed);
        }
        lane_leave(lane);
    }
    return unused;
}

/* Disarms and frees a slot as trigger/threads.c does. Returns how many records were there; late: the thread was still inside. */
static uint64_t disarm(uint64_t turn, bool *late)
{
    struct lane *lane = lane_of(&table, first);
    uint32_t generation = atomic_fetch_add(&first->generation, 1);
    uint64_t word, read_count = 0;
    while (lane_is_inside(&table, first))
        sched_yield();
    uint64_t before = put_count;
    for (; candor_queue_read(&lane->queue, &word, 1); read_count++)
        *late = *late || word != generation;
    let_others_run(turn);
    *late = *late || put_count != before;
    lane_close(&table, first);
    lane_open(&table, first, &pool);
    atomic_fetch_add(&first->generation, 1);
    return read_count;
}

static void test_disarming(void)
{
    uint64_t read_count = 0;
    bool late = false;
    pthread_t thread;
    lane_open(&table, first, &pool);
    atomic_store(&first->generation, 1);
    pthread_create(&thread, NULL, come_and_go, NULL);
    for (uint64_t i = 0; i < ROUNDS; i++) {
        while (put_count == read_count)
            sched_yield();
        read_count += disarm(i, &late);
    }
    over = true;
    pthread_join(thread, NULL);
    read_count += disarm(0, &late);
    tap_ok(!late, "a slot that is disarmed has nobody in its lane, and none but its generation's records");
    tap_ok(read_count == put_count, "all of %llu records are there", (unsigned long long)put_count);
    lane_close(&table, first);
}

int main(void)
{
    void *memory = aligned_alloc(4096, (candor_pool_bytes(CHUNKS, CHUNK_WORDS) + 4095) & ~(size_t)4095);
    if (!tap_ok(memory && !candor_pool_init(&pool, memory, CHUNKS, CHUNK_WORDS) && !thread_table_init(), "a pool and slots"))
        return tap_done();
    first = &sampled_threads[0];
    last = &sampled_threads[THREADS_MAX - 1];
    test_without_table();
    test_table();
    test_class();
    test_turn();
    test_generation();
    test_disarming();
    free(memory);
    return tap_done();
}
