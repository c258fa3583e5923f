#include "agent/paths/path_plan.h"

enum { BYTES_AN_OBJECT = 16, NS_A_REFERENCE = 150, NS_A_MARK = 20, JAVA_OF_MARKS_APART = 18, MIB = 1 << 20 };

void path_plan_begin(struct path_plan *p, uint64_t budget, uint64_t used, int java_version)
{
    *p = (struct path_plan){.budget = budget,
                            .used = used,
                            .next = used / BYTES_AN_OBJECT * NS_A_REFERENCE,
                            .sweep_ns_a_mib = java_version < JAVA_OF_MARKS_APART ? MIB / BYTES_AN_OBJECT * NS_A_MARK : 0};
}

void path_plan_heap(struct path_plan *p, uint64_t used)
{
    p->heap_mib = used / MIB + 1;
    p->sweep = p->heap_mib * p->sweep_ns_a_mib;
}

uint64_t path_plan_need(const struct path_plan *p)
{
    return p->next + (p->sweep > p->swept ? p->sweep - p->swept : 0);
}

uint64_t path_plan_bytes(const struct path_plan *p)
{
    return p->sweep ? p->heap_mib * MIB : p->used;
}

bool path_plan_allows(const struct path_plan *p)
{
    return p->spent <= p->budget && path_plan_need(p) <= p->budget - p->spent;
}

uint64_t path_plan_limit(const struct path_plan *p)
{
    uint64_t left = p->budget - p->spent, tenth = left / 10;
    return left - (p->sweep > tenth ? p->sweep : tenth);
}

/* Notes a walk. The heap may grow before the next walk, and the tags make that walk slower. A sweep is a part of a walk, so it took no
 * longer than the walk. */
void path_plan_took(struct path_plan *p, uint64_t time)
{
    p->spent += time;
    p->walks++;
    p->next = time + time / 4;
    if (p->sweep > time)
        p->sweep_ns_a_mib = time / p->heap_mib;
    p->swept = p->heap_mib * p->sweep_ns_a_mib;
}
