/* The reasons in a recording, one row each. There is a list for each kind of thing that can happen to a sample, or to time without a
 * sample. Code, recordings, reports and documents use these tables.
 *
 * Each list has rows REASON(symbol, name, meaning, remedy); remedy "" = no remedy is known or needed. OUTCOMES describe the results of a
 * stack walk: the first two have a stack, the others have none. A reason of TRUNCATIONS is a pseudo frame at the root of a truncated stack;
 * a truncated stack without a reason is too deep, or cannot be walked. A reason of UNNAMED_FRAMES is a pseudo frame in place of a frame.
 * The column `reasons` of an account (agreed/accounts.h) names the lists that the account uses.
 *
 * LIST(symbol, rows, about): a row for each list. A new list needs a row here, and an array of its names in agent/record/names/reason.h. */
#ifndef CANDOR_BASE_AGREED_REASONS_H
#define CANDOR_BASE_AGREED_REASONS_H

#include <stdbool.h>
#include <stddef.h>

#define OUTCOMES(OUTCOME)                                                                                                                  \
    OUTCOME(COMPLETE, "complete", "the walk reached the thread's first frame", "")                                                         \
    OUTCOME(TRUNCATED, "truncated", "frames are missing: deeper than 2048, or not walkable", "")                                           \
    OUTCOME(NO_JAVA_FRAME, "no_java_frame", "the thread was in Java code, but none of its frames could be identified", "")                 \
    OUTCOME(BAD_ANCHOR, "bad_anchor", "the thread's last Java frame could not be read", "")                                                \
    OUTCOME(UNREADABLE, "unreadable", "the JVM's tables do not describe its frames", "use a HotSpot build that exports gHotSpotVMStructs") \
    OUTCOME(AGCT_NO_JAVA, "agct_no_java", "AsyncGetCallTrace: no Java frames", "")                                                         \
    OUTCOME(AGCT_NO_CLASS_LOAD, "agct_no_class_load", "AsyncGetCallTrace: class load events are off", "")                                  \
    OUTCOME(AGCT_GC, "agct_gc", "AsyncGetCallTrace: a garbage collection is in progress", "")                                              \
    OUTCOME(AGCT_UNKNOWN_NATIVE, "agct_unknown_native", "AsyncGetCallTrace: native code of unknown state", "")                             \
    OUTCOME(AGCT_NATIVE, "agct_native", "AsyncGetCallTrace: native code it cannot walk", "")                                               \
    OUTCOME(AGCT_UNKNOWN_JAVA, "agct_unknown_java", "AsyncGetCallTrace: Java code it does not know, mostly stubs", "")                     \
    OUTCOME(AGCT_JAVA, "agct_java", "AsyncGetCallTrace: Java code it cannot walk", "")                                                     \
    OUTCOME(AGCT_STATE, "agct_state", "AsyncGetCallTrace: a thread in an unknown state", "")                                               \
    OUTCOME(AGCT_EXITING, "agct_exiting", "AsyncGetCallTrace: the thread is ending", "")                                                   \
    OUTCOME(AGCT_DEOPT, "agct_deopt", "AsyncGetCallTrace: a deoptimization is in progress", "")                                            \
    OUTCOME(AGCT_SAFEPOINT, "agct_safepoint", "AsyncGetCallTrace: the thread is at a safepoint", "")                                       \
    OUTCOME(UNMOUNTED, "unmounted", "a virtual thread without a carrier; only its id is known", "")                                        \
    OUTCOME(NO_JAVA_STACK, "no_java_stack", "a thread without Java frames: one of the JVM's own, such as a compiler's, or native code", "")

#define TRUNCATIONS(TRUNCATION)                                                                                                            \
    TRUNCATION(THAWING, "thawing", "a virtual thread was resuming: its frames were being copied from the heap to the stack", "")           \
    TRUNCATION(FROZEN, "frozen", "a virtual thread's other frames are in the heap, and the collector was moving them", "")

#define LOSSES(LOSS)                                                                                                                       \
    LOSS(QUEUE_FULL, "queue_full", "no free chunk in the queue pool", "raise the interval")                                                \
    LOSS(STOPPING, "stopping", "the clock fired while the recording was being stopped", "")                                                \
    LOSS(MEMORY, "memory", "the recording's memory cap was reached", "raise the interval or shorten the chunks")                           \
    LOSS(INTERNAL_FAULT, "internal_fault", "the agent faulted while it took the sample", "report the fault; the log names it")

