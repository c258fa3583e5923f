#include "agent/hot/calls/lanes.h"

#include "agent/hot/calls/alloc.h"
#include "agent/hot/calls/lock.h"
#include "agent/hot/calls/unmounts.h"

static const struct {
    const struct lane_table *table;
    void (*open)(const struct sampled_thread *t, struct candor_pool *pool);
} lanes[] = {{&alloc_lanes, alloc_lane_open}, {&lock_lanes, lock_lane_open}, {&unmount_lanes, unmount_lane_open}};

enum { LANES = sizeof lanes / sizeof *lanes };

void lanes_open(const struct sampled_thread *t, struct candor_pool *pool)
{
    for (int i = 0; i < LANES; i++)
        lanes[i].open(t, pool);
}

void lanes_open_missing(const struct sampled_thread *t, struct candor_pool *pool)
{
    for (int i = 0; i < LANES; i++) {
        const struct lane *lane = lane_of(lanes[i].table, t);
        if (lane && !lane->queue.pool)
            lanes[i].open(t, pool);
    }
}

void lanes_close(const struct sampled_thread *t)
{
    for (int i = 0; i < LANES; i++)
        lane_close(lanes[i].table, t);
}

bool lanes_are_inside(const struct sampled_thread *t)
{
    bool is_inside = false;
    for (int i = 0; i < LANES; i++)
        is_inside |= lane_is_inside(lanes[i].table, t);
    return is_inside;
}

struct turn *lanes_turn(const struct sampled_thread *t)
{
    struct turn *turn = NULL;
    for (int i = 0; i < LANES && !turn; i++)
        turn = lane_turn(lanes[i].table, t);
    return turn;
}
