#include "analysis/rules/starting.h"

#include "analysis/stack.h"

#include <stdio.h>

static uint32_t line_in(struct findings *f, const struct profile *p, double *share)
{
    struct stack_marks marks;
    if (!p)
        return 0;
    if (stack_marks_of(&marks, f, p)) {
        f->failed = true;
        return 0;
    }
    return stack_line_most(f, p, &marks, STACK_STARTS, share);
}

uint32_t starting_line(struct findings *f, const struct evidence *e, char *text, size_t size)
{
    double share = 0;
    uint32_t line = line_in(f, e->cpu, &share);
    line = line ? line : line_in(f, e->wall, &share);
    *text = 0;
    if (line)
        snprintf(text, size, "; %.0f %% of the samples in Thread.start are from %.300s", 100 * share, findings_text(f, line));
    return line;
}
