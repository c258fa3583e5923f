/* Every way a sample can end, one line each: code, recordings, reports and docs take the names from here.
 *
 * OUTCOME(symbol, name, meaning, remedy): what became of a stack walk. The first two have a stack, the others none.
 * TRUNCATION(symbol, name, meaning, remedy): why a truncated stack ends where it does; it stands at the stack's root as a
 * pseudo frame. Truncated stacks without one are too deep, or not walkable.
 * LOSS(symbol, name, meaning, remedy): an expiry of a clock that left no sample.
 * UNSEEN(symbol, name, meaning, remedy): CPU time that no clock could show.
 * SUPPRESSION(symbol, name, meaning, remedy): why a clock ran slower than asked; nothing is lost, its samples stand for more.
 * MISS(symbol, name, meaning, remedy): event safepoint: a thread that was chosen, and left no sample.
 * ALLOCATION_LOSS(symbol, name, meaning, remedy): event alloc: a sample that the JVM drew, and that is not in the recording.
 * PAUSE_LOSS(symbol, name, meaning, remedy): event halt: a GC pause that the JVM told of, and that is not in the recording.
 * LOCK_LOSS(symbol, name, meaning, remedy): event lock: a wait that was to be recorded, and that is not in the recording.
 * CONTEXT_LOSS(symbol, name, meaning, remedy): a sample that is there, but not all of the context that its thread had.
 * UNNAMED(symbol, name, meaning, remedy): event safepoint: a frame whose method has no name; it is a pseudo frame. */
#ifndef CANDOR_AGENT_HOT_REASONS_H
#define CANDOR_AGENT_HOT_REASONS_H

#include <stdbool.h>

#define OUTCOMES(OUTCOME)                                                                                              \
    OUTCOME(COMPLETE, "complete", "the walk reached the thread's first frame", "")                                     \
    OUTCOME(TRUNCATED, "truncated", "frames are missing: deeper than 2048, or not walkable", "")                          \
    OUTCOME(NO_JAVA_FRAME, "no_java_frame", "a thread in Java code, but no frame could be identified", "")              \
    OUTCOME(BAD_ANCHOR, "bad_anchor", "the thread's last Java frame could not be read", "")                            \
    OUTCOME(UNREADABLE, "unreadable", "the JVM's tables do not describe its frames",                                   \
            "use a HotSpot build that exports gHotSpotVMStructs")                                                      \
    OUTCOME(AGCT_NO_JAVA, "agct_no_java", "AsyncGetCallTrace: no Java frames", "")                                     \
    OUTCOME(AGCT_NO_CLASS_LOAD, "agct_no_class_load", "AsyncGetCallTrace: class load events are off", "")              \
    OUTCOME(AGCT_GC, "agct_gc", "AsyncGetCallTrace: a garbage collection runs", "")                                    \
    OUTCOME(AGCT_UNKNOWN_NATIVE, "agct_unknown_native", "AsyncGetCallTrace: native code of unknown state", "")         \
    OUTCOME(AGCT_NATIVE, "agct_native", "AsyncGetCallTrace: native code it cannot walk", "")                           \
    OUTCOME(AGCT_UNKNOWN_JAVA, "agct_unknown_java", "AsyncGetCallTrace: Java code it does not know, mostly stubs", "") \
    OUTCOME(AGCT_JAVA, "agct_java", "AsyncGetCallTrace: Java code it cannot walk", "")                                 \
    OUTCOME(AGCT_STATE, "agct_state", "AsyncGetCallTrace: a thread in an unknown state", "")                           \
    OUTCOME(AGCT_EXITING, "agct_exiting", "AsyncGetCallTrace: the thread is ending", "")                               \
    OUTCOME(AGCT_DEOPT, "agct_deopt", "AsyncGetCallTrace: a deoptimisation runs", "")                                  \
    OUTCOME(AGCT_SAFEPOINT, "agct_safepoint", "AsyncGetCallTrace: the thread is at a safepoint", "")                   \
    OUTCOME(NO_JAVA_STACK, "no_java_stack",                                                                            \
            "JVMTI: a thread without Java frames, of which it does not tell whether it works or waits", "")

