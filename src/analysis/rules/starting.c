#include "analysis/rules/starting.h"

#include "analysis/stack.h"
#include "analysis/tally.h"

#include <stdio.h>

/* Writes which thread starts most threads, if a sample shows that. */
static bool tell_thread(struct findings *f, const struct profile *p, const struct stack_marks *marks, char *text, size_t size)
{
    struct tally threads;
    tally_init(&threads);
    for (uint32_t i = 0; i < p->sample_count; i++)
        if (stack_has(marks, p->samples[i].stack, STACK_STARTS))
            tally_add(&threads, 0, p->samples[i].thread, p->samples[i].weight);
    const struct tally_row *most = tally_largest(&threads, 0);
    if (most)
        snprintf(text, size, "; no line of the program is on the stack when they start: most are started by the thread \"%.100s\"",
                 profile_text(p, p->threads[most->key].name));
    f->failed = f->failed || threads.failed;
    tally_deinit(&threads);
    return *text;
}

static uint32_t line_in(struct findings *f, const struct profile *p, const struct stack_marks *marks, char *text, size_t size)
{
    double share = 0;
    uint32_t line = stack_line_most(f, p, marks, STACK_STARTS, &share);
    if (line)
        snprintf(text, size, "; %.0f %% of the samples that start threads are at %.300s", 100 * share, findings_text(f, line));
    return line;
}

uint32_t starting_line(struct findings *f, const struct evidence *e, char *text, size_t size)
{
    const struct profile *const all[] = {e->cpu, e->wall, e->alloc};
    enum { ALL = sizeof all / sizeof *all };
    struct stack_marks marks[ALL];
    uint32_t line = 0;
    *text = 0;
    for (int i = 0; i < ALL; i++)
        if (all[i] && stack_marks_of(&marks[i], f, all[i])) {
            f->failed = true;
            return 0;
        }
    for (int i = 0; i < ALL && !line; i++)
        line = all[i] ? line_in(f, all[i], &marks[i], text, size) : 0;
    for (int i = 0; i < ALL && !line; i++)
        if (all[i] && tell_thread(f, all[i], &marks[i], text, size))
            break;
    return line;
}
