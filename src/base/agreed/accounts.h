/* The accounts of a recording's books, one row each. The agent, which writes the books, and all programs that show them use this table. An
 * account is one line of the books: CPU time, waiting time, bytes or events that share a fate (docs/internals/words.md).
 * docs/formats/accounts.md is generated from these tables.
 *
 * BOOK(symbol, member, sign, whole, share, count, heading, about, note): one book. A recording has up to nine books, and each measures
 * another quantity.
 *   member   the book's member in `candor report --json`; NULL = the book is inside another member
 *   sign     the account by which a book is recognized: every recording that has this book has this account
 *   whole    words for the sum of the book's accounts; NULL = no independent measurement of the sum exists
 *   share    the heading of the column of shares in text; NULL = there is no such column
 *   count    the heading of the column of counts
 *   heading, about  the heading of the book's section in text, and the words after it
 *   note     a note for the reader, in lines of text; "" = none
 *
 * ACCOUNT(symbol, name, books, role, unit, counts, reasons, title, meaning, remedy): one account.
 *   name     the account's name in candor.BookLine
 *   books    the books that the account belongs to
 *   role     the account's part in the sum (enum account_role)
 *   unit     the unit of the field `time`: NS, BYTES or EVENTS; NONE = the account has a count only
 *   counts   the things that the field `count` counts; NULL = the account has no count
 *   reasons  the lists of reasons (agreed/reasons.h) that the account uses; 0 = its lines have no reason
 *   title    the account's title in text, `candor top` and the viewer; NULL = these do not list the account
 *   meaning  an explanation of the account's content
 *   remedy   how to make the account smaller; "" = no remedy is needed or known, or the account's reasons have their own remedies
 *
 * MEMBER(book, key, symbol, figure): a member of the book's JSON object that shows an account. The rows have the order of the members.
 * figure is a value of enum account_figure.
 * SETTING(book, key, setting, figure): a member of the book's JSON object that shows a setting of the recording.
 *
 * A new account needs a row here, and its members. The rows of a book have the order in which reports show them. */
#ifndef CANDOR_BASE_AGREED_ACCOUNTS_H
#define CANDOR_BASE_AGREED_ACCOUNTS_H

#include "base/agreed/reasons.h"

#include <stdbool.h>
#include <stddef.h>

#define BOOK_ROWS(BOOK)                                                                                                                    \
    BOOK(CPU, "books", CPU, "CPU time", "% CPU", "count", "Books", "where the CPU time of the process went", "")                           \
    BOOK(SAFEPOINT, "thread_time", THREAD_TIME, "threads' time", "%", "count", "Books",                                                    \
         "where the wall-clock time of Java's threads went",                                                                               \
         "These books cannot account for CPU time: a running thread is one that the JVM calls runnable. It may be waiting for\n"           \
         "a processor, or in a system call. Threads that are not Java's are not seen, nor are virtual threads.\n")                         \
    BOOK(ALLOC, "allocations", ALLOC_BYTES, NULL, NULL, "samples", "Books", "what became of the samples that the JVM drew", "")            \
    BOOK(WALL, "wall_time", WALL_TIME, "threads' time", "%", "count", "Books",                                                             \
         "what Java's threads did with their time, by the wall clock",                                                                     \
         "The threads' own CPU clocks distinguish running from waiting_for_cpu. Unseen corrects the sum for threads that began or\n"       \
         "ended between two rounds, up or down: 0 on average. Virtual threads that had no carrier when the recording began are\n"          \
         "not seen until they run. Threads that are not Java's are never seen.\n")                                                         \
    BOOK(HALT, "halts", HALT_GC, NULL, "", "count", "Halts", "of all threads; 'candor report --kind halt' shows each", "")                 \
    BOOK(LOCK, "lock_time", LOCK_TIME, "time of waiting", "% time", "count", "Books",                                                      \
         "what became of the time that threads waited for locks", "")                                                                      \
    BOOK(EVENTS, "events", EVENTS, "events", "%", "count", "Books", "what became of the events that the kernel counted", "")               \
    BOOK(LIVE, NULL, LIVE_WATCHED, NULL, NULL, "objects", "Books", "what became of the sampled objects", "")                               \
    BOOK(HEAL, "healing", HEAL_PAUSES, NULL, NULL, "methods", "Healing", "what became of code compiled before the agent was loaded", "")

#define BOOK_SYMBOL(symbol, ...) BOOK_##symbol,
enum book { BOOK_ROWS(BOOK_SYMBOL) BOOKS };

#define BOOK_BIT(book) (1u << BOOK_##book)

/* ROLE(symbol, word, meaning). A book's WHOLE = SEEN + FAILED + LOST + UNSEEN + RESIDUAL, if it has a WHOLE. Later roles are outside
 * the sum. */
#define ACCOUNT_ROLES(ROLE)                                                                                                                \
    ROLE(WHOLE, "whole", "what the accounts below add up to, measured independently")                                                      \
    ROLE(SEEN, "seen", "part of the whole: samples with a stack")                                                                          \
    ROLE(FAILED, "failed", "part of the whole: samples without a stack")                                                                   \
    ROLE(LOST, "lost", "part of the whole: a sample was due, and is not in the recording")                                                 \
    ROLE(UNSEEN, "unseen", "part of the whole: no sample could show it")                                                                   \
    ROLE(RESIDUAL, "residual", "the remainder of the whole")                                                                               \
    ROLE(WITHIN, "within", "also contained in the accounts above, shown in another way")                                                   \
    ROLE(BESIDE, "beside", "a different quantity, not part of the whole")                                                                  \
    ROLE(LEVEL, "level", "a current value, not part of a sum")