#define UNSEEN_ACCOUNTS(UNSEEN)                                                                                                            \
    UNSEEN(KERNEL, "kernel", "kernel time, which this process may not sample",                                                             \
           "set kernel.perf_event_paranoid to 1, or grant CAP_PERFMON")                                                                    \
    UNSEEN(BEFORE_ARMING, "before_arming", "a thread's CPU time before its clock was set", "")                                             \
    UNSEEN(AFTER_EXIT, "after_exit", "a thread's CPU time between the end of its clock and its death", "")                                 \
    UNSEEN(NO_CLOCK, "no_clock", "threads for which no clock could be created", "raise RLIMIT_NOFILE or RLIMIT_SIGPENDING")                \
    UNSEEN(SIGNALS_BLOCKED, "signals_blocked",                                                                                             \
           "a thread's CPU time while it blocks the clock's signal, as some libraries do in their own threads",                            \
           "keep the library from blocking the signal that the note names")                                                                \
    UNSEEN(NOT_DRAWN, "not_drawn",                                                                                                         \
           "with clocks by lot: the CPU time of threads while they had no clock, less what the samples of the others stand for in their "  \
           "place; 0 on average, and negative where these stand for more",                                                                 \
           "--clocks all")                                                                                                                 \
    UNSEEN(PROFILER, "profiler", "the profiler's own thread", "")                                                                          \
    UNSEEN(INTERNAL_FAULT, "internal_fault", "all CPU time since the agent disabled itself after a fault of its own",                      \
           "report the fault; the log names it")

#define SUPPRESSIONS(SUPPRESSION)                                                                                                          \
    SUPPRESSION(BUDGET, "budget", "more samples would have gone beyond --max-overhead or --max-rate", "raise that limit")                  \
    SUPPRESSION(COSTLY, "costly_stacks", "samples of the thread are so expensive that they would have taken a quarter of its time",        \
                "raise the interval")

#define MISSES(MISS)                                                                                                                       \
    MISS(ENDED, "ended", "the thread had ended before its stack was taken", "")                                                            \
    MISS(UNWATCHED, "unwatched", "virtual threads without a carrier: their time since the last sample of one of them", "")                 \
    MISS(REFUSED, "refused", "JVMTI returned no stacks; the next samples also stand for that time", "")

#define ALLOCATION_LOSSES(LOSS)                                                                                                            \
    LOSS(QUEUE_FULL, "queue_full", "no free chunk in the queue pool", "lower --alloc-rate, or raise --alloc-interval")                     \
    LOSS(THROTTLED, "throttled", "the program suddenly allocated so much that samples came before the agent could lower the rate",         \
         "raise --alloc-rate, or set --alloc-interval")                                                                                    \
    LOSS(NO_THREAD, "no_thread", "the agent did not know the thread yet, or no longer", "")                                                \
    LOSS(MEMORY, "memory", "the recording's memory cap was reached", "lower --alloc-rate, or raise --alloc-interval")                      \
    LOSS(INTERNAL_FAULT, "internal_fault", "the agent faulted while it took the sample", "report the fault; the log names it")

#define PAUSE_LOSSES(LOSS)                                                                                                                 \
    LOSS(QUEUE_FULL, "queue_full", "1,024 pauses came before the agent's thread could run", "give the JVM more processors")                \
    LOSS(MEMORY, "memory", "the recording's memory cap was reached", "leave out events that give many samples")

#define JVM_ERRORS(ERROR)                                                                                                                  \
    ERROR(STACK_OVERFLOW, "stack_overflow", "StackOverflowError", "")                                                                      \
    ERROR(OUT_OF_MEMORY, "out_of_memory", "OutOfMemoryError, for want of anything but metaspace", "")

#define LOCK_LOSSES(LOSS)                                                                                                                  \
    LOSS(QUEUE_FULL, "queue_full", "no free chunk in the queue pool", "raise --lock-threshold, or lower --lock-rate")                      \
    LOSS(THROTTLED, "throttled", "the program suddenly waited so often that waits came before the agent could raise the threshold",        \
         "raise --lock-rate, or set --lock-threshold")                                                                                     \
    LOSS(NO_THREAD, "no_thread", "the agent did not know the thread yet, or no longer", "")                                                \
    LOSS(VIRTUAL, "virtual", "a virtual thread began to wait while 1.4 million others waited: the wait is not counted", "")                \
    LOSS(MEMORY, "memory", "the recording's memory cap was reached", "raise --lock-threshold, or lower --lock-rate")                       \
    LOSS(INTERNAL_FAULT, "internal_fault", "the agent faulted while it looked at the wait", "report the fault; the log names it")