#define TRUNCATIONS(TRUNCATION)                                                                                        \
    TRUNCATION(THAWING, "thawing",                                                                                     \
               "a virtual thread goes on after a wait: frames were on their way from the heap to the stack", "")       \
    TRUNCATION(FROZEN, "frozen",                                                                                       \
               "a virtual thread's other frames lie in the heap, where the collector was moving them", "")

#define LOSSES(LOSS)                                                                                                   \
    LOSS(QUEUE_FULL, "queue_full", "no free chunk in the queue pool", "raise the interval")                            \
    LOSS(STOPPING, "stopping", "the clock fired while the recording was being stopped", "")                            \
    LOSS(MEMORY, "memory", "the recording's memory cap was reached", "raise the interval or shorten the chunks")      \
    LOSS(INTERNAL_FAULT, "internal_fault", "the agent faulted while it took the sample", "report the fault; the log names it")

#define UNSEEN_ACCOUNTS(UNSEEN)                                                                                        \
    UNSEEN(KERNEL, "kernel", "kernel time, which this process may not sample",                                         \
           "set kernel.perf_event_paranoid to 1, or grant CAP_PERFMON")                                                \
    UNSEEN(BEFORE_ARMING, "before_arming", "a thread's CPU time before its clock was set", "")                         \
    UNSEEN(AFTER_EXIT, "after_exit", "a thread's CPU time between the end of its clock and its death", "")               \
    UNSEEN(NO_CLOCK, "no_clock", "threads that could not be given a clock", "raise RLIMIT_NOFILE or RLIMIT_SIGPENDING") \
    UNSEEN(SIGNALS_BLOCKED, "signals_blocked",                                                                         \
           "a thread's CPU time while it blocks the clock's signal, as libraries do in threads of theirs",              \
           "keep the library from blocking the signal that the note names")                                         \
    UNSEEN(PROFILER, "profiler", "the profiler's own thread", "")                                                      \
    UNSEEN(INTERNAL_FAULT, "internal_fault", "all CPU time since the agent disabled itself after a fault of its own",  \
           "report the fault; the log names it")

#define SUPPRESSIONS(SUPPRESSION)                                                                                      \
    SUPPRESSION(BUDGET, "budget", "more samples would have gone beyond --max-overhead or --max-rate", "raise them")    \
    SUPPRESSION(COSTLY, "costly_stacks", "a sample takes so long that it would have taken a quarter of the thread's time", \
                "a longer interval")

#define MISSES(MISS)                                                                                                   \
    MISS(ENDED, "ended", "the thread had ended before its stack was taken", "")                                        \
    MISS(REFUSED, "refused", "JVMTI gave no stacks; the next samples stand for that time, too", "")

#define ALLOCATION_LOSSES(LOSS)                                                                                        \
    LOSS(QUEUE_FULL, "queue_full", "no free chunk in the queue pool", "lower --alloc-rate, or raise --alloc-interval")  \
    LOSS(THROTTLED, "throttled", "the program began to allocate so much that samples came faster than a slower rate could be set", \
         "raise --alloc-rate, or set --alloc-interval")                                                                 \
    LOSS(NO_THREAD, "no_thread", "the thread was not known yet, or no longer", "")                                      \
    LOSS(MEMORY, "memory", "the recording's memory cap was reached", "lower --alloc-rate, or raise --alloc-interval")   \
    LOSS(INTERNAL_FAULT, "internal_fault", "the agent faulted while it took the sample", "report the fault; the log names it")

#define PAUSE_LOSSES(LOSS)                                                                                              \
    LOSS(QUEUE_FULL, "queue_full", "1,024 pauses came before the agent's thread got to run", "give the JVM more processors")  \
    LOSS(MEMORY, "memory", "the recording's memory cap was reached", "leave out events that give many samples")

#define LOCK_LOSSES(LOSS)                                                                                              \
    LOSS(QUEUE_FULL, "queue_full", "no free chunk in the queue pool", "raise --lock-threshold, or lower --lock-rate")   \
    LOSS(THROTTLED, "throttled", "the program began to wait so often that waits came faster than a higher threshold could be set", \
         "raise --lock-rate, or set --lock-threshold")                                                                  \
    LOSS(NO_THREAD, "no_thread", "the thread was not known yet, or no longer", "")                                      \
    LOSS(VIRTUAL, "virtual", "a virtual thread that waited for a monitor without a carrier (Java 24 and later); its time is not counted", \
         "")                                                                                                            \
    LOSS(MEMORY, "memory", "the recording's memory cap was reached", "raise --lock-threshold, or lower --lock-rate")    \
    LOSS(INTERNAL_FAULT, "internal_fault", "the agent faulted while it looked at the wait", "report the fault; the log names it")

