/* How long the collector sleeps: a short time while samples come, longer step by step if few samples come.
 * tier: quick
 * timeout: 20 */
#include "../tap.h"

#include "agent/collect/sampling/patience.h"
#include "base/time_units.h"

#include <stdbool.h>

#define SHORTEST_NS (50 * NS_PER_MS)

static struct patience patience;
static bool is_tight;

static uint64_t turn(uint32_t news)
{
    patience.news += news;
    patience_turn(&patience, is_tight);
    return patience.period_ns;
}

int main(void)
{
    bool longest = true;
    patience_begin(&patience, SHORTEST_NS);
    tap_ok(patience.period_ns == SHORTEST_NS, "at first short");
    tap_ok(turn(PATIENCE_FEW) == SHORTEST_NS, "many samples: it stays short");
    tap_ok(turn(PATIENCE_FEW - 1) == 2 * SHORTEST_NS, "few: twice as long");
    tap_ok(turn(0) == 4 * SHORTEST_NS, "none: twice as long again");
    for (int i = 0; i < 100; i++)
        longest = longest && turn(0) == PATIENCE_LONGEST * SHORTEST_NS;
    tap_ok(longest, "and no longer, however long there is none");
    is_tight = true;
    for (int i = 0; i < 100; i++)
        turn(0);
    tap_ok(turn(0) == PATIENCE_LONGEST_TIGHT * SHORTEST_NS, "longer where turns take much of what is allowed");
    is_tight = false;
    tap_ok(turn(0) == PATIENCE_LONGEST * SHORTEST_NS, "and only then");
    is_tight = true;
    tap_ok(turn(PATIENCE_FEW) == SHORTEST_NS, "many again: short at once");
    is_tight = false;
    tap_ok(turn(PATIENCE_FEW / 2) == 2 * SHORTEST_NS && turn(PATIENCE_FEW / 2) == 4 * SHORTEST_NS,
           "each turn counts for itself: two with half as many are two with few");
    return tap_done();
}