#define CONTEXT_LOSSES(LOSS)                                                                                                               \
    LOSS(IN_CHANGE, "in_change", "the thread changed from one context to the next while the sample was taken: it has none", "")            \
    LOSS(UNREADABLE, "unreadable_context", "the record that the thread points to cannot be read, or is longer than 640 bytes",             \
         "find out which library writes otel_thread_ctx_v1")                                                                               \
    LOSS(TOO_MANY, "too_many_contexts",                                                                                                    \
         "the chunk has 65,536 contexts, or no memory for more: the sample has endpoint and labels, but no ids", "raise the interval")     \
    LOSS(ATTRIBUTES, "left_out_attributes",                                                                                                \
         "some attributes are left out: they come after 16 labels, their key has no name, or their value is not UTF-8",                    \
         "set at most 16 attributes, with texts as values")                                                                                \
    LOSS(OTHER, "other", "the recording has 20,000 different endpoints and labels: further ones are recorded as (other)",                  \
         "put no ids into names of endpoints and values of labels")

#define UNNAMED_FRAMES(UNNAMED)                                                                                                            \
    UNNAMED(UNLOADED, "unloaded", "the method's class was unloaded before its name could be asked for", "")                                \
    UNNAMED(TOO_MANY, "too_many_methods", "the recording knows 131,072 methods, or has no memory for more", "shorten the recording")

#define WAIT_KINDS(KIND)                                                                                                                   \
    KIND(MONITOR, "monitor", "waits for a monitor", "")                                                                                    \
    KIND(PARK, "park", "parks", "")

#define WAIT_GROUPS(GROUP)                                                                                                                 \
    GROUP(MONITOR, "monitor", "monitors", "")                                                                                              \
    GROUP(SYNCHRONIZER, "synchronizer", "parks for locks, semaphores", "")                                                                 \
    GROUP(OTHER, "other", "other parks", "")

#define LIVES(LIFE)                                                                                                                        \
    LIFE(ENDED, "ended", "the time of threads between the last round that saw them and their end", "")                                     \
    LIFE(BEGAN, "began", "negative: the part of a thread's first round before it began", "")

#define LOOKS(LOOK)                                                                                                                        \
    LOOK(ASKED, "asked", "the thread can run: it was asked for a sample", "")                                                              \
    LOOK(STILL, "still", "the thread slept, and had not moved when its stack had been read", "")                                           \
    LOOK(SAME, "same", "the thread has slept since the previous look: its stack is the same", "")                                          \
    LOOK(MOVED, "moved", "the thread moved while its stack was read: the look was repeated", "")

#define UNMOUNT_ROWS(UNMOUNT)                                                                                                              \
    UNMOUNT(LEFT, "left", "how often a virtual thread left its carrier to wait", "")                                                       \
    UNMOUNT(WATCHED, "watched", "threads that were drawn when they left: their stacks were taken, and rounds draw from them", "")          \
    UNMOUNT(NO_ROOM, "no_room", "threads that were drawn, but there was no room for their stacks", "")                                     \
    UNMOUNT(REFUSED, "not_counted", "threads that left unseen: 1.4 million others were away, or the carrier had no slot yet", "")

#define CAPTURES_OF_CODE(CAPTURE)                                                                                                          \
    CAPTURE(DONE, "captured", "the code is in the recording", "")                                                                          \
    CAPTURE(NATIVE, "native", "code that is not the JVM's", "")                                                                            \
    CAPTURE(GONE, "gone", "the JVM had thrown the code away before it could be read", "")                                                  \
    CAPTURE(LIMIT, "limit", "code beyond the limit for one snapshot, or for all of them", "")                                              \
    CAPTURE(UNREADABLE, "unreadable", "the code, or the JVM's description of it, could not be read", "")

#define HEAL_KEEPS(KEEP)                                                                                                                   \
    KEEP(GONE, "gone", "the class is not loaded any more", "")                                                                             \
    KEEP(RETURNED, "returned", "the code was discarded twice, and samples met such code again", "")

#define NO_ROWS(STATE)

