#include "analysis/allocating.h"

#include "analysis/stack.h"

#include <stdio.h>

uint32_t allocating_line(struct findings *f, const struct evidence *e, char *text, size_t size)
{
    double share = 0;
    uint32_t site = e->alloc ? stack_line_most(f, e->alloc, NULL, 0, &share) : 0;
    *text = 0;
    if (site)
        snprintf(text, size, "; the largest part of the allocations (%.0f %%) is at %.300s", 100 * share, findings_text(f, site));
    return site;
}
