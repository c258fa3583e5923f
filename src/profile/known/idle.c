#include "profile/known/idle.h"

#include "profile/known/marks.h"
#include "profile/locks.h"
#include "profile/owner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Returns for each node whether a Java frame that is not the JDK's is on its stack. */
static bool *stacks_with_more_than_jdk(const struct profile *p)
{
    bool *more = calloc((size_t)p->node_count + 1, sizeof *more);
    for (uint32_t i = 1; more && i < p->node_count; i++)
        more[i] = more[p->nodes[i].parent] || owner_of_frame(p, &p->frames[p->nodes[i].frame]) < CODE_OF_JDK;
    return more;
}

/* Whether all frames of the sample are known, or it has no Java frames: a thread of the JVM. If a stack is cut off or was not found, the
 * rest of it may be the program's. */
static bool is_whole(const struct profile *p, const struct profile_sample *s)
{
    const char *outcome = profile_text(p, s->outcome);
    return !*outcome || !strcmp(outcome, "complete") || !strcmp(outcome, "no_java_stack");
}

/* Whether the sample is a wait in which its thread may be idle, as far as its state and its lock show it. */
static bool may_be_idle(const struct profile *p, const struct profile_sample *s)
{
    if (p->kind == PROFILE_LOCK)
        return s->state == JFR_STATE_PARKED && !locks_label(p, s, "owner");
    return jfr_state_waits(s->state);
}

int idle_drop(struct profile *p, struct idle *idle)
{
    uint64_t *of_method = marks_of_methods(p), *marks = marks_of_nodes(p, of_method);
    bool *more = stacks_with_more_than_jdk(p), *threads = calloc((size_t)p->thread_count + 1, sizeof *threads);
    uint32_t kept = 0;
    *idle = (struct idle){0};
    for (uint32_t i = 0; marks && more && threads && i < p->sample_count; i++) {
        const struct profile_sample s = p->samples[i];
        bool is_idle = s.stack && may_be_idle(p, &s) &&
                       ((!more[s.stack] && is_whole(p, &s)) || marks_are_idle(marks[s.stack]) || marks_have(marks[s.stack], STACK_SELECTS));
        if (!is_idle) {
            p->samples[kept++] = s;
            continue;
        }
        idle->weight += s.weight;
        idle->samples += s.count;
        idle->threads += !threads[s.thread];
        threads[s.thread] = true;
    }
    int rc = marks && more && threads ? 0 : -ENOMEM;
    if (!rc) {
        p->sample_count = kept;
        p->weight -= idle->weight;
        p->sampled -= idle->samples;
        p->thinned |= idle->samples > 0;
    }
    free(of_method);
    free(marks);
    free(more);
    free(threads);
    return rc;
}
