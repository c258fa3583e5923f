/* The marks of whole stacks: what the known methods on a stack say about its thread. */
#ifndef CANDOR_PROFILE_KNOWN_MARKS_H
#define CANDOR_PROFILE_KNOWN_MARKS_H

#include "profile/known/stack_mark.h"
#include "profile/profile.h"

/* Return the marks of each method, and of each node of the trie with those of the nodes below it, as bits by enum stack_mark; NULL if out
 * of memory. The caller frees them. of_method: the result of marks_of_methods, or NULL. O(methods + nodes). */
uint64_t *marks_of_methods(const struct profile *p);
uint64_t *marks_of_nodes(const struct profile *p, const uint64_t *of_method);

static inline bool marks_have(uint64_t marks, enum stack_mark mark)
{
    return marks >> mark & 1;
}

/* Whether the thread is a worker of a pool between two tasks. */
static inline bool marks_are_idle(uint64_t marks)
{
    return marks_have(marks, STACK_TAKES_TASK) || (marks_have(marks, STACK_FORKS) && !marks_have(marks, STACK_EXECUTES));
}

#endif
