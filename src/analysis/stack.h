/* What rules ask about stacks: which known methods are on them, why the innermost one is there, and where in the program they
 * are. */
#ifndef CANDOR_ANALYSIS_STACK_H
#define CANDOR_ANALYSIS_STACK_H

#include "analysis/findings.h"
#include "profile/profile.h"

enum stack_mark {
    STACK_FILLS_TRACE,  /* Throwable.fillInStackTrace */
    STACK_CALLS_GC,     /* Runtime.gc, which System.gc calls */
    STACK_WORKS,        /* a worker of a ThreadPoolExecutor */
    STACK_TAKES_TASK,   /* which looks for its next task */
    STACK_AWAITS,       /* a thread that waits for the result of a task: FutureTask.get */
    STACK_LOCKS_WRITE,  /* ReentrantReadWriteLock */
    STACK_LOCKS_READ,
    STACK_FORCES,       /* FileChannel.force */
    STACK_SYNCS,        /* FileDescriptor.sync */
};

struct stack_marks {
    const struct profile *profile;
    uint16_t *of_node; /* bits by enum stack_mark */
};

/* One pass over the profile's methods and one over its trie. 0 or -ENOMEM; stack_marks_deinit in any case. */
int stack_marks_init(struct stack_marks *m, const struct profile *p);
void stack_marks_deinit(struct stack_marks *m);
static inline bool stack_has(const struct stack_marks *m, uint32_t stack, enum stack_mark mark)
{
    return m->of_node[stack] >> mark & 1;
}

/* What a thread does whose stack this is, by its innermost method, as far as that is there for nothing else. */
enum stack_work { STACK_IS_ELSE, STACK_SLEEPS, STACK_IS_IN_IO };
enum stack_work stack_work(const struct profile *p, uint32_t stack);

/* The innermost frames in the program, not in the JDK: "shop.Log.write:12 < shop.Cart.pay:17"; if there are none, the innermost
 * frames. 0 = the stack has none. */
uint32_t stack_site(struct findings *f, const struct profile *p, uint32_t stack);
/* The same for the throw of an exception: the frames below its constructors. *class_name: the class of these constructors, or 0. */
uint32_t stack_throw(struct findings *f, const struct profile *p, uint32_t stack, uint32_t *class_name);

#endif
