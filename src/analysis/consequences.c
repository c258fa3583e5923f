#include "analysis/consequences.h"

#include <string.h>

/* A finding of kind `consequence` probably follows from one of kind `cause`. */
struct pair {
    enum finding_kind consequence, cause;
};

static const struct pair pairs[] = {
    {FINDING_GC_FULL, FINDING_LEAK},
    {FINDING_GC_FULL, FINDING_GC_HUMONGOUS},
    {FINDING_GC_PRESSURE, FINDING_LEAK},
    {FINDING_GC_PRESSURE, FINDING_GC_HUMONGOUS},
    {FINDING_GC_PRESSURE, FINDING_GC_METASPACE},
    {FINDING_GC_PRESSURE, FINDING_GC_LOCKER},
    {FINDING_GC_PRESSURE, FINDING_GC_BY_TOOL},
    {FINDING_GC_PRESSURE, FINDING_GC_FULL},
    {FINDING_GC_METASPACE, FINDING_TEMPLATES},
    {FINDING_GC_METASPACE, FINDING_CLASSES},
    {FINDING_GC_OVERRUN, FINDING_LEAK},
    {FINDING_GC_OVERRUN, FINDING_GC_HUMONGOUS},
    {FINDING_GC_OVERRUN, FINDING_GC_FULL},
    {FINDING_GC_OVERRUN, FINDING_GC_PRESSURE},
    {FINDING_GC_LONG_PAUSE, FINDING_LEAK},
    {FINDING_GC_LONG_PAUSE, FINDING_SYSTEM_GC},
    {FINDING_GC_LONG_PAUSE, FINDING_GC_BY_TOOL},
    {FINDING_GC_LONG_PAUSE, FINDING_GC_METASPACE},
    {FINDING_GC_LONG_PAUSE, FINDING_GC_HUMONGOUS},
    {FINDING_GC_LONG_PAUSE, FINDING_GC_FULL},
    {FINDING_GC_LONG_PAUSE, FINDING_GC_OVERRUN},
    {FINDING_GC_LONG_PAUSE, FINDING_GC_PRESSURE},
    {FINDING_LEAK, FINDING_FINALIZERS},
    {FINDING_GC_PRESSURE, FINDING_FINALIZERS},
    {FINDING_GC_PRESSURE, FINDING_THREAD_LOCALS},
    {FINDING_GC_FULL, FINDING_FINALIZERS},
    {FINDING_GC_LONG_PAUSE, FINDING_FINALIZERS},
    {FINDING_GC_LONG_PAUSE, FINDING_THREAD_LOCALS},
    {FINDING_GC_MISSES_TARGET, FINDING_GC_PRESSURE},
    {FINDING_GC_MISSES_TARGET, FINDING_GC_OVERRUN},
    {FINDING_SYSTEM_GC, FINDING_DIRECT},
    {FINDING_LONG_OPERATION, FINDING_GC_BY_TOOL},
    {FINDING_SAFEPOINT_STORM, FINDING_GC_BY_TOOL},
    {FINDING_SAFEPOINT_STORM, FINDING_REDEFINITIONS},
    {FINDING_POOL_TOO_SMALL, FINDING_COMMON_POOL_BLOCKED},
    {FINDING_CHILD_PROCESSES, FINDING_PROCESSES},
    {FINDING_OPENS, FINDING_PROPERTIES},
    {FINDING_THREAD_CHURN, FINDING_PROCESSES},
    {FINDING_THREAD_CHURN, FINDING_CLIENTS},
    {FINDING_THREADS_GROW, FINDING_CLIENTS},
    {FINDING_LOCK_CONTENDED, FINDING_LOGS},
    {FINDING_LOCK_HELD_IN_IO, FINDING_LOGS},
    {FINDING_SLOW_FILE, FINDING_BYTES},
    {FINDING_SLOW_FILE, FINDING_CONSOLE},
    {FINDING_CPU_SATURATED, FINDING_YIELDS},
    {FINDING_CPU_SATURATED, FINDING_GC_PRESSURE},
    {FINDING_CPU_SATURATED, FINDING_GC_FULL},
    {FINDING_CPU_SATURATED, FINDING_THREAD_CHURN},
    {FINDING_LOCK_OWNER_PREEMPTED, FINDING_CPU_SATURATED},
};

