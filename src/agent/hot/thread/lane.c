#include "agent/hot/thread/lane.h"

#include <errno.h>
#include <sys/mman.h>

static size_t bytes_of(const struct lane_table *table)
{
    return THREADS_MAX * table->lane_bytes;
}

int lane_table_init(struct lane_table *table)
{
    void *p = table->lanes ? table->lanes
                           : mmap(NULL, bytes_of(table), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return -ENOMEM;
    table->lanes = p;
    table->in_use = true;
    return 0;
}

void lane_table_deinit(struct lane_table *table)
{
    if (table->lanes)
        madvise(table->lanes, bytes_of(table), MADV_DONTNEED);
    table->in_use = false;
}

void *lane_open(const struct lane_table *table, const struct sampled_thread *t, struct candor_pool *pool)
{
    struct lane *lane = lane_of(table, t);
    if (!lane)
        return NULL;
    candor_queue_init(&lane->queue, pool);
    lane->turn.sp = 0;
    return lane;
}

void lane_close(const struct lane_table *table, const struct sampled_thread *t)
{
    struct lane *lane = lane_of(table, t);
    if (lane)
        candor_queue_deinit(&lane->queue);
}

bool lane_enter(struct lane *lane, const struct sampled_thread *t, uint32_t generation)
{
    /* Sequentially consistent, both, like the thread that disarms: either that thread sees this one inside (lane_is_inside), or this thread
     * sees the new generation. */
    atomic_store(&lane->inside, 1);
    return atomic_load(&t->generation) == generation;
}

void lane_leave(struct lane *lane)
{
    /* Release: pairs with the load in lane_is_inside, so that the thread that disarms sees the finished record in the queue. */
    atomic_store_explicit(&lane->inside, 0, memory_order_release);
}

bool lane_is_inside(const struct lane_table *table, const struct sampled_thread *t)
{
    const struct lane *lane = lane_of(table, t);
    /* Sequentially consistent, like the store of a thread that enters: that thread saw the even generation, or it is seen here. */
    return lane && atomic_load(&lane->inside);
}

struct turn *lane_turn(const struct lane_table *table, const struct sampled_thread *t)
{
    struct lane *lane = lane_of(table, t);
    return lane && lane->turn.sp ? &lane->turn : NULL;
}

uint64_t lane_put_class(struct lane *lane, const char *name)
{
    uint64_t count = 0;
    while (*name && count < LANE_CLASS_WORDS_MAX) {
        uint64_t word = 0;
        for (int i = 0; i < 8 && *name; i++)
            word |= (uint64_t)(uint8_t)*name++ << 8 * i;
        candor_queue_put(&lane->queue, word);
        count++;
    }
    return count;
}
