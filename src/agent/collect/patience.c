#include "agent/collect/patience.h"

void patience_begin(struct patience *p, uint64_t shortest_ns)
{
    *p = (struct patience){.shortest_ns = shortest_ns, .period_ns = shortest_ns};
}

void patience_turn(struct patience *p)
{
    if (p->news >= PATIENCE_FEW)
        p->period_ns = p->shortest_ns;
    else if (p->period_ns < PATIENCE_LONGEST * p->shortest_ns)
        p->period_ns *= 2;
    p->news = 0;
}