/* Findings about what work costs rather than about the work. If a more specific finding has the same line, it is the cause. */
static bool is_general(enum finding_kind kind)
{
    switch (kind) {
    case FINDING_ALLOCATION_SITE:
    case FINDING_GC_PRESSURE:
    case FINDING_GC_FULL:
    case FINDING_GC_OVERRUN:
    case FINDING_CPU_SATURATED:
    case FINDING_GROWTH:
    case FINDING_LOCK_OWNER_PREEMPTED:
        return true;
    default:
        return false;
    }
}

/* Findings that say little about the program itself, and nothing if there is another finding. */
static bool is_of_surroundings(enum finding_kind kind)
{
    return kind == FINDING_CONTEXT_SWITCHES || kind == FINDING_RECORDING_QUALITY || kind == FINDING_JDK_DATA_LOST;
}

/* Whether two findings have the same line, or the same method if `one` is a line that allocates: work that repeats itself costs CPU time
 * and memory at several lines. */
static bool has_same_place(const struct findings *f, const struct finding *one, const struct finding *cause)
{
    const char *left = findings_text(f, one->site), *right = findings_text(f, cause->site);
    const char *end = one->kind == FINDING_ALLOCATION_SITE ? ": " : " ";
    size_t n = strcspn(left, end);
    return n && n == strcspn(right, end) && !strncmp(left, right, n);
}

/* Findings that say more about a line that allocates much: what it costs, or why it allocates. */
static bool explains_allocation(enum finding_kind kind)
{
    return kind == FINDING_GC_PRESSURE || kind == FINDING_GC_FULL || kind == FINDING_GC_OVERRUN || kind == FINDING_GC_HUMONGOUS ||
           kind == FINDING_GROWTH;
}

/* Collections that grow are garbage for the collector. */
static bool is_of_growth(const struct finding *one, const struct finding *cause)
{
    return cause->kind == FINDING_GROWTH &&
           (one->kind == FINDING_GC_PRESSURE || one->kind == FINDING_GC_FULL || one->kind == FINDING_GC_OVERRUN);
}

/* Whether other programs have the processors: then the finding has a remedy of its own, and nothing in this program is the cause. */
static bool is_of_others(const struct finding *one)
{
    return one->kind == FINDING_CPU_SATURATED && one->remedy;
}

static bool follows(const struct findings *f, const struct finding *one, const struct finding *cause)
{
    if (is_of_others(one))
        return false;
    if (is_of_surroundings(one->kind))
        return !is_of_surroundings(cause->kind);
    if (is_of_surroundings(cause->kind))
        return false;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i].consequence == one->kind && pairs[i].cause == cause->kind)
            return true;
    bool is_specific =
        !is_general(cause->kind) || (one->kind == FINDING_ALLOCATION_SITE && explains_allocation(cause->kind)) || is_of_growth(one, cause);
    bool may_follow = is_general(one->kind) || (one->kind == FINDING_EXCEPTIONS && cause->kind == FINDING_WALKS);
    return may_follow && is_specific && has_same_place(f, one, cause);
}

/* The number of findings that are considered, from the worst on. A damaged recording may have a hundred thousand. */
enum { CONSIDERED = 100 };

/* Puts the finding at `from` behind the one at `to`. */
static void move_behind(struct findings *f, uint32_t from, uint32_t to)
{
    struct finding one = f->list[from];
    memmove(&f->list[from], &f->list[from + 1], (to - from) * sizeof *f->list);
    f->list[to] = one;
}

/* Returns the position of the last one of `count` findings from which the one at `at` follows; `count` = there is none. */
static uint32_t last_cause(const struct findings *f, uint32_t count, uint32_t at)
{
    uint32_t last = count;
    for (uint32_t i = 0; i < count; i++)
        if (i != at && follows(f, &f->list[at], &f->list[i]))
            last = i;
    return last;
}

void consequences_order(struct findings *f)
{
    uint32_t count = f->count < CONSIDERED ? f->count : CONSIDERED;
    uint32_t moves = count * count; /* the relation has no cycles; this bounds the time if a new row makes one */
    for (uint32_t i = 0; i < count;) {
        uint32_t cause = last_cause(f, count, i);
        f->list[i].has_cause = cause < count && !is_of_surroundings(f->list[i].kind);
        f->list[i].cause = f->list[i].has_cause ? f->list[cause].kind : f->list[i].kind;
        if (cause < count && cause > i && moves) {
            moves--;
            move_behind(f, i, cause);
        } else {
            i++;
        }
    }
}
