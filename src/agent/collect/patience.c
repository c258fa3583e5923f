#include "agent/collect/patience.h"

#include "agent/collect/collect.h"

#define SHORTEST_NS (COLLECT_PERIOD_MS * UINT64_C(1000000))

void patience_begin(struct patience *p)
{
    *p = (struct patience){.period_ns = SHORTEST_NS};
}

void patience_turn(struct patience *p)
{
    if (p->news >= PATIENCE_FEW)
        p->period_ns = SHORTEST_NS;
    else if (p->period_ns < PATIENCE_LONGEST * SHORTEST_NS)
        p->period_ns *= 2;
    p->news = 0;
}
