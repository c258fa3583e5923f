/* The table of rules, and the table of all possible findings. The text, the JSON and the list of judged rules are made from these
 * tables; a test compares docs/findings.md with them.
 *
 * FINDING(symbol, id, title, report, table, all, any, remedy):
 *   id             "lock_held_asleep": in JSON, stable
 *   title          in words
 *   report, table  the options of `candor report` that show it, none of which needs quotes, and the table in it; "" = no report does
 *   all, any       the data that a recording must have enabled before "nothing found" may be said: all of `all`, and one of `any`, if
 *                  there are any; bits of enum source
 *   remedy         what to do
 * RULE(function): uses the evidence that it needs, finds nothing if that is missing, and adds findings that have a score.
 *
 * A new rule needs a file rules/rule_NAME.c with its function, and rows in these tables. */
#ifndef CANDOR_ANALYSIS_RULES_H
#define CANDOR_ANALYSIS_RULES_H

#include "analysis/known/costs.h"
#include "analysis/evidence.h"

#define FINDING_NEEDS(source) SOURCE_BIT(SOURCE_##source)

#define FINDING_ROWS(FINDING)                                                                                                              \
    FINDING(DEADLOCK, "deadlock", "Deadlock", "--kind lock", "Deadlock", FINDING_NEEDS(OWNERS), 0,                                         \
            "take these locks in one order everywhere, or the second one with tryLock and a time")                                         \
    FINDING(LOCK_HELD_ASLEEP, "lock_held_asleep", "A lock is held while its owner sleeps", "--kind holder", "Methods",                     \
            FINDING_NEEDS(OWNERS), 0,                                                                                                      \
            "sleep after the lock is given back; wait for a state with Object.wait or Condition.await, which give it back "                \
            "meanwhile")                                                                                                                   \
    FINDING(LOCK_HELD_IN_IO, "lock_held_in_io", "A lock is held during input or output", "--kind holder", "Methods",                       \
            FINDING_NEEDS(OWNERS), 0, "read or write outside of the lock; hand what is to be written to one thread by a queue")            \
    FINDING(WRITERS_STARVE, "writers_starve", "Writers starve behind readers", "--kind lock", "Locks",                                     \
            FINDING_NEEDS(OWNERS) | FINDING_NEEDS(PARKS), 0,                                                                               \
            "have readers queue: lock() in place of tryLock(), or new ReentrantReadWriteLock(true); hold the read lock for "               \
            "less")                                                                                                                        \
    FINDING(LOCK_OWNER_PREEMPTED, "lock_owner_preempted", "A lock is held by threads that have no processor", "--kind lock", "Locks",      \
            FINDING_NEEDS(OWNERS) | FINDING_NEEDS(WALL), 0,                                                                                \
            "fewer threads that compute, or more processors: while an owner waits for one, all that want its lock wait, too")              \
    FINDING(LOCK_CONTENDED, "lock_contended", "Threads queue for a lock", "--kind lock", "Locks", FINDING_NEEDS(LOCKS), 0,                 \
            "do less while holding it, give parts of the data locks of their own, or use a concurrent collection")                         \
    FINDING(POOL_TOO_SMALL, "pool_too_small", "A pool is too small for those that wait for it", "--kind wall", "Threads",                  \
            FINDING_NEEDS(WALL) | FINDING_NEEDS(PARKS), 0,                                                                                 \
            "a larger pool, or give back what it lends sooner: hold a connection for the query, not for the request")                      \
    FINDING(SAFEPOINT_STORM, "safepoint_storm", "All threads are stopped again and again", "--kind halt", "Kinds",                         \
            FINDING_NEEDS(SAFEPOINTS), 0,                                                                                                  \
            "call less often what stops all threads: thread dumps, looking for deadlocks, heap histograms; -Xlog:safepoint "               \
            "names it")                                                                                                                    \
    FINDING(LATE_AT_SAFEPOINTS, "late_at_safepoints", "A loop keeps all threads waiting for a safepoint", "--kind halt", "All threads",    \
            FINDING_NEEDS(CPU) | FINDING_NEEDS(ASKED), 0,                                                                                  \
            "-XX:+UseCountedLoopSafepoints, or a shorter loop: one that counts in an int has no poll")                                     \
    FINDING(SYSTEM_GC, "system_gc", "The program itself asks for garbage collections", "--kind halt", "Why", FINDING_NEEDS(PAUSES), 0,     \
            "leave the call out; -XX:+ExplicitGCInvokesConcurrent or -XX:+DisableExplicitGC where it is not yours")                        \
    FINDING(SLOW_SOCKET, "slow_socket", "A peer answers slowly", "--kind halt", "Why", FINDING_NEEDS(SOCKETS), 0,                          \
            "look at the peer; ask it in parallel, or with a timeout. It may be a connection that is idle")                                \
    FINDING(FILE_FORCED, "file_forced", "A file is forced to disk again and again", "--kind halt", "Why", 0,                               \
            FINDING_NEEDS(WALL) | FINDING_NEEDS(FORCES),                                                                                   \
            "force once for many records: collect those of a few milliseconds, then write and force them together")                        \
    FINDING(PINNED_CARRIER, "pinned_carrier", "Virtual threads wait and keep their carriers", "--kind halt", "Why", FINDING_NEEDS(PINNED), \
            0, "a ReentrantLock in place of synchronized around what blocks; JDK 24 and later do not pin at monitors")                     \
    FINDING(EXCEPTIONS, "exceptions", "Exceptions are the way the program goes", "--callers fillInStackTrace", "Callers", 0,               \
            FINDING_NEEDS(CPU) | FINDING_NEEDS(THROWS),                                                                                    \
            "return a value where this is expected; else an exception without a stack trace (writableStackTrace = false)")                 \
    FINDING(CPU_SATURATED, "cpu_saturated", "Threads wait for a processor", "--kind wall", "Books",                                        \
            FINDING_NEEDS(CPU) | FINDING_NEEDS(WALL), 0,                                                                                   \
            "make the code that is named there cheaper, run fewer threads at a time, or give the program more processors")                 \
    FINDING(GC_PRESSURE, "gc_pressure", "The garbage collector takes much of the time", "--kind halt", "Kinds", FINDING_NEEDS(PAUSES), 0,  \
            "allocate less, at the places that candor report --kind alloc shows; then a larger heap (-Xmx)")                               \
    FINDING(GC_LONG_PAUSE, "gc_long_pause", "A garbage collection stopped the program for long", "--kind halt", "All threads",             \
            FINDING_NEEDS(PAUSES), 0,                                                                                                      \
            "a concurrent collector (-XX:+UseZGC, -XX:+UseG1GC with -XX:MaxGCPauseMillis), a larger heap, or fewer objects "               \
            "that are alive")                                                                                                              \
    FINDING(BOXING, "boxing", "Numbers are boxed again and again", "--kind alloc", "Allocated classes", FINDING_NEEDS(ALLOC), 0,           \
            "int and long in place of Integer and Long: arrays, IntStream, collections of primitive values; or values from "               \
            "-128 to 127")                                                                                                                 \
    FINDING(ALLOCATION_SITE, "allocation_site", "One line allocates much of the memory", "--kind alloc", "Allocating lines",               \
            FINDING_NEEDS(ALLOC), 0, "keep and use again what is allocated there, or allocate it once with the right size")                \
    FINDING(LEAK, "leak", "Objects of one place keep growing in number", "--kind live", "Leak candidates", FINDING_NEEDS(LIVE), 0,         \
            "candor record -e live --paths=1s shows what holds them; bound that cache, or remove what is over. It may be a "               \
            "cache that still fills")                                                                                                      \
    FINDING(THREAD_CHURN, "thread_churn", "Threads are started for little work", "--kind wall", "Threads", FINDING_NEEDS(WALL), 0,         \
            "an ExecutorService that keeps its threads; virtual threads (JDK 21 and later) where each task has one")                       \
    FINDING(RECORDING_QUALITY, "recording_quality", "The recording misses a part of the time", "--kind cpu", "Books", FINDING_NEEDS(CPU),  \
            0, "the reasons and their remedies are in the books at the end of the report")                                                 \
    FINDING(EVENT_LOOP_BLOCKED, "event_loop_blocked", "An event loop waits, and its connections with it", "--kind wall", "Methods",        \
            FINDING_NEEDS(WALL), 0,                                                                                                        \
            "do what waits in a pool of its own (executeBlocking, boundedElastic, @Blocking), or ask without waiting")                     \
    FINDING(                                                                                                                               \
        COMMON_POOL_BLOCKED, "common_pool_blocked", "Tasks of the common pool wait, and all that use it", "--kind wall", "Methods",        \
        FINDING_NEEDS(WALL), 0,                                                                                                            \
        "an executor of its own as the second argument of supplyAsync and the like; virtual threads; no parallel streams over what waits") \
    FINDING(GC_FULL, "gc_full", "The whole heap is collected while all threads stand", "--kind halt", "Why", FINDING_NEEDS(PAUSES), 0,     \
            "a larger heap (-Xmx), or fewer objects that live long: candor record -e live shows them")                                     \
    FINDING(GC_MISSES_TARGET, "gc_misses_target", "G1 pauses take longer than they are to take", "--kind halt", "Why",                     \
            FINDING_NEEDS(PAUSES) | FINDING_NEEDS(FLAGS), 0,                                                                               \
            "leave -Xmn and the sizes of generations out, so that G1 may choose; allocate less; or a target that it can meet")             \
    FINDING(GC_HUMONGOUS, "gc_humongous", "Large arrays make G1 collect", "--kind alloc", "Allocating lines", FINDING_NEEDS(PAUSES), 0,    \
            "larger regions (-XX:G1HeapRegionSize=16m), or smaller arrays: candor report --kind alloc shows who makes them")               \
    FINDING(GC_LOCKER, "gc_locker", "Native code keeps the collector waiting", "--kind halt", "Why", FINDING_NEEDS(PAUSES), 0,             \
            "shorter use of arrays in native code (GetPrimitiveArrayCritical); JDK 22 and later do not wait with G1")                      \
    FINDING(GC_METASPACE, "gc_metaspace", "Classes make the JVM collect the heap", "--kind halt", "Why", FINDING_NEEDS(PAUSES), 0,         \
            "a larger -XX:MetaspaceSize from the start; if it goes on, look at what makes classes: proxies, scripts, class loaders")       \
    FINDING(GC_CODE_CACHE, "gc_code_cache", "Compiled code makes the JVM collect the heap", "--kind halt", "Why", FINDING_NEEDS(PAUSES),   \
            0, "a larger -XX:ReservedCodeCacheSize")                                                                                       \
    FINDING(GC_BY_TOOL, "gc_by_tool", "A tool makes the JVM collect the heap", "--kind halt", "Why", FINDING_NEEDS(PAUSES), 0,             \
            "ask less often; jcmd GC.class_histogram -all and GC.heap_dump -all do not collect first")                                     \
    FINDING(SLOW_WRITE, "slow_write", "A peer takes data slowly", "--kind halt", "Why", FINDING_NEEDS(WRITES), 0,                          \
            "look at the peer, which does not read; write from a thread of its own, with a bounded queue")                                 \
    FINDING(SLOW_FILE, "slow_file", "Threads wait for a file", "--kind halt", "Why", FINDING_NEEDS(FILES), 0,                              \
            "read and write larger pieces, ahead of need or in another thread; look at the disk")                                          \
    FINDING(ALLOCATION_STALL, "allocation_stall", "Threads wait for the collector to free memory", "--kind halt", "Why",                   \
            FINDING_NEEDS(STALLS), 0, "a larger heap (-Xmx), more -XX:ConcGCThreads, or allocate less")                                    \
    FINDING(DEOPTIMIZATIONS, "deoptimizations", "Compiled code is thrown away again and again", "--kind halt", "Why",                      \
            FINDING_NEEDS(DEOPTS), 0,                                                                                                      \
            "look at the place: a type or a branch that changes all the time, or an exception that compiled code expects never")           \
    FINDING(ERRORS, "errors", "Errors are thrown", "--kind halt", "Why", 0, FINDING_NEEDS(ERRORS) | FINDING_NEEDS(THROWN),                 \
            "mend the cause; an exception in place of an Error where it is how the program goes")                                          \
    FINDING(LONG_OPERATION, "long_operation", "An operation of the JVM stopped the program for long", "--kind halt", "All threads",        \
            FINDING_NEEDS(OPERATIONS), 0, "leave it to a time when nobody waits: dumps of the heap and of threads, class redefinition")    \
    FINDING(CPU_THROTTLED, "cpu_throttled", "The CPU quota of the container stops the program", "", "", FINDING_NEEDS(CONTAINER), 0,       \
            "a larger quota (cpu limit), or none; as many threads as it gives processors: -XX:ActiveProcessorCount, sizes of pools")       \
    FINDING(CONTAINER_FULL, "container_full", "The memory of the container is nearly used up", "", "", FINDING_NEEDS(CONTAINER), 0,        \
            "a larger limit, or a smaller heap (-XX:MaxRAMPercentage); candor record -e live, -XX:NativeMemoryTracking=summary for what "  \
            "uses it")                                                                                                                     \
    FINDING(CONTEXT_SWITCHES, "context_switches", "The processors switch between threads very often", "--kind cpu", "Threads",             \
            FINDING_NEEDS(STATISTICS), 0,                                                                                                  \
            "fewer threads that hand work to each other in small pieces; candor report --kind lock shows what they wait for")              \
    FINDING(CLASSES_GROW, "classes_grow", "Ever more classes are loaded", "--kind alloc", "Allocating lines", FINDING_NEEDS(STATISTICS),   \
            0, "look at what makes them: proxies, scripts and templates that are compiled anew, class loaders that are kept")              \
    FINDING(THREADS_GROW, "threads_grow", "There are ever more threads", "--kind wall", "Threads", FINDING_NEEDS(STATISTICS), 0,           \
            "shut executors down that are made for one task, or share one; candor report --kind wall shows what the threads are called")   \
    FINDING(CODE_CACHE_FULL, "code_cache_full", "The memory for compiled code is full", "", "", FINDING_NEEDS(FULL), 0,                    \
            "a larger -XX:ReservedCodeCacheSize")                                                                                          \
    FINDING(METASPACE_FULL, "metaspace_full", "The memory for classes is full", "", "", FINDING_NEEDS(FULL), 0,                            \
            "a larger -XX:MaxMetaspaceSize, after a look at who makes classes and keeps their loaders")                                    \
    FINDING(SUBMIT_FAILED, "submit_failed", "Virtual threads cannot go on", "", "", FINDING_NEEDS(SUBMITS), 0,                             \
            "the scheduler is shut down or full: look at jdk.virtualThreadScheduler.maxPoolSize, and at the exception in the event")       \
    FINDING(GC_OVERRUN, "gc_overrun", "The collector runs out of room", "--kind halt", "Kinds", FINDING_NEEDS(OVERRUNS), 0,                \
            "a larger heap (-Xmx), or have the collector begin sooner: -XX:InitiatingHeapOccupancyPercent, -XX:G1ReservePercent")          \
    FINDING(REDEFINITIONS, "redefinitions", "Classes are redefined all the time", "--kind halt", "Kinds", FINDING_NEEDS(REDEFINED), 0,     \
            "look at the agents (-javaagent) and tools that transform classes: each time all threads stop, and code is "                   \
            "thrown away; candor record --heal does so, too")                                                                              \
    FINDING(CHILD_PROCESSES, "child_processes", "Processes are started all the time", "--kind wall", "Threads", FINDING_NEEDS(PROCESSES),  \
            0, "a library in place of the command, or one process that is kept and asked")                                                 \
    FINDING(JDK_DATA_LOST, "jdk_data_lost", "The JDK's recorder lost data", "", "", FINDING_NEEDS(LOSSES), 0,                              \
            "fewer events, or larger buffers: -XX:FlightRecorderOptions=memorysize=64m. What rests on its events is too little")           \
    FINDING(FLAG_SLOW, "flag_slow", "A flag of the JVM makes the program slow", "", "", FINDING_NEEDS(FLAGS), 0,                           \
            "leave the flag out, unless this is a test")                                                                                   \
    FINDING(FLAG_RISKY, "flag_risky", "A flag of the JVM is a risk", "", "", FINDING_NEEDS(FLAGS), 0,                                      \
            "leave the flag out, unless somebody knows why it is there")                                                                   \
    FINDING(FLAG_OUTDATED, "flag_outdated", "A flag of the JVM does nothing, or will not for long", "", "", FINDING_NEEDS(FLAGS), 0,       \
            "leave the flag out, or give the one that is named")                                                                           \
    FINDING(FLAG_TWICE, "flag_twice", "A flag of the JVM is given twice, and differs", "", "", FINDING_NEEDS(FLAGS), 0,                    \
            "leave out all but the one that is meant; look at JAVA_TOOL_OPTIONS and start scripts, too")                                   \
    FINDING(HEAP_SETUP, "heap_setup", "The heap and its collector do not fit their flags", "", "", FINDING_NEEDS(FLAGS), 0,                \
            "leave the flag out: the JVM chooses by the machine and the container")                                                        \
    FINDING(REMOTE_CONTROL, "remote_control", "The JVM can be controlled from other machines", "", "", FINDING_NEEDS(FLAGS), 0,            \
            "close the port, or bind it to localhost")                                                                                     \
    FINDING(SECRET_IN_ARGUMENTS, "secret_in_arguments", "A secret is in the command line", "", "", FINDING_NEEDS(FLAGS), 0,                \
            "give it in a file that only the program's user can read, or in the environment")                                              \
    COST_ROWS(COST_FINDING, FINDING)