#define ACCOUNT_ROLE_SYMBOL(symbol, word, meaning) ACCOUNT_IS_##symbol,
enum account_role { ACCOUNT_ROLES(ACCOUNT_ROLE_SYMBOL) ACCOUNT_ROLE_COUNT };

enum account_unit { ACCOUNT_IN_NONE, ACCOUNT_IN_NS, ACCOUNT_IN_BYTES, ACCOUNT_IN_EVENTS };

/* How a JSON member shows its account. If the account has reasons, the member shows one figure for each reason. */
enum account_figure {
    ACCOUNT_AS_TIME, /* 0 if the recording does not have it */
    ACCOUNT_AS_COUNT,
    ACCOUNT_AS_COUNT_OR_NULL,
    ACCOUNT_AS_PAIR,   /* an object of `bytes` and `objects` */
    ACCOUNT_AS_TEXT,   /* a setting, as a string */
    ACCOUNT_AS_NUMBER, /* a setting, as a number */
};

#define ACCOUNT_ROWS(ACCOUNT)                                                                                                              \
    ACCOUNT(CPU, "cpu", BOOK_BIT(CPU), WHOLE, NS, NULL, 0, "CPU",                                                                          \
            "the CPU time of the process by its own clock, including threads that have ended, until sampling ends", "")                    \
    ACCOUNT(COMPLETE, "complete", BOOK_BIT(CPU), SEEN, NS, "samples", 0, "complete",                                                       \
            "samples whose stack reaches the thread's first function", "")                                                                 \
    ACCOUNT(TRUNCATED, "truncated", BOOK_BIT(CPU), SEEN, NS, "samples", 0, "truncated",                                                    \
            "samples whose stack ends before the thread's first function", "")                                                             \
    ACCOUNT(FAILED, "failed", BOOK_BIT(CPU), FAILED, NS, "samples", REASONS(OUTCOME), "failed", "samples without a stack, by reason", "")  \
    ACCOUNT(LOST, "lost", BOOK_BIT(CPU), LOST, NS, "expiries", REASONS(LOSS), "lost",                                                      \
            "expiries of a clock that left no sample, by reason", "")                                                                      \
    ACCOUNT(UNSEEN, "unseen", BOOK_BIT(CPU), UNSEEN, NS, NULL, REASONS(UNSEEN), "unseen", "CPU time that no clock could show, by reason",  \
            "")                                                                                                                            \
    ACCOUNT(RESIDUAL, "residual", BOOK_BIT(CPU), RESIDUAL, NS, NULL, 0, "residual",                                                        \
            "what the accounts above do not explain; it may be negative", "")                                                              \
    ACCOUNT(OWN_COST, "own_cost", BOOK_BIT(CPU), WITHIN, NS, NULL, 0, "own cost", "the profiler's own CPU time",                           \
            "raise the interval, or lower --max-overhead")                                                                                 \
    ACCOUNT(SUPPRESSED, "suppressed", BOOK_BIT(CPU), WITHIN, NS, "expiries", REASONS(SUPPRESSION), "suppressed",                           \
            "expiries that were skipped because samples would have cost more than was allowed, and their CPU time. Nothing is lost: the "  \
            "samples there weigh more",                                                                                                    \
            "")                                                                                                                            \
    ACCOUNT(CONTEXT_LOST, "context_lost", BOOK_BIT(CPU) | BOOK_BIT(SAFEPOINT), BESIDE, NONE, "samples", REASONS(CONTEXT_LOSS),             \
            "context lost", "samples that were recorded without all of the context that their threads had", "")                            \
    ACCOUNT(SWITCHES, "switches", BOOK_BIT(CPU) | BOOK_BIT(EVENTS), BESIDE, NONE, "switches", 0, NULL,                                     \
            "context switches of the process's threads, with a perf clock. At each one the kernel stops the clock and starts another, "    \
            "which takes 0.5 to 2 us and is in no account",                                                                                \
            "--clocks auto, or --clock timer")                                                                                             \
    ACCOUNT(UNCAPTURED, "uncaptured", BOOK_BIT(CPU) | BOOK_BIT(EVENTS), WITHIN, NS, "samples", REASONS(CAPTURE), NULL,                     \
            "with asm: samples whose machine code is missing, and their weights", "")                                                      \
    ACCOUNT(THREAD_TIME, "thread_time", BOOK_BIT(SAFEPOINT), WHOLE, NS, "threads, again in each round", 0, "time x threads",               \
            "wall-clock time x threads, summed over the rounds; no clock measures it independently", "")                                   \
    ACCOUNT(RUNNING, "running", BOOK_BIT(SAFEPOINT), SEEN, NS, "samples", REASONS(STATE), "running",                                       \
            "samples of threads that the JVM calls runnable, by state", "")                                                                \
    ACCOUNT(WAITING, "waiting", BOOK_BIT(SAFEPOINT), SEEN, NS, "samples", REASONS(STATE), "waiting",                                       \
            "samples of threads that wait, by state", "")                                                                                  \
    ACCOUNT(THREAD_FAILED, "failed", BOOK_BIT(SAFEPOINT), FAILED, NS, "samples", REASONS(OUTCOME), "failed",                               \
            "samples of threads without Java frames; JVMTI calls them runnable, and reports nothing else about them", "")                  \
    ACCOUNT(THREAD_LOST, "lost", BOOK_BIT(SAFEPOINT), LOST, NS, "threads", REASONS(MISS) | REASONS(LOSS), "lost",                          \
            "threads that were chosen and left no sample, by reason", "")                                                                  \
    ACCOUNT(NOT_CHOSEN, "not_chosen", BOOK_BIT(SAFEPOINT), BESIDE, NONE, "threads", 0, "not chosen",                                       \
            "threads that were not drawn; the samples of those that were drawn stand for them, too", "")                                   \
    ACCOUNT(STOPPED, "stopped", BOOK_BIT(SAFEPOINT), BESIDE, NS, "rounds", 0, "all stopped for samples",                                   \
            "from each request to its answer: an upper limit of how long the program stood still", "raise the interval")                   \
    ACCOUNT(THREAD_OWN_COST, "own_cost", BOOK_BIT(SAFEPOINT), BESIDE, NS, "samples", 0, "own cost",                                        \
            "the CPU time of the agent's thread; the time that the JVM's own thread spends on the stacks is only in `stopped`",            \
            "raise the interval")                                                                                                          \
    ACCOUNT(ALLOC_BYTES, "alloc_bytes", BOOK_BIT(ALLOC), SEEN, BYTES, "samples", 0, "in the recording",                                    \
            "weights of the samples in the recording", "")                                                                                 \
    ACCOUNT(ALLOC_LOST, "alloc_lost_bytes", BOOK_BIT(ALLOC), LOST, BYTES, "samples", REASONS(ALLOCATION_LOSS), "lost",                     \
            "weights of the samples that the JVM drew and that are not in the recording, by reason", "")                                   \
    ACCOUNT(ALLOC_COUNTED, "alloc_counted_bytes", BOOK_BIT(ALLOC), BESIDE, BYTES, NULL, 0, "counted by the JVM",                           \
            "the JVM's own count of bytes, from each thread's first sample to its last", "")                                               \
    ACCOUNT(ALLOC_WEIGHED, "alloc_weighed_bytes", BOOK_BIT(ALLOC), BESIDE, BYTES, "samples", 0, "the same, by samples",                    \
            "weights of the samples of the same bytes, which should agree with that count. If they differ by more than chance, this JVM "  \
            "draws samples more or less often than it says",                                                                               \
            "")                                                                                                                            \
    ACCOUNT(ALLOC_LONGEST, "alloc_longest_interval", BOOK_BIT(ALLOC), LEVEL, BYTES, NULL, 0, NULL,                                         \
            "the longest interval between two samples that was set so far, even if no sample has been drawn with it yet",                  \
            "raise --alloc-rate, or set --alloc-interval")                                                                                 \
    ACCOUNT(WALL_TIME, "wall_time", BOOK_BIT(WALL), WHOLE, NS, NULL, 0, "time x threads",                                                  \
            "the lifetimes of all threads, up to the last round", "")                                                                      \
    ACCOUNT(WALL_RUNNING, "wall_running", BOOK_BIT(WALL), SEEN, NS, "samples", REASONS(STATE), "running",                                  \
            "samples of threads that ran, by state", "")                                                                                   \
    ACCOUNT(WALL_WAITING, "wall_waiting", BOOK_BIT(WALL), SEEN, NS, "samples", REASONS(STATE), "waiting",                                  \
            "samples of threads that waited, by state", "")                                                                                \
    ACCOUNT(WALL_FAILED, "wall_failed", BOOK_BIT(WALL), FAILED, NS, "samples", REASONS(OUTCOME), "failed",                                 \
            "samples without a stack, by reason", "")                                                                                      \
    ACCOUNT(WALL_LOST, "wall_lost", BOOK_BIT(WALL), LOST, NS, "samples", REASONS(LOSS) | REASONS(MISS), "lost",                            \
            "threads that were drawn and left no sample, by reason", "")                                                                   \
    ACCOUNT(WALL_PENDING, "wall_pending", BOOK_BIT(WALL), UNSEEN, NS, "requests", 0, "pending",                                            \
            "threads that were asked for a sample, and have not answered yet", "")                                                         \
    ACCOUNT(WALL_UNSEEN, "wall_unseen", BOOK_BIT(WALL), UNSEEN, NS, "threads", REASONS(LIFE), "unseen",                                    \
            "time of threads that began or ended between two rounds, counted too much or too little; 0 on average, because the weights "   \
            "are unbiased",                                                                                                                \
            "")                                                                                                                            \
    ACCOUNT(WALL_RESIDUAL, "wall_residual", BOOK_BIT(WALL), RESIDUAL, NS, NULL, 0, "residual",                                             \
            "what the accounts above do not explain, such as a record that disappeared", "")                                               \
    ACCOUNT(WALL_GUESSED, "wall_guessed", BOOK_BIT(WALL), WITHIN, NS, "samples", 0, "states that are guesses",                             \
            "samples whose state is a guess", "")                                                                                          \
    ACCOUNT(WALL_UNMOUNTED, "wall_unmounted", BOOK_BIT(WALL), WITHIN, NS, "virtual threads", 0, "virtual threads away",                    \
            "time of virtual threads that wait without a carrier, as counted when they leave and return; how many were away in the last "  \
            "round",                                                                                                                       \
            "")                                                                                                                            \
    ACCOUNT(WALL_UNMOUNTS, "wall_unmounts", BOOK_BIT(WALL), BESIDE, NONE, "virtual threads", REASONS(UNMOUNT), NULL,                       \
            "how virtual threads left their carriers", "")                                                                                 \
    ACCOUNT(WALL_NOT_CHOSEN, "wall_not_chosen", BOOK_BIT(WALL), BESIDE, NONE, "threads", 0, "not chosen",                                  \
            "threads that were not drawn; the samples of those that were drawn stand for them, too", "raise --wall-rate")                  \
    ACCOUNT(WALL_LOOKS, "wall_looks", BOOK_BIT(WALL), BESIDE, NONE, "looks", REASONS(LOOK), NULL, "how reading the threads' stacks went",  \
            "")                                                                                                                            \
    ACCOUNT(WALL_ROUNDS, "wall_rounds", BOOK_BIT(WALL), LEVEL, NS, "rounds", 0, "longest round, rounds",                                   \
            "the longest time between two rounds; their number", "")                                                                       \
    ACCOUNT(WALL_OWN_COST, "wall_own_cost", BOOK_BIT(WALL), BESIDE, NS, "samples", 0, "own cost",                                          \
            "the CPU time of the handlers, and that of the agent's thread if the recording has no books of CPU time", "lower --wall-rate") \
    ACCOUNT(HALT_GC, "halt_gc", BOOK_BIT(HALT), SEEN, NS, "pauses", 0, "GC pauses", "pauses in the recording", "")                         \
    ACCOUNT(HALT_LOST, "halt_lost", BOOK_BIT(HALT), LOST, NS, "pauses", REASONS(PAUSE_LOSS), "lost",                                       \
            "pauses that JVMTI reported and that are not in the recording, by reason", "")                                                 \
    ACCOUNT(HALT_GC_COUNTED, "halt_gc_counted", BOOK_BIT(HALT), BESIDE, NONE, "collections", 0, "collections the JVM counted",             \
            "collections that the JVM counted during the recording; absent if it has no counters. A collector may count several pauses "   \
            "as one, or count phases in addition (Shenandoah)",                                                                            \
            "")                                                                                                                            \
    ACCOUNT(HALT_LONGEST, "halt_longest", BOOK_BIT(HALT), LEVEL, NS, NULL, 0, "longest GC pause", "the longest pause so far",              \
            "'candor analyze' says what makes pauses long")                                                                                \
    ACCOUNT(HALT_SAFEPOINTS, "halt_safepoints", BOOK_BIT(HALT), BESIDE, NS, "safepoints", 0, "safepoints the JVM counted",                 \
            "all safepoints that the JVM counted during the recording, including those of the pauses", "")                                 \
    ACCOUNT(HALT_SYNCHRONIZING, "halt_synchronizing", BOOK_BIT(HALT), BESIDE, NS, "safepoints", 0, "until all threads stood",              \
            "how long it took to bring all threads to these safepoints", "")                                                               \
    ACCOUNT(HALT_ERRORS, "halt_errors", BOOK_BIT(HALT), BESIDE, NONE, "errors", REASONS(JVM_ERROR), "errors the JVM threw",                \
            "Errors that the JVM itself threw during the recording, by its own count; absent if it has none (JDK 8, or a library without " \
            "symbols)",                                                                                                                    \
            "")                                                                                                                            \
    ACCOUNT(LOCK_TIME, "lock_time", BOOK_BIT(LOCK), WHOLE, NS, "waits", REASONS(WAIT_KIND), "waited",                                      \
            "all waits that ended during the recording, recorded or not, added up by each thread, and those that were still going on at "  \
            "its end",                                                                                                                     \
            "")                                                                                                                            \
    ACCOUNT(LOCK_WHOLE, "lock_whole", BOOK_BIT(LOCK), SEEN, NS, "events", 0, "at or above the threshold",                                  \
            "weights of the events for waits of the threshold or more", "")                                                                \
    ACCOUNT(LOCK_DRAWN, "lock_drawn", BOOK_BIT(LOCK), SEEN, NS, "events", 0, "shorter waits, as drawn",                                    \
            "weights of the events for shorter waits, which are drawn", "")                                                                \
    ACCOUNT(LOCK_LOST, "lock_lost", BOOK_BIT(LOCK), LOST, NS, "events", REASONS(LOCK_LOSS), "lost",                                        \
            "weights of waits that should have been recorded and are not, by reason", "")                                                  \
    ACCOUNT(LOCK_RESIDUAL, "lock_residual", BOOK_BIT(LOCK), RESIDUAL, NS, NULL, 0, "residual",                                             \
            "the random error of the draw, at most one threshold per thread and group, and records that disappeared", "")                  \
    ACCOUNT(LOCK_HOLDERS, "lock_holders", BOOK_BIT(LOCK), WITHIN, NS, "looks", 0, "with a look at the holder",                             \
            "weights of candor.LockHolder: an estimate of the waiting time in which the owner was known", "")                              \
    ACCOUNT(LOCK_HOLDERS_MISSED, "lock_holders_missed", BOOK_BIT(LOCK), WITHIN, NS, "looks", 0, "with a holder missed",                    \
            "the same for owners that had ended, or could not be recorded", "")                                                            \
    ACCOUNT(LOCK_OPEN, "lock_open", BOOK_BIT(LOCK), WITHIN, NS, "waits", 0, "went on at the end",                                          \
            "waits that were still going on at the recording's end", "")                                                                   \
    ACCOUNT(LOCK_THRESHOLD, "lock_threshold", BOOK_BIT(LOCK), LEVEL, NS, NULL, REASONS(WAIT_GROUP), "threshold at the end, of",            \
            "the present threshold of a group of waits, which the rate may have raised", "raise --lock-rate, or set --lock-threshold")     \
    ACCOUNT(EVENTS, "events", BOOK_BIT(EVENTS), WHOLE, EVENTS, "threads, once for each counter that one was given", 0, "counted",          \
            "the kernel's count for all threads", "")                                                                                      \
    ACCOUNT(EVENTS_COMPLETE, "events_complete", BOOK_BIT(EVENTS), SEEN, EVENTS, "samples", 0, "complete",                                  \
            "samples whose stack reaches the thread's first function", "")                                                                 \
    ACCOUNT(EVENTS_TRUNCATED, "events_truncated", BOOK_BIT(EVENTS), SEEN, EVENTS, "samples", 0, "truncated",                               \
            "samples whose stack ends before the thread's first function", "")                                                             \
    ACCOUNT(EVENTS_FAILED, "events_failed", BOOK_BIT(EVENTS), FAILED, EVENTS, "samples", REASONS(OUTCOME), "failed",                       \
            "samples without a stack, by reason", "")                                                                                      \
    ACCOUNT(EVENTS_LOST, "events_lost", BOOK_BIT(EVENTS), LOST, EVENTS, "expiries", REASONS(LOSS), "lost",                                 \
            "expiries that left no sample, by reason", "")                                                                                 \
    ACCOUNT(EVENTS_RESIDUAL, "events_residual", BOOK_BIT(EVENTS), RESIDUAL, EVENTS, NULL, 0, "residual",                                   \
            "what the accounts above do not explain; it may be negative", "")                                                              \
    ACCOUNT(EVENTS_UNSCALED, "events_unscaled", BOOK_BIT(EVENTS), BESIDE, EVENTS, NULL, 0, NULL, "the sum of the unscaled counts", "")     \
    ACCOUNT(EVENTS_ENABLED, "events_enabled_time", BOOK_BIT(EVENTS), BESIDE, NS, NULL, 0, NULL,                                            \
            "how long the event was enabled, summed over the threads", "")                                                                 \
    ACCOUNT(EVENTS_RUNNING, "events_running_time", BOOK_BIT(EVENTS), BESIDE, NS, NULL, 0, NULL,                                            \
            "how much of that time the processor counted it; less if several events share its counters in turn",                           \
            "stop other tools that use the processor's counters")                                                                          \
    ACCOUNT(EVENTS_OWN_COST, "own_cost", BOOK_BIT(EVENTS), BESIDE, NS, NULL, 0, "own cost", "the profiler's own CPU time",                 \
            "raise --event-interval")                                                                                                      \
    ACCOUNT(LIVE_WATCHED, "live_watched_bytes", BOOK_BIT(LIVE), SEEN, BYTES, "objects", 0, "watched",                                      \
            "objects that are being watched now", "")                                                                                      \
    ACCOUNT(LIVE_DEAD, "live_dead_bytes", BOOK_BIT(LIVE), SEEN, BYTES, "objects", 0, "found dead",                                         \
            "objects that a garbage collection has freed", "")                                                                             \
    ACCOUNT(LIVE_DISPLACED, "live_displaced_bytes", BOOK_BIT(LIVE), UNSEEN, BYTES, "objects", 0, "displaced",                              \
            "objects that others displaced, because at most `live_max` are watched. The remaining ones also stand for these",              \
            "raise --live-max")                                                                                                            \
    ACCOUNT(LIVE_UNREFERENCED, "live_unreferenced_bytes", BOOK_BIT(LIVE), UNSEEN, BYTES, "objects", 0, "without a reference",              \
            "samples without a reference: the JVM, or the agent, had no memory for one; they are not watched", "")                         \
    ACCOUNT(LIVE_REFERENCES_MADE, "live_references_made", BOOK_BIT(LIVE), BESIDE, NONE, "weak references", 0, NULL,                        \
            "weak references that were made", "")                                                                                          \
    ACCOUNT(                                                                                                                               \
        LIVE_REFERENCES_BACK, "live_references_given_back", BOOK_BIT(LIVE), BESIDE, NONE, "weak references", 0, NULL,                      \
        "weak references that were released. The JVM keeps the others for the agent: at most twice `live_max`, and none after the end",    \
        "")                                                                                                                                \
    ACCOUNT(PATHS_WALKED, "paths_walked", BOOK_BIT(LIVE), BESIDE, NS, "walks of the heap", 0, NULL,                                        \
            "with --paths: the time that all walks of the heap took, from the request to the answer. Walks at the recording's end come "   \
            "after the time that `cpu` covers",                                                                                            \
            "lower the time that --paths allows")                                                                                          \
    ACCOUNT(PATHS_STOPPED, "paths_stopped", BOOK_BIT(LIVE), BESIDE, NS, "safepoints", 0, NULL,                                             \
            "how much the JVM's own safepoint counters rose during these walks, including other safepoints; 0 if the JVM has no such "     \
            "counters",                                                                                                                    \
            "")                                                                                                                            \
    ACCOUNT(HEAL_METHODS, "heal_methods", BOOK_BIT(HEAL), WITHIN, NS, "methods", 0, "compiled anew",                                       \
            "CPU time sampled in methods while their code was approximate, for methods whose old code is gone. An inlined method counts "  \
            "with the method that it was compiled into",                                                                                   \
            "")                                                                                                                            \
    ACCOUNT(HEAL_KEPT, "heal_kept", BOOK_BIT(HEAL), WITHIN, NS, "methods", REASONS(HEAL_KEEP), "left as they are",                         \
            "the same for methods that cannot be healed, by reason", "")                                                                   \
    ACCOUNT(HEAL_PAUSES, "heal_pauses", BOOK_BIT(HEAL), BESIDE, NS, "steps", 0, "pauses",                                                  \
            "how long all threads were stopped for it (JDK 8 and 11), by the JVM's own counter, with other pauses at that time; if there " \
            "is no counter, the time that the calls took",                                                                                 \
            "--heal off")                                                                                                                  \
    ACCOUNT(HEAL_CPU, "heal_cpu", BOOK_BIT(HEAL), WITHIN, NS, NULL, 0, "compilers",                                                        \
            "an estimate: CPU time of the compilers in the 20 s after each step, in excess of their rate before the first step, but "      \
            "at most 50 ms for each method; with `now`, all of it",                                                                        \
            "--heal off")                                                                                                                  \
    ACCOUNT(HEAL_LEFT, "heal_left", BOOK_BIT(HEAL), LEVEL, NS, NULL, 0, "still approximate",                                               \
            "sampled CPU time that was approximate in the latest window (1 to 5 s)", "--heal now, or the agent from the start")            \
    ACCOUNT(HEAL_LEFT_OF, "heal_left_of", BOOK_BIT(HEAL), LEVEL, NS, NULL, 0, "of", "all sampled CPU time in that window", "")

