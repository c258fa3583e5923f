#include "agent/collect/sampling/patience.h"

void patience_begin(struct patience *p, uint64_t shortest_ns)
{
    *p = (struct patience){.shortest_ns = shortest_ns, .period_ns = shortest_ns};
}

void patience_turn(struct patience *p, bool is_tight)
{
    uint64_t longest_ns = (is_tight ? PATIENCE_LONGEST_TIGHT : PATIENCE_LONGEST) * p->shortest_ns;
    if (p->news >= PATIENCE_FEW)
        p->period_ns = p->shortest_ns;
    else
        p->period_ns = 2 * p->period_ns < longest_ns ? 2 * p->period_ns : longest_ns;
    p->news = 0;
}
