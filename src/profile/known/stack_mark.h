/* The marks of known methods: what such a method on a thread's stack means for the thread. */
#ifndef CANDOR_PROFILE_KNOWN_STACK_MARK_H
#define CANDOR_PROFILE_KNOWN_STACK_MARK_H

#include "profile/known/costs.h"

enum stack_mark {
    STACK_FILLS_TRACE,     /* Throwable.fillInStackTrace, or the JVM does that for an exception of its own */
    STACK_CALLS_GC,        /* Runtime.gc, which System.gc calls */
    STACK_WORKS,           /* a worker of a ThreadPoolExecutor, or of a ForkJoinPool */
    STACK_FORKS,           /* a worker of a ForkJoinPool */
    STACK_EXECUTES,        /* a worker of a ForkJoinPool that runs a task */
    STACK_TAKES_TASK,      /* a worker that looks for its next task */
    STACK_AWAITS,          /* a thread that waits for the result of a task: FutureTask.get, CompletableFuture.join */
    STACK_RESULTS,         /* a worker that runs a task whose result others may wait for */
    STACK_LATCHES,         /* a thread that waits for a CountDownLatch */
    STACK_TAKES,           /* a thread that takes the next element of a BlockingQueue */
    STACK_ACQUIRES,        /* a thread that acquires a permit of a Semaphore */
    STACK_BORROWS,         /* a thread that borrows a connection, or something similar, from a library's pool */
    STACK_LENDS,           /* a method of the program, or of a library, whose name says that it lends a pool's resource */
    STACK_BORROWS_BY_VERB, /* such a method whose name says that it borrows: acquire, checkout, getConnection */
    STACK_CONDITION,       /* a thread in Condition.await */
    STACK_LOCKS_WRITE,     /* ReentrantReadWriteLock */
    STACK_LOCKS_READ,
    STACK_BOXES,               /* valueOf of a wrapper class: Integer.valueOf */
    STACK_COLLECTS,            /* a thread of the garbage collector at work */
    STACK_STARTS,              /* Thread.start, and the constructors of Thread, which cost more and are seen more often */
    STACK_MAKES_CLIENT,        /* a new HttpClient of the JDK */
    STACK_FORCES,              /* FileChannel.force */
    STACK_SYNCS,               /* FileDescriptor.sync */
    STACK_LOOPS,               /* an event loop, which serves many connections */
    STACK_REACTS,              /* a task of a scheduler of Reactor */
    STACK_SELECTS,             /* an event loop that waits for its connections, as intended */
    STACK_ASKS,                /* a thread that reads a peer's answer from a socket, or waits for that of an HTTP server */
    COST_ROWS(COST_MARK, NONE) /* the marks of costs.h */
    STACK_MARKS
};
_Static_assert(STACK_MARKS <= 64, "the marks of a stack are bits of a word");

#endif
