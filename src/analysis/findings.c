#include "analysis/findings.h"

#include "base/array.h"

#include <stdarg.h>
#include <stdio.h>

enum { SAY_MAX = 2048 };

const struct finding_info finding_infos[FINDING_KINDS] = {
    [FINDING_DEADLOCK] = {"deadlock", "Deadlock", "--kind lock", "Deadlock",
                          "take these locks in one order everywhere, or the second one with tryLock and a time"},
    [FINDING_LOCK_HELD_ASLEEP] = {"lock_held_asleep", "A lock is held while its owner sleeps", "--kind holder", "Methods",
                                  "sleep after the lock is given back; wait for a state with Object.wait or Condition.await, which "
                                  "give it back meanwhile"},
    [FINDING_LOCK_HELD_IN_IO] = {"lock_held_in_io", "A lock is held during input or output", "--kind holder", "Methods",
                                 "read or write outside of the lock; hand what is to be written to one thread by a queue"},
    [FINDING_WRITERS_STARVE] = {"writers_starve", "Writers starve behind readers", "--kind lock", "Locks",
                                "have readers queue: lock() in place of tryLock(), or new ReentrantReadWriteLock(true); hold the read "
                                "lock for less"},
    [FINDING_LOCK_CONTENDED] = {"lock_contended", "Threads queue for a lock", "--kind lock", "Locks",
                                "do less while holding it, give parts of the data locks of their own, or use a concurrent collection"},
    [FINDING_POOL_TOO_SMALL] = {"pool_too_small", "Tasks queue for a pool that has no free thread", "--kind wall", "Threads",
                                "more core threads: a pool with an unbounded or long queue does not grow beyond them before that is full"},
    [FINDING_SAFEPOINT_STORM] = {"safepoint_storm", "All threads are stopped again and again", "--kind halt", "Kinds",
                                 "call less often what stops all threads: thread dumps, looking for deadlocks, heap histograms; "
                                 "-Xlog:safepoint names it"},
    [FINDING_LATE_AT_SAFEPOINTS] = {"late_at_safepoints", "A loop keeps all threads waiting for a safepoint", "--kind halt", "All threads",
                                    "-XX:+UseCountedLoopSafepoints, or a shorter loop: one that counts in an int has no poll"},
    [FINDING_SYSTEM_GC] = {"system_gc", "The program itself asks for garbage collections", "--kind halt", "Why",
                           "leave the call out; -XX:+ExplicitGCInvokesConcurrent or -XX:+DisableExplicitGC where it is not yours"},
    [FINDING_SLOW_SOCKET] = {"slow_socket", "A peer answers slowly", "--kind halt", "Why",
                             "look at the peer; ask it in parallel, or with a timeout. It may be a connection that is idle"},
    [FINDING_FILE_FORCED] = {"file_forced", "A file is forced to disk again and again", "--kind halt", "Why",
                             "force once for many records: collect those of a few milliseconds, then write and force them together"},
    [FINDING_PINNED_CARRIER] = {"pinned_carrier", "Virtual threads wait and keep their carriers", "--kind halt", "Why",
                                "a ReentrantLock in place of synchronized around what blocks; JDK 24 and later do not pin at monitors"},
    [FINDING_EXCEPTIONS] = {"exceptions", "Exceptions are the way the program goes", "--callers fillInStackTrace", "Callers",
                            "return a value where this is expected; else an exception without a stack trace "
                            "(writableStackTrace = false)"},
};

int findings_init(struct findings *f)
{
    *f = (struct findings){0};
    return strtab_init(&f->strings);
}

void findings_deinit(struct findings *f)
{
    strtab_deinit(&f->strings);
    free(f->list);
    *f = (struct findings){0};
}

const char *findings_text(const struct findings *f, uint32_t string)
{
    return strtab_text(&f->strings, string);
}

uint32_t findings_string(struct findings *f, const char *text)
{
    uint32_t id = *text ? strtab_add_text(&f->strings, text) : 0;
    f->failed = f->failed || (*text && !id);
    return id;
}

uint32_t findings_say(struct findings *f, const char *format, ...)
{
    char text[SAY_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return findings_string(f, text);
}

void findings_add(struct findings *f, const struct finding *one)
{
    if (!(one->score >= SCORE_INFO))
        return;
    if (ARRAY_GROW(f->list, f->cap, f->count)) {
        f->failed = true;
        return;
    }
    f->list[f->count++] = *one;
}

static int worst_first(const void *left, const void *right)
{
    const struct finding *a = left, *b = right;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    if (a->lost_ns.value != b->lost_ns.value)
        return a->lost_ns.value > b->lost_ns.value ? -1 : 1;
    return a->kind != b->kind ? (a->kind > b->kind) - (a->kind < b->kind) : (a->text > b->text) - (a->text < b->text);
}

void findings_sort(struct findings *f)
{
    if (f->count)
        qsort(f->list, f->count, sizeof *f->list, worst_first);
}

const char *finding_report(const struct finding *one)
{
    return one->report ? one->report : finding_infos[one->kind].report;
}

const char *finding_table(const struct finding *one)
{
    return one->table ? one->table : finding_infos[one->kind].table;
}

const char *finding_severity(const struct finding *one)
{
    return one->score >= SCORE_WARNING ? "warning" : "info";
}