#define COST_FINDING(FINDING, symbol, id, title, words, source, limit, when, remedy)                                                       \
    FINDING(symbol, id, title, COST_REPORT_##source, "Methods", FINDING_NEEDS(source), 0, remedy)
#define COST_REPORT_CPU  "--kind cpu"
#define COST_REPORT_WALL "--kind wall"

/* rule_locks makes one finding for each class of locks, the most specific one. */
#define RULES(RULE)                                                                                                                        \
    RULE(rule_deadlock)                                                                                                                    \
    RULE(rule_locks)                                                                                                                       \
    RULE(rule_pool)                                                                                                                        \
    RULE(rule_resources)                                                                                                                   \
    RULE(rule_safepoints)                                                                                                                  \
    RULE(rule_late)                                                                                                                        \
    RULE(rule_system_gc)                                                                                                                   \
    RULE(rule_sockets)                                                                                                                     \
    RULE(rule_forces)                                                                                                                      \
    RULE(rule_pinned)                                                                                                                      \
    RULE(rule_exceptions)                                                                                                                  \
    RULE(rule_cpu)                                                                                                                         \
    RULE(rule_gc)                                                                                                                          \
    RULE(rule_boxing)                                                                                                                      \
    RULE(rule_allocation_site)                                                                                                             \
    RULE(rule_leak)                                                                                                                        \
    RULE(rule_threads)                                                                                                                     \
    RULE(rule_quality)                                                                                                                     \
    RULE(rule_costs)                                                                                                                       \
    RULE(rule_flags)                                                                                                                       \
    RULE(rule_pauses)                                                                                                                      \
    RULE(rule_halts)                                                                                                                       \
    RULE(rule_readings)                                                                                                                    \
    RULE(rule_blocked)

struct findings;

#define RULE_FUNCTION(function) void function(struct findings *f, const struct evidence *e);
RULES(RULE_FUNCTION)
#undef RULE_FUNCTION

#endif
