/* Answers the rules' questions about a stack: which known methods are on it, what its thread does (judged by the innermost method), and
 * which place in the program it shows. */
#ifndef CANDOR_ANALYSIS_STACK_H
#define CANDOR_ANALYSIS_STACK_H

#include "analysis/findings.h"
#include "profile/known/marks.h"
#include "profile/profile.h"

struct stack_marks {
    const struct profile *profile;
    const uint64_t *of_node, *of_method; /* bits by enum stack_mark */
    const uint32_t *own;                 /* by node: the label of the innermost method in the program, 0 = none */
};

/* Computes the marks, in passes over the profile's methods, its frames and its trie. This is done once for all rules; m borrows from f.
 * Returns 0 or -ENOMEM. */
int stack_marks_of(struct stack_marks *m, struct findings *f, const struct profile *p);
static inline bool stack_has(const struct stack_marks *m, uint32_t stack, enum stack_mark mark)
{
    return marks_have(m->of_node[stack], mark);
}

/* Whether the thread is a worker of a pool between two tasks. */
static inline bool stack_is_idle(const struct stack_marks *m, uint32_t stack)
{
    return marks_are_idle(m->of_node[stack]);
}

/* The activity of the thread with this stack, judged by the innermost method. Only methods that serve a single purpose are judged; all
 * others are STACK_IS_ELSE. STACK_WAITS: it waits until another thread wakes it, in Object.wait or LockSupport.park. */
enum stack_work { STACK_IS_ELSE, STACK_SLEEPS, STACK_IS_IN_IO, STACK_WAITS, STACK_WORKS_KINDS };
enum stack_work stack_work(const struct profile *p, uint32_t stack);
/* The same for a virtual thread without a carrier, judged by what called for the wait. */
enum stack_work stack_unmounted_work(const struct profile *p, uint32_t stack);
/* The same for a thread that runs, judged by the innermost Java method: below it are frames of system calls and of the kernel. */
enum stack_work stack_java_work(const struct profile *p, uint32_t stack);
/* Whether a method with this label is on the stack. */
bool stack_calls(const struct profile *p, uint32_t stack, const char *label);

/* Returns the innermost frames in the program, that is, neither in the JDK nor in a library that many programs use: "shop.Log.write:12 <
 * shop.Cart.pay:17". If there are none, it returns the innermost frames of such libraries; then those of the JDK, except frames in which
 * threads wait; then any. 0 = the stack has no frames. */
uint32_t stack_site(struct findings *f, const struct profile *p, uint32_t stack);
/* Returns the name of the innermost method with that mark, as a string of the profile; 0 = there is none. stack_own does the same for
 * the innermost method in the program. */
uint32_t stack_marked(const struct stack_marks *m, uint32_t stack, enum stack_mark mark);
static inline uint32_t stack_own(const struct stack_marks *m, uint32_t stack)
{
    return m->own[stack];
}
/* Returns the name of the method that waits in Object.wait or in a class of java.util.concurrent.locks: the innermost one outside of
 * these. 0 = none. */
uint32_t stack_waiter(const struct profile *p, uint32_t stack);
/* The innermost line of the program in each stack, "shop.Log.write:12", as a string id of the findings, for rules that add up by lines. */
struct stack_lines {
    const uint32_t *of_node; /* 0 = none */
};

/* Computes the lines, in the same way as stack_marks_of. */
int stack_lines_of(struct stack_lines *l, struct findings *f, const struct profile *p);
/* Returns the line with the largest part of the weight, of all samples or of those with a mark; 0 = none. *share is its part of that
 * weight; share may be NULL. */
uint32_t stack_line_most(struct findings *f, const struct profile *p, const struct stack_marks *marks, enum stack_mark mark, double *share);
/* Returns the site of a throw, as stack_site does: the frames below the exception's constructors. *class_name: the class of these
 * constructors, or 0. */
uint32_t stack_throw(struct findings *f, const struct profile *p, uint32_t stack, uint32_t *class_name);

#endif
