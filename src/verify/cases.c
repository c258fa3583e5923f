#include "verify/cases.h"

#include <stddef.h>
#include <string.h>

const struct verify_case verify_cases[] = {
    {"shares", "Three methods in one thread",
     "One thread divides its time between three methods, 50 to 30 to 20. Who cannot tell that can tell nothing."},
    {"shares-threads", "The same in eight threads",
     "Eight threads at once: a profiler that looks at a few threads at a time, or has one timer for all, sees some of them less."},
    {"trap-hot", "A loop without a safepoint",
     "The JVM stops a thread only at safepoints, and the hottest loops have none. A profiler that waits for one sees the thread "
     "where it stops, not where it works, and blames the code behind the loop."},
    {"trap-setter", "A setter behind a loop",
     "As before, but behind the loop stands a setter, nine calls deep, that takes no time at all. It gets the blame."},
    {"intrinsics", "What the JVM writes by hand",
     "Copying, filling, checksums, strings, mathematics and encryption run in code that the JVM brings along. Walks of the stack "
     "fail there, and what failed is missing from the profile."},
    {"copies", "Small copies", "Copies of a few bytes are over within nanoseconds: the thread is always just entering or leaving."},
    {"bursts", "Short bursts of work",
     "A thread that works half a millisecond and then sleeps is never there when a clock ticks by the wall, or is only ever "
     "seen at the end of its work."},
    {"periodic", "Work in step with the clock",
     "The work repeats as often as samples are taken. A clock of fixed period always sees the same point of it."},
    {"short-threads", "Threads of a millisecond",
     "Thousands of threads live for a millisecond each. One that is only armed, and first sampled after a whole period, is never "
     "seen."},
    {"many-threads", "Five hundred threads", "Groups of a hundred threads whose loads are as 1 to 2 to 4 to 8 to 16."},
    {"gc", "Much garbage", "Two methods allocate, 60 to 40, while collections interrupt them. Walks fail while the collector works."},
    {"jit", "New code all the time",
     "Classes are loaded and compiled anew, again and again: frames change from interpreted to compiled under the profiler's eyes."},
    {"deopt", "Code thrown away", "The compiler's guesses are made wrong on purpose: compiled frames turn into interpreted ones."},
    {"exceptions", "Deep exceptions", "Exceptions unwind many frames: for an instant the stack is neither before nor behind them."},
    {"kernel", "Work in the kernel",
     "Reading and writing is done by the kernel in the thread's time. A clock that stands still there leaves it out.",
     .needs = VERIFY_KERNEL},
    {"zlib", "Native code", "Compression runs in a C library, whose frames say nothing about Java: a profiler must find back."},
    {"recursion", "A thousand calls deep", "A profiler that cuts stacks short loses who called."},
    {"megamorphic", "Many receivers", "Calls that dispatch over six classes: the stubs between caller and callee are places to get lost."},
    {"lambda", "Lambdas and map functions",
     "Everything is inlined into one piece of machine code. Without full debug information, as in code that was compiled before "
     "the profiler came, work is shown at a neighbour's line."},
    {"virtual", "Virtual threads", "Their stacks hang below those of the threads that carry them, and move from one to another."},
    {"virtual-names", "Virtual threads by name", "Which of them did the work: a profiler that knows only what carries them cannot tell."},
    {"causality", "Work that is added",
     "The same program twice, the second time with more work in one method: the profile must change by exactly that."},
    {"slowdown-uniform", "Everything twice as slow", "When all takes twice as long, no share may change."},
    {"slowdown-selective", "One method twice as slow",
     "When one takes twice as long, its share grows, and the others' shrink, as they must."},
    {0},
};

const struct verify_case *verify_case_find(const char *name)
{
    for (const struct verify_case *c = verify_cases; c->name; c++)
        if (!strcmp(c->name, name))
            return c;
    return NULL;
}
