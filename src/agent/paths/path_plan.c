#include "agent/paths/path_plan.h"

enum { BYTES_A_REFERENCE = 16, NS_A_REFERENCE = 150, JAVA_OF_CHEAP_MARKS = 18 };

void path_plan_begin(struct path_plan *p, uint64_t budget, uint64_t used)
{
    *p = (struct path_plan){.budget = budget, .next = used / BYTES_A_REFERENCE * NS_A_REFERENCE};
}

bool path_plan_allows(const struct path_plan *p)
{
    return p->spent <= p->budget && p->next <= p->budget - p->spent;
}

uint64_t path_plan_limit(const struct path_plan *p, int java_version)
{
    uint64_t left = p->budget - p->spent;
    return java_version < JAVA_OF_CHEAP_MARKS ? left / 2 : left - left / 10;
}

/* The heap may have grown by the next one, and the tags slow it down. */
void path_plan_took(struct path_plan *p, uint64_t time)
{
    p->spent += time;
    p->walks++;
    p->next = time + time / 4;
}
