#include "verify/cases.h"

#include <stddef.h>
#include <string.h>

const struct verify_case verify_cases[] = {
    {"shares", "Three methods in one thread",
     "One thread divides its time between three methods, 50 to 30 to 20. This is the least that a profiler must get right."},
    {"shares-threads", "Three methods in eight threads",
     "Eight threads run at once. A profiler that looks at only a few threads at a time, or has one timer for all of them, samples some of "
     "them too seldom."},
    {"trap-hot", "A loop without a safepoint",
     "The JVM stops a thread only at safepoints, and the hottest loops have none. A profiler that waits for a safepoint sees the place "
     "where the thread stops, not where it works, and blames the code after the loop."},
    {"trap-setter", "A setter after a loop",
     "As in trap-hot, but a setter follows the loop, nine calls deep, that takes no time at all. A biased profiler blames the setter."},
    {"intrinsics", "Hand-written code of the JVM",
     "Copying, filling, checksums, strings, mathematics and encryption run in hand-written code of the JVM. Stack walks may fail there, "
     "and then this time is missing from the profile."},
    {"copies", "Small copies",
     "Copies of a few bytes take only nanoseconds, so a sample nearly always finds the thread entering or leaving the copy."},
    {"bursts", "Short bursts of work",
     "A thread works for half a millisecond and then sleeps. A wall-clock timer never finds it working, or only ever at the end of its "
     "work."},
    {"periodic", "Work in step with the clock",
     "The work repeats with the period of the samples. A clock with a fixed period always samples the same point of it."},
    {"short-threads", "Threads of a millisecond",
     "Thousands of threads live for a millisecond each. A profiler whose clock fires only after a whole period never samples them."},
    {"many-threads", "Five hundred threads", "Five groups of a hundred threads have loads in the ratio 1 to 2 to 4 to 8 to 16."},
    {"gc", "Much garbage",
     "Two methods allocate, 60 to 40, while collections interrupt them. Stack walks may fail while the collector works."},
    {"jit", "New code all the time",
     "New classes are loaded and compiled all the time, so frames change from interpreted to compiled during the profile."},
    {"deopt", "Discarded code",
     "The program breaks the compiler's assumptions on purpose, so compiled frames turn into interpreted frames."},
    {"exceptions", "Deep exceptions", "Exceptions unwind many frames: for an instant the stack is in neither its old nor its new state."},
    {"kernel", "Work in the kernel", "The kernel reads and writes in the thread's time. A clock that stops in the kernel misses this time.",
     .needs = VERIFY_KERNEL},
    {"zlib", "Native code",
     "Compression runs in a C library, whose frames say nothing about Java. A profiler must find the Java frames below them."},
    {"recursion", "A thousand calls deep", "A profiler that truncates stacks loses the callers."},
    {"megamorphic", "Many receivers", "Calls are dispatched to six classes. Stack walks may fail in the stubs between caller and callee."},
    {"lambda", "Lambdas and map functions",
     "Everything is inlined into one piece of machine code. Without full debug information, as in code that was compiled before the "
     "profiler was loaded, work appears at a nearby line."},
    {"virtual", "Virtual threads", "Their stacks continue those of their carrier threads, and move from one carrier to another."},
    {"virtual-names", "Virtual threads by name",
     "The profile must show which virtual thread did the work. A profiler that knows only the carrier threads cannot."},
    {"causality", "Work that is added",
     "The same program twice, the second time with more work in one method: the profile must change by exactly that."},
    {"slowdown-uniform", "Everything twice as slow", "If everything takes twice as long, no share may change."},
    {"slowdown-selective", "One method twice as slow",
     "If one method takes twice as long, its share must grow, and the other shares must shrink, by the right amounts."},
    {0},
};

const struct verify_case *verify_case_find(const char *name)
{
    for (const struct verify_case *c = verify_cases; c->name; c++)
        if (!strcmp(c->name, name))
            return c;
    return NULL;
}
