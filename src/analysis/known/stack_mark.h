/* What a known method on a thread's stack means for the thread. */
#ifndef CANDOR_ANALYSIS_KNOWN_STACK_MARK_H
#define CANDOR_ANALYSIS_KNOWN_STACK_MARK_H

#include "analysis/known/costs.h"

enum stack_mark {
    STACK_FILLS_TRACE, /* Throwable.fillInStackTrace */
    STACK_CALLS_GC,    /* Runtime.gc, which System.gc calls */
    STACK_WORKS,       /* a worker of a ThreadPoolExecutor, or of a ForkJoinPool */
    STACK_FORKS,       /* of the latter */
    STACK_EXECUTES,    /* which runs a task */
    STACK_TAKES_TASK,  /* a worker that looks for its next task */
    STACK_AWAITS,      /* a thread that waits for the result of a task: FutureTask.get, CompletableFuture.join */
    STACK_TAKES,       /* the next element of a BlockingQueue */
    STACK_ACQUIRES,    /* a permit of a Semaphore */
    STACK_BORROWS,     /* a connection, or the like, of a library's pool */
    STACK_LENDS,       /* a method of the program's, or of a library's, whose name says that it hands out what a pool has */
    STACK_LOCKS_WRITE, /* ReentrantReadWriteLock */
    STACK_LOCKS_READ,
    STACK_BOXES,               /* valueOf of a wrapper class: Integer.valueOf */
    STACK_COLLECTS,            /* a thread of the garbage collector at work */
    STACK_STARTS,              /* Thread.start */
    STACK_FORCES,              /* FileChannel.force */
    STACK_SYNCS,               /* FileDescriptor.sync */
    STACK_LOOPS,               /* an event loop, which serves many connections */
    STACK_SELECTS,             /* and waits for these, as it is to */
    COST_ROWS(COST_MARK, NONE) /* what costs.h has */
};

#endif