#define CONTEXT_LOSSES(LOSS)                                                                                            \
    LOSS(IN_CHANGE, "in_change", "the sample fell into the change from one context to the next: it has none", "")       \
    LOSS(UNREADABLE, "unreadable_context", "the record that the thread points to cannot be read, or is longer than 640 bytes", \
         "see which library writes otel_thread_ctx_v1")                                                                \
    LOSS(TOO_MANY, "too_many_contexts",                                                                                 \
         "the chunk has 65,536 contexts, or no memory for more: the sample has endpoint and labels, but no ids", "raise the interval") \
    LOSS(OTHER, "other", "the recording has 20,000 different endpoints and labels: the sample's is (other)",            \
         "put no ids into names of endpoints and values of labels")

#define UNNAMED_FRAMES(UNNAMED)                                                                                        \
    UNNAMED(UNLOADED, "unloaded", "the method's class was unloaded before its name could be asked for", "")            \
    UNNAMED(TOO_MANY, "too_many_methods", "the recording knows 131,072 methods, or has no memory for more",            \
            "shorten the recording")

#define REASON_ENUM_OUTCOME(symbol, name, meaning, remedy) OUTCOME_##symbol,
#define REASON_ENUM_TRUNCATION(symbol, name, meaning, remedy) TRUNCATION_##symbol,
#define REASON_ENUM_LOSS(symbol, name, meaning, remedy) LOSS_##symbol,
#define REASON_ENUM_UNSEEN(symbol, name, meaning, remedy) UNSEEN_##symbol,
#define REASON_ENUM_SUPPRESSION(symbol, name, meaning, remedy) SUPPRESSION_##symbol,
#define REASON_ENUM_MISS(symbol, name, meaning, remedy) MISS_##symbol,
#define REASON_ENUM_ALLOCATION_LOSS(symbol, name, meaning, remedy) ALLOCATION_LOSS_##symbol,
#define REASON_ENUM_PAUSE_LOSS(symbol, name, meaning, remedy) PAUSE_LOSS_##symbol,
#define REASON_ENUM_LOCK_LOSS(symbol, name, meaning, remedy) LOCK_LOSS_##symbol,
#define REASON_ENUM_CONTEXT_LOSS(symbol, name, meaning, remedy) CONTEXT_LOSS_##symbol,
#define REASON_ENUM_UNNAMED(symbol, name, meaning, remedy) UNNAMED_##symbol,

enum outcome { OUTCOMES(REASON_ENUM_OUTCOME) OUTCOME_COUNT };

static inline bool outcome_has_stack(enum outcome outcome)
{
    return outcome == OUTCOME_COMPLETE || outcome == OUTCOME_TRUNCATED;
}

enum truncation { TRUNCATION_NONE, TRUNCATIONS(REASON_ENUM_TRUNCATION) TRUNCATION_COUNT };
enum loss { LOSSES(REASON_ENUM_LOSS) LOSS_COUNT };
enum unseen { UNSEEN_ACCOUNTS(REASON_ENUM_UNSEEN) UNSEEN_COUNT };
enum suppression { SUPPRESSIONS(REASON_ENUM_SUPPRESSION) SUPPRESSION_COUNT };
enum miss { MISSES(REASON_ENUM_MISS) MISS_COUNT };
enum allocation_loss { ALLOCATION_LOSSES(REASON_ENUM_ALLOCATION_LOSS) ALLOCATION_LOSS_COUNT };
enum pause_loss { PAUSE_LOSSES(REASON_ENUM_PAUSE_LOSS) PAUSE_LOSS_COUNT };
enum lock_loss { LOCK_LOSSES(REASON_ENUM_LOCK_LOSS) LOCK_LOSS_COUNT };
enum context_loss { CONTEXT_LOSSES(REASON_ENUM_CONTEXT_LOSS) CONTEXT_LOSS_COUNT };
enum unnamed { UNNAMED_FRAMES(REASON_ENUM_UNNAMED) UNNAMED_COUNT };

#endif