#define REASON_LISTS(LIST)                                                                                                                 \
    LIST(OUTCOME, OUTCOMES, "What became of a stack walk; the first two are the outcomes with a stack")                                    \
    LIST(TRUNCATION, TRUNCATIONS, "Why a truncated stack ends where it does, at its root as a pseudo frame")                               \
    LIST(LOSS, LOSSES, "Why an expiry of a clock left no sample")                                                                          \
    LIST(UNSEEN, UNSEEN_ACCOUNTS, "Why no clock could show CPU time")                                                                      \
    LIST(SUPPRESSION, SUPPRESSIONS, "Why a clock ran more slowly than requested")                                                          \
    LIST(MISS, MISSES, "Why a thread that was chosen left no sample")                                                                      \
    LIST(ALLOCATION_LOSS, ALLOCATION_LOSSES, "Why a sample that the JVM drew is not in the recording")                                     \
    LIST(PAUSE_LOSS, PAUSE_LOSSES, "Why a pause is not in the recording")                                                                  \
    LIST(JVM_ERROR, JVM_ERRORS, "Errors that the JVM itself throws")                                                                       \
    LIST(LOCK_LOSS, LOCK_LOSSES, "Why a wait is not in the recording")                                                                     \
    LIST(CONTEXT_LOSS, CONTEXT_LOSSES, "Why a sample lacks a part of its thread's context")                                                \
    LIST(UNNAMED, UNNAMED_FRAMES, "Why a frame has no method, in its place as a pseudo frame")                                             \
    LIST(WAIT_KIND, WAIT_KINDS, "Kinds of waits")                                                                                          \
    LIST(WAIT_GROUP, WAIT_GROUPS, "Groups of waits, each with a threshold of its own")                                                     \
    LIST(LIFE, LIVES, "Ends of a thread's life")                                                                                           \
    LIST(LOOK, LOOKS, "How reading a thread's stack went")                                                                                 \
    LIST(UNMOUNT, UNMOUNT_ROWS, "Virtual threads that leave their carriers")                                                               \
    LIST(CAPTURE, CAPTURES_OF_CODE, "Whether a sample's machine code is in the recording")                                                 \
    LIST(HEAL_KEEP, HEAL_KEEPS, "Why code compiled before the agent was loaded stays as it is")                                            \
    LIST(STATE, NO_ROWS, "Thread states")

#define REASON_LIST_SYMBOL(symbol, ...) REASON_LIST_##symbol,
enum reason_list { REASON_LISTS(REASON_LIST_SYMBOL) REASON_LIST_COUNT };

/* Makes the bit of a list, for the column `reasons` of an account. */
#define REASONS(list) (1u << REASON_LIST_##list)

struct reason_row {
    const char *name, *meaning, *remedy;
};

struct reason_rows {
    const char *about;
    const struct reason_row *rows;
    unsigned count; /* 0 = the list of thread states, whose words are in the recording */
};

extern const struct reason_rows reason_lists[REASON_LIST_COUNT];

/* Returns what a pseudo frame means: why a sample has no stack, or what stands in for a frame. The name need not end with a zero.
 * NULL = unknown. */
const char *reason_of_frame(const char *name, size_t len);

#define REASON_ENUM_OUTCOME(symbol, name, meaning, remedy)         OUTCOME_##symbol,
#define REASON_ENUM_TRUNCATION(symbol, name, meaning, remedy)      TRUNCATION_##symbol,
#define REASON_ENUM_LOSS(symbol, name, meaning, remedy)            LOSS_##symbol,
#define REASON_ENUM_UNSEEN(symbol, name, meaning, remedy)          UNSEEN_##symbol,
#define REASON_ENUM_SUPPRESSION(symbol, name, meaning, remedy)     SUPPRESSION_##symbol,
#define REASON_ENUM_MISS(symbol, name, meaning, remedy)            MISS_##symbol,
#define REASON_ENUM_ALLOCATION_LOSS(symbol, name, meaning, remedy) ALLOCATION_LOSS_##symbol,
#define REASON_ENUM_PAUSE_LOSS(symbol, name, meaning, remedy)      PAUSE_LOSS_##symbol,
#define REASON_ENUM_JVM_ERROR(symbol, name, meaning, remedy)       JVM_ERROR_##symbol,
#define REASON_ENUM_LOCK_LOSS(symbol, name, meaning, remedy)       LOCK_LOSS_##symbol,
#define REASON_ENUM_CONTEXT_LOSS(symbol, name, meaning, remedy)    CONTEXT_LOSS_##symbol,
#define REASON_ENUM_UNNAMED(symbol, name, meaning, remedy)         UNNAMED_##symbol,
#define REASON_ENUM_WAIT_GROUP(symbol, name, meaning, remedy)      WAIT_GROUP_##symbol,
#define REASON_ENUM_LIFE(symbol, name, meaning, remedy)            LIFE_##symbol,

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
enum jvm_error { JVM_ERRORS(REASON_ENUM_JVM_ERROR) JVM_ERROR_COUNT };
enum lock_loss { LOCK_LOSSES(REASON_ENUM_LOCK_LOSS) LOCK_LOSS_COUNT };
enum context_loss { CONTEXT_LOSSES(REASON_ENUM_CONTEXT_LOSS) CONTEXT_LOSS_COUNT };
enum unnamed { UNNAMED_FRAMES(REASON_ENUM_UNNAMED) UNNAMED_COUNT };
enum wait_group { WAIT_GROUPS(REASON_ENUM_WAIT_GROUP) WAIT_GROUP_COUNT };
enum life { LIVES(REASON_ENUM_LIFE) LIFE_COUNT };

#endif