#define ACCOUNT_JSON(MEMBER, SETTING)                                                                                                      \
    MEMBER(CPU, "cpu_ns", CPU, TIME)                                                                                                       \
    MEMBER(CPU, "complete_ns", COMPLETE, TIME)                                                                                             \
    MEMBER(CPU, "truncated_ns", TRUNCATED, TIME)                                                                                           \
    MEMBER(CPU, "failed_ns", FAILED, TIME)                                                                                                 \
    MEMBER(CPU, "lost_ns", LOST, TIME)                                                                                                     \
    MEMBER(CPU, "unseen_ns", UNSEEN, TIME)                                                                                                 \
    MEMBER(CPU, "residual_ns", RESIDUAL, TIME)                                                                                             \
    MEMBER(CPU, "own_cost_ns", OWN_COST, TIME)                                                                                             \
    MEMBER(CPU, "suppressed_ns", SUPPRESSED, TIME)                                                                                         \
    MEMBER(CPU, "complete", COMPLETE, COUNT)                                                                                               \
    MEMBER(CPU, "truncated", TRUNCATED, COUNT)                                                                                             \
    MEMBER(CPU, "failed", FAILED, COUNT)                                                                                                   \
    MEMBER(CPU, "lost", LOST, COUNT)                                                                                                       \
    MEMBER(CPU, "suppressed", SUPPRESSED, COUNT)                                                                                           \
    MEMBER(CPU, "context_lost", CONTEXT_LOST, COUNT)                                                                                       \
    MEMBER(CPU, "switches", SWITCHES, COUNT)                                                                                               \
    SETTING(CPU, "clock", "clock", TEXT)                                                                                                   \
    SETTING(CPU, "clocks", "clocks", TEXT)                                                                                                 \
    SETTING(CPU, "clock_resolution_ns", "clock_resolution_ns", NUMBER)                                                                     \
    MEMBER(SAFEPOINT, "thread_time_ns", THREAD_TIME, TIME)                                                                                 \
    MEMBER(SAFEPOINT, "running_ns", RUNNING, TIME)                                                                                         \
    MEMBER(SAFEPOINT, "waiting_ns", WAITING, TIME)                                                                                         \
    MEMBER(SAFEPOINT, "failed_ns", THREAD_FAILED, TIME)                                                                                    \
    MEMBER(SAFEPOINT, "lost_ns", THREAD_LOST, TIME)                                                                                        \
    MEMBER(SAFEPOINT, "stopped_ns", STOPPED, TIME)                                                                                         \
    MEMBER(SAFEPOINT, "own_cost_ns", THREAD_OWN_COST, TIME)                                                                                \
    MEMBER(SAFEPOINT, "rounds", STOPPED, COUNT)                                                                                            \
    MEMBER(SAFEPOINT, "running", RUNNING, COUNT)                                                                                           \
    MEMBER(SAFEPOINT, "waiting", WAITING, COUNT)                                                                                           \
    MEMBER(SAFEPOINT, "failed", THREAD_FAILED, COUNT)                                                                                      \
    MEMBER(SAFEPOINT, "lost", THREAD_LOST, COUNT)                                                                                          \
    MEMBER(SAFEPOINT, "not_chosen", NOT_CHOSEN, COUNT)                                                                                     \
    MEMBER(ALLOC, "sampled_bytes", ALLOC_BYTES, TIME)                                                                                      \
    MEMBER(ALLOC, "lost_bytes", ALLOC_LOST, TIME)                                                                                          \
    MEMBER(ALLOC, "counted_bytes", ALLOC_COUNTED, TIME)                                                                                    \
    MEMBER(ALLOC, "weighed_bytes", ALLOC_WEIGHED, TIME)                                                                                    \
    MEMBER(ALLOC, "longest_interval_bytes", ALLOC_LONGEST, TIME)                                                                           \
    MEMBER(ALLOC, "samples", ALLOC_BYTES, COUNT)                                                                                           \
    MEMBER(ALLOC, "lost", ALLOC_LOST, COUNT)                                                                                               \
    MEMBER(WALL, "wall_ns", WALL_TIME, TIME)                                                                                               \
    MEMBER(WALL, "running_ns", WALL_RUNNING, TIME)                                                                                         \
    MEMBER(WALL, "waiting_ns", WALL_WAITING, TIME)                                                                                         \
    MEMBER(WALL, "failed_ns", WALL_FAILED, TIME)                                                                                           \
    MEMBER(WALL, "lost_ns", WALL_LOST, TIME)                                                                                               \
    MEMBER(WALL, "pending_ns", WALL_PENDING, TIME)                                                                                         \
    MEMBER(WALL, "unseen_ns", WALL_UNSEEN, TIME)                                                                                           \
    MEMBER(WALL, "residual_ns", WALL_RESIDUAL, TIME)                                                                                       \
    MEMBER(WALL, "guessed_ns", WALL_GUESSED, TIME)                                                                                         \
    MEMBER(WALL, "own_cost_ns", WALL_OWN_COST, TIME)                                                                                       \
    MEMBER(WALL, "rounds", WALL_ROUNDS, COUNT)                                                                                             \
    MEMBER(WALL, "longest_round_ns", WALL_ROUNDS, TIME)                                                                                    \
    MEMBER(WALL, "guessed", WALL_GUESSED, COUNT)                                                                                           \
    MEMBER(WALL, "wall_running", WALL_RUNNING, COUNT)                                                                                      \
    MEMBER(WALL, "wall_waiting", WALL_WAITING, COUNT)                                                                                      \
    MEMBER(WALL, "wall_failed", WALL_FAILED, COUNT)                                                                                        \
    MEMBER(WALL, "wall_lost", WALL_LOST, COUNT)                                                                                            \
    MEMBER(WALL, "wall_looks", WALL_LOOKS, COUNT)                                                                                          \
    MEMBER(WALL, "unmounted_ns", WALL_UNMOUNTED, TIME)                                                                                     \
    MEMBER(WALL, "unmounted", WALL_UNMOUNTED, COUNT)                                                                                       \
    MEMBER(WALL, "wall_unmounts", WALL_UNMOUNTS, COUNT)                                                                                    \
    MEMBER(WALL, "wall_not_chosen", WALL_NOT_CHOSEN, COUNT)                                                                                \
    MEMBER(HALT, "gc_ns", HALT_GC, TIME)                                                                                                   \
    MEMBER(HALT, "gc", HALT_GC, COUNT_OR_NULL)                                                                                             \
    MEMBER(HALT, "longest_ns", HALT_LONGEST, TIME)                                                                                         \
    MEMBER(HALT, "lost_ns", HALT_LOST, TIME)                                                                                               \
    MEMBER(HALT, "lost", HALT_LOST, COUNT)                                                                                                 \
    MEMBER(HALT, "gc_counted", HALT_GC_COUNTED, COUNT_OR_NULL)                                                                             \
    MEMBER(HALT, "safepoints", HALT_SAFEPOINTS, COUNT_OR_NULL)                                                                             \
    MEMBER(HALT, "safepoints_ns", HALT_SAFEPOINTS, TIME)                                                                                   \
    MEMBER(HALT, "synchronizing_ns", HALT_SYNCHRONIZING, TIME)                                                                             \
    MEMBER(LOCK, "waited_ns", LOCK_TIME, TIME)                                                                                             \
    MEMBER(LOCK, "whole_ns", LOCK_WHOLE, TIME)                                                                                             \
    MEMBER(LOCK, "drawn_ns", LOCK_DRAWN, TIME)                                                                                             \
    MEMBER(LOCK, "lost_ns", LOCK_LOST, TIME)                                                                                               \
    MEMBER(LOCK, "residual_ns", LOCK_RESIDUAL, TIME)                                                                                       \
    MEMBER(LOCK, "open_ns", LOCK_OPEN, TIME)                                                                                               \
    MEMBER(LOCK, "thresholds_ns", LOCK_THRESHOLD, TIME)                                                                                    \
    MEMBER(LOCK, "holders_ns", LOCK_HOLDERS, TIME)                                                                                         \
    MEMBER(LOCK, "lock_time", LOCK_TIME, COUNT)                                                                                            \
    MEMBER(LOCK, "lock_holders", LOCK_HOLDERS, COUNT)                                                                                      \
    MEMBER(LOCK, "lock_whole", LOCK_WHOLE, COUNT)                                                                                          \
    MEMBER(LOCK, "lock_drawn", LOCK_DRAWN, COUNT)                                                                                          \
    MEMBER(LOCK, "lock_lost", LOCK_LOST, COUNT)                                                                                            \
    MEMBER(LOCK, "lock_open", LOCK_OPEN, COUNT)                                                                                            \
    MEMBER(LOCK, "holders_missed_ns", LOCK_HOLDERS_MISSED, TIME)                                                                           \
    MEMBER(LOCK, "lock_holders_missed", LOCK_HOLDERS_MISSED, COUNT)                                                                        \
    SETTING(EVENTS, "event", "event", TEXT)                                                                                                \
    SETTING(EVENTS, "interval", "event_interval", NUMBER)                                                                                  \
    MEMBER(EVENTS, "counted_events", EVENTS, TIME)                                                                                         \
    MEMBER(EVENTS, "complete_events", EVENTS_COMPLETE, TIME)                                                                               \
    MEMBER(EVENTS, "truncated_events", EVENTS_TRUNCATED, TIME)                                                                             \
    MEMBER(EVENTS, "failed_events", EVENTS_FAILED, TIME)                                                                                   \
    MEMBER(EVENTS, "lost_events", EVENTS_LOST, TIME)                                                                                       \
    MEMBER(EVENTS, "residual_events", EVENTS_RESIDUAL, TIME)                                                                               \
    MEMBER(EVENTS, "unscaled_events", EVENTS_UNSCALED, TIME)                                                                               \
    MEMBER(EVENTS, "enabled_ns", EVENTS_ENABLED, TIME)                                                                                     \
    MEMBER(EVENTS, "running_ns", EVENTS_RUNNING, TIME)                                                                                     \
    MEMBER(EVENTS, "own_cost_ns", EVENTS_OWN_COST, TIME)                                                                                   \
    MEMBER(EVENTS, "complete", EVENTS_COMPLETE, COUNT)                                                                                     \
    MEMBER(EVENTS, "truncated", EVENTS_TRUNCATED, COUNT)                                                                                   \
    MEMBER(EVENTS, "events_failed", EVENTS_FAILED, COUNT)                                                                                  \
    MEMBER(EVENTS, "events_lost", EVENTS_LOST, COUNT)                                                                                      \
    MEMBER(LIVE, "watched", LIVE_WATCHED, PAIR)                                                                                            \
    MEMBER(LIVE, "dead", LIVE_DEAD, PAIR)                                                                                                  \
    MEMBER(LIVE, "displaced", LIVE_DISPLACED, PAIR)                                                                                        \
    MEMBER(LIVE, "unreferenced", LIVE_UNREFERENCED, PAIR)                                                                                  \
    MEMBER(LIVE, "references_made", LIVE_REFERENCES_MADE, COUNT)                                                                           \
    MEMBER(LIVE, "references_given_back", LIVE_REFERENCES_BACK, COUNT)                                                                     \
    MEMBER(HEAL, "methods", HEAL_METHODS, COUNT)                                                                                           \
    MEMBER(HEAL, "steps", HEAL_PAUSES, COUNT)                                                                                              \
    MEMBER(HEAL, "paused_ns", HEAL_PAUSES, TIME)                                                                                           \
    MEMBER(HEAL, "compilers_ns", HEAL_CPU, TIME)                                                                                           \
    MEMBER(HEAL, "kept_ns", HEAL_KEPT, TIME)                                                                                               \
    MEMBER(HEAL, "heal_kept", HEAL_KEPT, COUNT)                                                                                            \
    MEMBER(HEAL, "left_ns", HEAL_LEFT, TIME)                                                                                               \
    MEMBER(HEAL, "left_of_ns", HEAL_LEFT_OF, TIME)

#define ACCOUNT_SYMBOL(symbol, ...) ACCOUNT_##symbol,
enum account_id { ACCOUNT_ROWS(ACCOUNT_SYMBOL) ACCOUNTS };

struct book_row {
    const char *member, *whole, *share, *count, *heading, *about, *note;
    enum account_id sign;
};

struct account_row {
    const char *name, *counts, *title, *meaning, *remedy;
    unsigned books, reasons; /* bits of enum book, and of enum reason_list */
    enum account_role role;
    enum account_unit unit;
};

struct account_role_row {
    const char *word, *meaning;
};

struct account_member {
    enum book book;
    enum account_figure figure;
    const char *key;
    enum account_id account;
    const char *setting; /* the setting that the member shows; NULL = it shows `account` */
};

extern const struct book_row book_rows[BOOKS];
extern const struct account_role_row account_roles[ACCOUNT_ROLE_COUNT];
extern const struct account_row account_rows[ACCOUNTS];
extern const struct account_member account_members[];
extern const unsigned account_member_count;

/* Whether the time of the account with that name is a current value, not part of a sum. */
bool account_is_level(const char *name);

#endif
