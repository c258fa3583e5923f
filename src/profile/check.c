#include "profile/check.h"

#include "base/text/number.h"
#include "base/text/units.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* The writer keeps whole nanoseconds; this leaves room for one rounding per line. */
static const double close_ns = 1000;
/* The last samples may be younger than the last books: at most a second of a few threads, so the tolerance is generous,
 * yet far below what a lost piece of the file takes. */
static const double missing_share = 0.01, missing_intervals = 20;

static double account_ns(const struct profile *p, const char *account)
{
    double sum = 0;
    for (uint32_t i = 0; i < p->book_count; i++)
        if (!strcmp(profile_text(p, p->books[i].account), account))
            sum += (double)p->books[i].ns;
    return sum;
}

static const char *duration(char *out, size_t size, double ns)
{
    return units_format_duration(out, size, ns < 0 ? 0 : (uint64_t)fmin(ns, 9e18));
}

/* What the samples in the file weigh, and what the books say that they do, of a time that the books are of. */
static int check_weight(struct profile *p, double sampled, double whole)
{
    char a[32], b[32];
    double held = (double)p->weight;
    double tolerance = fmax(missing_share * whole, missing_intervals * (double)p->interval_ns);
    if (fabs(held - sampled) <= tolerance)
        return 0;
    return profile_add_problem(p, "error", "the file's samples add up to %s, the books say %s: the file is not whole",
                               duration(a, sizeof a, held), duration(b, sizeof b, sampled));
}

static int check_thread_time(struct profile *p)
{
    char a[32];
    double whole = account_ns(p, "thread_time"), running = account_ns(p, "running"), waiting = account_ns(p, "waiting");
    double gap = fabs(whole - running - waiting - account_ns(p, "failed") - account_ns(p, "lost"));
    if (gap > close_ns && profile_add_problem(p, "error", "the books do not close: the accounts miss the threads' time by %s",
                                              duration(a, sizeof a, gap)))
        return -ENOMEM;
    return check_weight(p, p->kind == PROFILE_WAITING ? waiting : running, whole);
}

static int check_allocations(struct profile *p)
{
    char a[32], b[32];
    const struct profile_book *book = profile_book(p, "alloc_bytes", "");
    if (!book || !book->count)
        return 0;
    double held = (double)p->weight, said = (double)book->ns;
    if (fabs(held - said) <= fmax(missing_share * said, missing_intervals * said / (double)book->count))
        return 0;
    return profile_add_problem(p, "error", "the file's samples add up to %s, the books say %s: the file is not whole",
                               units_format_bytes(a, sizeof a, (uint64_t)held),
                               units_format_bytes(b, sizeof b, (uint64_t)fmax(said, 0)));
}

static int check_wall(struct profile *p)
{
    char a[32];
    double whole = account_ns(p, "wall_time");
    double sampled = account_ns(p, "wall_running") + account_ns(p, "wall_waiting") + account_ns(p, "wall_failed");
    double rest = account_ns(p, "wall_lost") + account_ns(p, "wall_pending") + account_ns(p, "wall_unseen") +
                  account_ns(p, "wall_residual");
    double gap = fabs(whole - sampled - rest);
    if (gap > close_ns && profile_add_problem(p, "error", "the books do not close: the accounts miss the threads' time by %s",
                                              duration(a, sizeof a, gap)))
        return -ENOMEM;
    return check_weight(p, sampled, whole);
}

static int check_locks(struct profile *p)
{
    char a[32];
    double whole = account_ns(p, "lock_time"), sampled = account_ns(p, "lock_whole") + account_ns(p, "lock_drawn");
    double gap = fabs(whole - sampled - account_ns(p, "lock_lost") - account_ns(p, "lock_residual"));
    if (gap > close_ns && profile_add_problem(p, "error", "the books do not close: the accounts miss the time of waiting by %s",
                                              duration(a, sizeof a, gap)))
        return -ENOMEM;
    return check_weight(p, sampled, whole);
}

static int check_events(struct profile *p)
{
    double whole = account_ns(p, "events");
    double sampled = account_ns(p, "events_complete") + account_ns(p, "events_truncated") + account_ns(p, "events_failed");
    const char *set = profile_setting(p, "event_interval");
    double interval = set ? (double)number_or_zero(set) : 1, held = (double)p->weight;
    double gap = fabs(whole - sampled - account_ns(p, "events_lost") - account_ns(p, "events_residual"));
    if (gap > close_ns && profile_add_problem(p, "error", "the books do not close: the accounts miss %.0f events", gap))
        return -ENOMEM;
    if (p->kind != PROFILE_RUNNING || fabs(held - sampled) <= fmax(missing_share * whole, missing_intervals * interval))
        return 0;
    return profile_add_problem(p, "error", "the file's samples add up to %.0f events, the books say %.0f: the file is not whole", held,
                               sampled);
}

int profile_check(struct profile *p)
{
    if (p->kind == PROFILE_HOLDER)
        return 0;
    if (p->kind == PROFILE_LOCK)
        return profile_book(p, "lock_time", "monitor") ? check_locks(p) : 0;
    if (p->kind == PROFILE_ALLOC)
        return check_allocations(p);
    if (p->kind == PROFILE_LIVE) /* books are of a later moment than the last set that was written */
        return 0;
    if (p->kind == PROFILE_WALL && profile_book(p, "wall_time", ""))
        return check_wall(p);
    if (profile_is_safepoint(p) && profile_book(p, "thread_time", ""))
        return check_thread_time(p);
    if (profile_book(p, "events", ""))
        return check_events(p);
    if (!profile_book(p, "cpu", ""))
        return 0;
    double cpu = account_ns(p, "cpu");
    double sampled = account_ns(p, "complete") + account_ns(p, "truncated") + account_ns(p, "failed");
    double rest = account_ns(p, "lost") + account_ns(p, "unseen") + account_ns(p, "residual");
    char a[32];
    double gap = fabs(cpu - sampled - rest);
    if (gap > close_ns &&
        profile_add_problem(p, "error", "the books do not close: the accounts miss the CPU time by %s",
                            duration(a, sizeof a, gap)))
        return -ENOMEM;
    return p->kind == PROFILE_RUNNING ? check_weight(p, sampled, cpu) : 0;
}
