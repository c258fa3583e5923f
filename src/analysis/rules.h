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

#include "profile/known/costs.h"
#include "analysis/evidence.h"

#define FINDING_NEEDS(source) SOURCE_BIT(SOURCE_##source)

#define FINDING_ROWS(FINDING)                                                                                                              \
    FINDING(DEADLOCK, "deadlock", "Deadlock", "--kind lock", "Deadlock", FINDING_NEEDS(OWNERS), 0,                                         \
            "take these locks in the same order everywhere, or take the second one with tryLock and a timeout")                            \
    FINDING(LOCK_HELD_ASLEEP, "lock_held_asleep", "A lock is held while its owner sleeps", "--kind holder", "Methods",                     \
            FINDING_NEEDS(OWNERS), 0,                                                                                                      \
            "release the lock before sleeping; to wait for a condition, use Object.wait or Condition.await, which release the lock while " \
            "they wait")                                                                                                                   \
    FINDING(LOCK_HELD_IN_IO, "lock_held_in_io", "A lock is held during input or output", "--kind holder", "Methods",                       \
            FINDING_NEEDS(OWNERS), 0,                                                                                                      \
            "read and write without holding the lock; or put the data in a queue, from which one thread writes it")                        \
    FINDING(LOCK_HELD_WAITING, "lock_held_waiting", "A lock is held while its owner waits for another thread", "--kind holder", "Methods", \
            FINDING_NEEDS(OWNERS), 0,                                                                                                      \
            "get the result, the connection or the permit before taking the lock; hold the lock only while using it")                      \
    FINDING(WRITERS_STARVE, "writers_starve", "Writers starve behind readers", "--kind lock", "Locks",                                     \
            FINDING_NEEDS(OWNERS) | FINDING_NEEDS(PARKS), 0,                                                                               \
            "make readers queue, too: lock() instead of tryLock(), or new ReentrantReadWriteLock(true); hold the read lock for a shorter " \
            "time")                                                                                                                        \
    FINDING(LOCK_OWNER_PREEMPTED, "lock_owner_preempted", "Threads hold a lock while they wait for a processor", "--kind lock", "Locks",   \
            FINDING_NEEDS(OWNERS) | FINDING_NEEDS(WALL), 0,                                                                                \
            "run fewer computing threads, or use more processors: while the lock's owner waits for a processor, all threads that want "    \
            "the lock wait, too")                                                                                                          \
    FINDING(LOCK_CONTENDED, "lock_contended", "Threads queue for a lock", "--kind lock", "Locks", FINDING_NEEDS(LOCKS), 0,                 \
            "do less while holding the lock, protect parts of the data with separate locks, or use a concurrent collection")               \
    FINDING(POOL_TOO_SMALL, "pool_too_small", "A pool is too small for the threads that wait for it", "--kind wall", "Threads",            \
            FINDING_NEEDS(WALL) | FINDING_NEEDS(PARKS), 0,                                                                                 \
            "enlarge the pool, or return its resources sooner: hold a connection during the query, not during the whole request")          \
    FINDING(SAFEPOINT_STORM, "safepoint_storm", "All threads are stopped again and again", "--kind halt", "Kinds",                         \
            FINDING_NEEDS(SAFEPOINTS), 0,                                                                                                  \
            "take thread dumps and heap histograms, and search for deadlocks, less often: each stops all threads; -Xlog:safepoint names "  \
            "the operation")                                                                                                               \
    FINDING(LATE_AT_SAFEPOINTS, "late_at_safepoints", "A loop keeps all threads waiting for a safepoint", "--kind halt", "All threads",    \
            FINDING_NEEDS(CPU) | FINDING_NEEDS(ASKED), 0,                                                                                  \
            "use -XX:+UseCountedLoopSafepoints, or shorten the loop: a loop that counts in an int has no safepoint poll")                  \
    FINDING(SYSTEM_GC, "system_gc", "The program itself asks for garbage collections", "--kind halt", "Why", FINDING_NEEDS(PAUSES), 0,     \
            "remove the call; if a library makes it, use -XX:+ExplicitGCInvokesConcurrent or -XX:+DisableExplicitGC")                      \
    FINDING(SLOW_SOCKET, "slow_socket", "A peer answers slowly", "--kind halt", "Why", FINDING_NEEDS(SOCKETS), 0,                          \
            "look at the peer; send requests in parallel, or with a timeout. If the connection is merely idle, nothing is wrong")          \
    FINDING(REQUESTS_ONE_BY_ONE, "requests_one_by_one", "Many answers are awaited, one after the other", "--kind wall", "Threads",         \
            FINDING_NEEDS(WALL), 0,                                                                                                        \
            "ask once for many: one query with a join or IN (...), a batch, one request for a list; or send the requests in parallel. If " \
            "one large answer is read there, use a larger buffer or fetch size")                                                           \
    FINDING(FILE_FORCED, "file_forced", "A file is forced to disk again and again", "--kind halt", "Why", 0,                               \
            FINDING_NEEDS(WALL) | FINDING_NEEDS(FORCES),                                                                                   \
            "force once for many records: collect the records of a few milliseconds, then write and force them together")                  \
    FINDING(PINNED_CARRIER, "pinned_carrier", "Virtual threads keep their carrier threads while they wait", "--kind halt", "Why",          \
            FINDING_NEEDS(PINNED), 0,                                                                                                      \
            "use a ReentrantLock instead of synchronized around blocking calls; JDK 24 and later do not pin virtual threads at monitors")  \
    FINDING(EXCEPTIONS, "exceptions", "Exceptions are part of the normal control flow", "--callers fillInStackTrace", "Callers", 0,        \
            FINDING_NEEDS(CPU) | FINDING_NEEDS(THROWS),                                                                                    \
            "return a value if the case is expected; or throw an exception without a stack trace (writableStackTrace = false)")            \
    FINDING(CPU_SATURATED, "cpu_saturated", "Threads wait for a processor", "--kind wall", "Books",                                        \
            FINDING_NEEDS(CPU) | FINDING_NEEDS(WALL), 0,                                                                                   \
            "make the named code cheaper, run fewer threads at a time, or give the program more processors")                               \
    FINDING(                                                                                                                               \
        CARRIERS_BUSY, "carriers_busy", "Virtual threads wait for a carrier", "--kind cpu", "Threads", FINDING_NEEDS(CPU), 0,              \
        "run what computes for long in a pool of a few platform threads, so that virtual threads that only wait get a carrier at once")    \
    FINDING(GC_PRESSURE, "gc_pressure", "The garbage collector takes much of the time", "--kind halt", "Kinds", FINDING_NEEDS(PAUSES), 0,  \
            "allocate less at the places that candor report --kind alloc shows; if that is not enough, use a larger heap (-Xmx)")          \
    FINDING(GC_LONG_PAUSE, "gc_long_pause", "A garbage collection stopped the program for a long time", "--kind halt", "All threads",      \
            FINDING_NEEDS(PAUSES), 0,                                                                                                      \
            "use a concurrent collector (-XX:+UseZGC, or -XX:+UseG1GC with -XX:MaxGCPauseMillis) or a larger heap, or keep fewer objects " \
            "alive")                                                                                                                       \
    FINDING(BOXING, "boxing", "Numbers are boxed again and again", "--kind alloc", "Allocated classes", FINDING_NEEDS(ALLOC), 0,           \
            "use int and long instead of Integer and Long: in arrays, IntStream and collections of primitives. Values from -128 to 127 "   \
            "are cached and cost nothing")                                                                                                 \
    FINDING(ALLOCATION_SITE, "allocation_site", "One line allocates much of the memory", "--kind alloc", "Allocating lines",               \
            FINDING_NEEDS(ALLOC), 0, "reuse the objects that are allocated there, or allocate them once with the right size")              \
    FINDING(                                                                                                                               \
        LEAK, "leak", "The objects allocated at one place keep increasing", "--kind live", "Leak candidates",                              \
        FINDING_NEEDS(LIVE) | FINDING_NEEDS(GROWTH), 0,                                                                                    \
        "candor record -e live --paths=1s shows what holds them; limit the size of that collection, or remove what is no longer needed "   \
        "(from a ThreadLocal with remove()). It may also be a cache that is still filling")                                                \
    FINDING(THREAD_CHURN, "thread_churn", "Threads are started for very short work", "--kind wall", "Threads", FINDING_NEEDS(WALL), 0,     \
            "use an ExecutorService, which keeps its threads; if each task must have a thread, use virtual threads (JDK 21 and later)")    \
    FINDING(RECORDING_QUALITY, "recording_quality", "Parts of the recording are missing or not exact", "--kind cpu", "Books",              \
            FINDING_NEEDS(CPU), 0, "the reasons and their remedies are in the books at the end of the report")                             \
    FINDING(EVENT_LOOP_BLOCKED, "event_loop_blocked", "An event loop is blocked, and so are all its connections", "--kind wall",           \
            "Methods", FINDING_NEEDS(WALL), 0,                                                                                             \
            "run blocking calls in a separate pool (executeBlocking, boundedElastic, @Blocking), or use non-blocking calls")               \
    FINDING(COMMON_POOL_BLOCKED, "common_pool_blocked", "Blocked tasks occupy the common pool", "--kind wall", "Methods",                  \
            FINDING_NEEDS(WALL), 0,                                                                                                        \
            "pass a separate executor as the second argument of supplyAsync and similar methods, or use virtual threads; do not block in " \
            "parallel streams")                                                                                                            \
    FINDING(GC_FULL, "gc_full", "The whole heap is collected while all threads are stopped", "--kind halt", "Why", FINDING_NEEDS(PAUSES),  \
            0, "use a larger heap (-Xmx), or keep fewer objects for long: candor record -e live shows them")                               \
    FINDING(GC_MISSES_TARGET, "gc_misses_target", "G1 pauses take longer than their target", "--kind halt", "Why",                         \
            FINDING_NEEDS(PAUSES) | FINDING_NEEDS(FLAGS), 0,                                                                               \
            "remove -Xmn and other sizes of generations, so that G1 can choose them; allocate less; or set a target that G1 can meet")     \
    FINDING(GC_HUMONGOUS, "gc_humongous", "Large arrays cause G1 collections", "--kind alloc", "Allocating lines", FINDING_NEEDS(PAUSES),  \
            0,                                                                                                                             \
            "use larger regions (-XX:G1HeapRegionSize=16m), or smaller arrays: candor report --kind alloc shows where they are allocated") \
    FINDING(GC_LOCKER, "gc_locker", "Native code delays the garbage collector", "--kind halt", "Why", FINDING_NEEDS(PAUSES), 0,            \
            "hold arrays in native code for a shorter time (GetPrimitiveArrayCritical); with G1, JDK 22 and later do not wait for it")     \
    FINDING(GC_METASPACE, "gc_metaspace", "Class loading causes collections of the heap", "--kind halt", "Why", FINDING_NEEDS(PAUSES), 0,  \
            "set a larger -XX:MetaspaceSize; if the collections continue, look for code that generates classes: proxies, scripts, class "  \
            "loaders")                                                                                                                     \
    FINDING(GC_CODE_CACHE, "gc_code_cache", "Compiled code causes collections of the heap", "--kind halt", "Why", FINDING_NEEDS(PAUSES),   \
            0, "set a larger -XX:ReservedCodeCacheSize")                                                                                   \
    FINDING(GC_BY_TOOL, "gc_by_tool", "A tool causes collections of the heap", "--kind halt", "Why", FINDING_NEEDS(PAUSES), 0,             \
            "run the tool less often; jcmd GC.class_histogram -all and GC.heap_dump -all do not collect the heap first")                   \
    FINDING(SLOW_WRITE, "slow_write", "A peer takes data slowly", "--kind halt", "Why", FINDING_NEEDS(WRITES), 0,                          \
            "find out why the peer does not read; write from a separate thread, with a bounded queue")                                     \
    FINDING(SLOW_FILE, "slow_file", "Threads wait for a file", "--kind halt", "Why", FINDING_NEEDS(FILES), 0,                              \
            "read and write larger blocks, in advance or in another thread; check the disk")                                               \
    FINDING(ALLOCATION_STALL, "allocation_stall", "Threads wait for the collector to free memory", "--kind halt", "Why",                   \
            FINDING_NEEDS(STALLS), 0, "use a larger heap (-Xmx) or more -XX:ConcGCThreads, or allocate less")                              \
    FINDING(DEOPTIMIZATIONS, "deoptimizations", "Compiled code is discarded again and again", "--kind halt", "Why", FINDING_NEEDS(DEOPTS), \
            0,                                                                                                                             \
            "look at the named place: a type or a branch keeps changing there, or an exception is thrown that the compiled code does not " \
            "expect")                                                                                                                      \
    FINDING(ERRORS, "errors", "Errors are thrown", "--kind halt", "Why", 0, FINDING_NEEDS(ERRORS) | FINDING_NEEDS(THROWN),                 \
            "fix the cause; if the throw is part of the normal control flow, throw an exception instead of an Error")                      \
    FINDING(LONG_OPERATION, "long_operation", "An operation of the JVM stopped the program for a long time", "--kind halt", "All threads", \
            FINDING_NEEDS(OPERATIONS), 0, "take heap dumps and thread dumps, and redefine classes, when no user is waiting")               \
    FINDING(CPU_THROTTLED, "cpu_throttled", "The CPU quota of the container stops the program", "", "", FINDING_NEEDS(CONTAINER), 0,       \
            "raise or remove the quota (the CPU limit); run no more threads than it allows processors: -XX:ActiveProcessorCount, sizes "   \
            "of thread pools")                                                                                                             \
    FINDING(CONTAINER_FULL, "container_full", "The memory of the container is nearly used up", "", "", FINDING_NEEDS(CONTAINER), 0,        \
            "raise the limit, or use a smaller heap (-XX:MaxRAMPercentage); candor record -e live and -XX:NativeMemoryTracking=summary "   \
            "show what uses the memory")                                                                                                   \
    FINDING(CONTEXT_SWITCHES, "context_switches", "The processors switch between threads very often", "--kind cpu", "Threads",             \
            FINDING_NEEDS(SWITCHES), 0,                                                                                                    \
            "use fewer threads that pass small pieces of work to each other; candor report --kind lock shows what they wait for")          \
    FINDING(CLASSES_GROW, "classes_grow", "The number of loaded classes keeps growing", "--kind alloc", "Allocating lines",                \
            FINDING_NEEDS(STATISTICS), 0,                                                                                                  \
            "look for code that generates classes: proxies, scripts and templates that are compiled again, class loaders that are never "  \
            "released")                                                                                                                    \
    FINDING(THREADS_GROW, "threads_grow", "The number of threads keeps growing", "--kind wall", "Threads", FINDING_NEEDS(STATISTICS), 0,   \
            "shut down executors that are created for one task, or share one executor; candor report --kind wall shows the names of the "  \
            "threads")                                                                                                                     \
    FINDING(CODE_CACHE_FULL, "code_cache_full", "The memory for compiled code is full", "", "", FINDING_NEEDS(FULL), 0,                    \
            "set a larger -XX:ReservedCodeCacheSize")                                                                                      \
    FINDING(METASPACE_FULL, "metaspace_full", "The memory for classes is full", "", "", FINDING_NEEDS(FULL), 0,                            \
            "find out what generates classes and keeps their loaders alive; then set a larger -XX:MaxMetaspaceSize")                       \
    FINDING(SUBMIT_FAILED, "submit_failed", "Virtual threads cannot be resumed", "", "", FINDING_NEEDS(SUBMITS), 0,                        \
            "the scheduler is shut down or full: check jdk.virtualThreadScheduler.maxPoolSize, and the exception in the event")            \
    FINDING(GC_OVERRUN, "gc_overrun", "The garbage collector runs out of free memory", "--kind halt", "Kinds", FINDING_NEEDS(OVERRUNS), 0, \
            "use a larger heap (-Xmx), or let the collector begin earlier: -XX:InitiatingHeapOccupancyPercent, -XX:G1ReservePercent")      \
    FINDING(REDEFINITIONS, "redefinitions", "Classes are redefined all the time", "--kind halt", "Kinds", FINDING_NEEDS(REDEFINED), 0,     \
            "check the agents (-javaagent) and tools that transform classes: each redefinition stops all threads and discards compiled "   \
            "code")                                                                                                                        \
    FINDING(CHILD_PROCESSES, "child_processes", "Processes are started all the time", "--kind wall", "Threads", FINDING_NEEDS(PROCESSES),  \
            0, "use a library instead of the command, or keep one process and send it requests")                                           \
    FINDING(JDK_DATA_LOST, "jdk_data_lost", "The JDK's recorder lost data", "", "", FINDING_NEEDS(LOSSES), 0,                              \
            "enable fewer events, or use larger buffers: -XX:FlightRecorderOptions=memorysize=64m. Figures from its events are too low")   \
    FINDING(FLAG_SLOW, "flag_slow", "A flag of the JVM makes the program slow", "", "", FINDING_NEEDS(FLAGS), 0,                           \
            "remove the flag, unless this is a test")                                                                                      \
    FINDING(FLAG_RISKY, "flag_risky", "A flag of the JVM is a risk", "", "", FINDING_NEEDS(FLAGS), 0,                                      \
            "remove the flag, unless somebody knows why it is there")                                                                      \
    FINDING(FLAG_OUTDATED, "flag_outdated", "A flag of the JVM has no effect, or will soon have none", "", "", FINDING_NEEDS(FLAGS), 0,    \
            "remove the flag, or use the flag that is named")                                                                              \
    FINDING(FLAG_TWICE, "flag_twice", "A flag of the JVM is given twice, with different values", "", "", FINDING_NEEDS(FLAGS), 0,          \
            "keep only the intended one; check JAVA_TOOL_OPTIONS and start scripts, too")                                                  \
    FINDING(HEAP_SETUP, "heap_setup", "The flags for the heap and its collector do not fit together", "", "", FINDING_NEEDS(FLAGS), 0,     \
            "remove the flag: the JVM then chooses a value that suits the machine and the container")                                      \
    FINDING(REMOTE_CONTROL, "remote_control", "The JVM can be controlled from other machines", "", "", FINDING_NEEDS(FLAGS), 0,            \
            "close the port, or bind it to localhost")                                                                                     \
    FINDING(SECRET_IN_ARGUMENTS, "secret_in_arguments", "A secret is in the command line", "", "", FINDING_NEEDS(FLAGS), 0,                \
            "pass it in a file that only the program's user can read, or in an environment variable")                                      \
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
    RULE(rule_requests)                                                                                                                    \
    RULE(rule_carriers)                                                                                                                    \
    RULE(rule_gc)                                                                                                                          \
    RULE(rule_boxing)                                                                                                                      \
    RULE(rule_allocation_site)                                                                                                             \
    RULE(rule_leak)                                                                                                                        \
    RULE(rule_clients)                                                                                                                     \
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
