#include "profile/known/marks.h"

#include "profile/known/known_methods.h"

#include <stdlib.h>

uint64_t *marks_of_methods(const struct profile *p)
{
    uint64_t *of_method = calloc((size_t)p->method_count + 1, sizeof *of_method);
    for (uint32_t i = 0; of_method && i < p->method_count; i++)
        of_method[i] = known_method_marks(profile_text(p, p->methods[i].class_name), profile_text(p, p->methods[i].name));
    return of_method;
}

/* A logger that prints is logging. */
static uint64_t without_console(uint64_t marks)
{
    return marks_have(marks, STACK_COST_LOGS) ? marks & ~(UINT64_C(1) << STACK_COST_CONSOLE) : marks;
}

uint64_t *marks_of_nodes(const struct profile *p, const uint64_t *of_method)
{
    uint64_t *of_node = of_method ? calloc((size_t)p->node_count + 1, sizeof *of_node) : NULL;
    for (uint32_t i = 1; of_node && i < p->node_count; i++) /* parents come before their children */
        of_node[i] = without_console(of_node[p->nodes[i].parent] | of_method[p->frames[p->nodes[i].frame].method]);
    return of_node;
}
