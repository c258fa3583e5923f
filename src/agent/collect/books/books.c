#include "agent/collect/books/books.h"

#include "agent/hot/signal/handler.h"
#include "agent/trigger/lot.h"
#include "agent/trigger/threads.h"

#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { TICK_NS = 10000000 };

uint64_t books_own_cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Usage by all threads, including those that have ended, according to the kernel's accounting. */
struct used {
    uint64_t kernel_ns, switches;
};

static struct used used_so_far(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (struct used){(uint64_t)used.ru_stime.tv_sec * 1000000000u + (uint64_t)used.ru_stime.tv_usec * 1000u,
                         (uint64_t)used.ru_nvcsw + (uint64_t)used.ru_nivcsw};
}

void books_open(struct books *b, uint64_t signal_cost_ns)
{
    memset(b, 0, sizeof *b);
    b->signal_cost_ns = signal_cost_ns;
    b->own_at_start = books_own_cpu();
    struct used used = used_so_far();
    b->kernel_at_start = used.kernel_ns;
    b->switches_at_start = used.switches;
    b->cpu_at_start = clock_process_cpu();
}

static void add(struct account *a, uint64_t ns)
{
    a->ns += (int64_t)ns;
    a->count++;
}

void books_take(struct books_taken *t, enum outcome outcome, uint64_t weight_ns)
{
    add(&t->outcomes[outcome], weight_ns);
    t->samples++;
}

void books_drop(struct books_taken *t, uint64_t weight_ns)
{
    add(&t->dropped, weight_ns);
}

/* Adds a thread's CPU time that no sample covers, except losses. A thread that was not drawn by lot is represented by the weights of other
 * threads, which are larger by the time that they lend. Summed over all threads, the lent time equals the CPU time of the threads that were
 * not drawn only on average. */
static void add_unseen(const struct clock *clock, const struct sampled_thread *t, int64_t *unseen)
{
    uint64_t all = threads_cpu(t);
    int64_t waited = (int64_t)lot_waited(t, all), lent = (int64_t)counter_get(&t->counts.lent_ns), cpu = (int64_t)all - waited;
    int64_t seen = (int64_t)counter_get(&t->counts.expiry_ns) - lent;
    int64_t blind = cpu < (int64_t)t->clock.blind_ns ? cpu : (int64_t)t->clock.blind_ns;
    unseen[UNSEEN_NOT_DRAWN] += waited - lent;
    unseen[UNSEEN_BEFORE_ARMING] += (int64_t)(t->clock.cpu_at_arming - t->clock.cpu_at_start) + blind;
    if (t->clock.lacks_clock)
        unseen[UNSEEN_NO_CLOCK] += cpu - blind;
    else if (t->scan.blocks) /* when the thread unblocks the signal, one expiry stands for all of this time */
        unseen[UNSEEN_SIGNALS_BLOCKED] += cpu - blind - seen;
    else if (!clock->kernel && !t->clock.perf_error)
        unseen[UNSEEN_KERNEL] += cpu - blind - seen;
}

static void add_thread(const struct clock *clock, const struct sampled_thread *t, struct account *lost, int64_t *unseen)
{
    for (int i = 0; i < LOSS_COUNT; i++) {
        lost[i].ns += (int64_t)counter_get(&t->counts.lost_ns[i]);
        lost[i].count += counter_get(&t->counts.lost[i]);
    }
    if (clock->kind != CLOCK_ITIMER) /* its expiries cover the CPU time of all threads */
        add_unseen(clock, t, unseen);
}

static void add_slow(const struct sampled_thread *t, struct account *slow)
{
    for (int i = 0; i < SUPPRESSION_COUNT; i++) {
        slow[i].ns += (int64_t)counter_get(&t->counts.suppressed_ns[i]);
        slow[i].count += counter_get(&t->counts.slow[i]);
    }
}

void books_close_thread(struct books *b, const struct clock *clock, const struct sampled_thread *t)
{
    add_thread(clock, t, b->closed_lost, b->closed_unseen);
    add_slow(t, b->closed_slow);
    b->closed_handler_ns += counter_get(&t->counts.handler_ns);
}

uint64_t books_samples_ns(const struct books *b)
{
    uint64_t ns = b->closed_handler_ns + b->samples * b->signal_cost_ns;
    for (uint32_t i = 0, limit = threads_limit(); i < limit; i++)
        if (atomic_load(&sampled_threads[i].slot) != SLOT_FREE)
            ns += counter_get(&sampled_threads[i].counts.handler_ns);
    return ns;
}

/* Computes how many expiries are missing because clocks were slow. */
static void count_suppressed(struct account *slow, uint64_t interval_ns)
{
    for (int i = 0; i < SUPPRESSION_COUNT; i++) {
        uint64_t asked = (uint64_t)slow[i].ns / interval_ns;
        slow[i].count = asked > slow[i].count ? asked - slow[i].count : 0;
    }
}

void books_fault(struct books *b, uint64_t cpu_ns)
{
    b->cpu_at_fault = cpu_ns > b->cpu_at_start ? cpu_ns : b->cpu_at_start;
    b->own_at_fault = books_own_cpu();
}

void books_end(struct books *b)
{
    b->cpu_at_end = clock_process_cpu();
    b->own_at_end = books_own_cpu();
}

/* Returns the largest plausible kernel time. CPU time that threads used beyond their expiries is kernel time (if the kernel may not be
 * sampled), or it is missing. The kernel's own accounting limits the kernel time. The kernel counts ticks of at most 10 ms, so its error
 * exceeds 5 sqrt(told * tick) only once in a million, and the margin here is larger than that. */
static int64_t most_kernel_time(const struct books *b, const struct used *used)
{
    int64_t told = (int64_t)(used->kernel_ns - b->kernel_at_start);
    return told + told / 8 + 50 * (int64_t)TICK_NS;
}

void books_balance(const struct books *b, const struct books_taken *taken, const struct clock *clock, struct books_balance *out)
{
    memset(out, 0, sizeof *out);
    memcpy(out->lost, b->closed_lost, sizeof out->lost);
    out->lost[LOSS_MEMORY].ns += taken->dropped.ns;
    out->lost[LOSS_MEMORY].count += taken->dropped.count;
    memcpy(out->unseen_ns, b->closed_unseen, sizeof out->unseen_ns);
    memcpy(out->suppressed, b->closed_slow, sizeof out->suppressed);
    for (uint32_t i = 0, limit = threads_limit(); i < limit; i++)
        if (atomic_load(&sampled_threads[i].slot) != SLOT_FREE) {
            add_thread(clock, &sampled_threads[i], out->lost, out->unseen_ns);
            add_slow(&sampled_threads[i], out->suppressed);
        }
    count_suppressed(out->suppressed, clock->interval_ns);
    out->unseen_ns[UNSEEN_AFTER_EXIT] = (int64_t)threads_exit_cpu();
    uint64_t cpu = b->cpu_at_end ? b->cpu_at_end : clock_process_cpu();
    uint64_t own_cpu = b->cpu_at_end ? b->own_at_end : books_own_cpu();
    int64_t own = (int64_t)(own_cpu - b->own_at_start);
    if (clock->kind != CLOCK_ITIMER)
        out->unseen_ns[UNSEEN_PROFILER] = own;
    if (b->cpu_at_fault)
        out->unseen_ns[UNSEEN_INTERNAL_FAULT] = (int64_t)(cpu - b->cpu_at_fault);
    if (b->cpu_at_fault && clock->kind != CLOCK_ITIMER) /* the process's timer covers this time already */
        out->unseen_ns[UNSEEN_INTERNAL_FAULT] -= (int64_t)(own_cpu - b->own_at_fault);
    struct used used = used_so_far();
    int64_t kernel_most = most_kernel_time(b, &used);
    if (out->unseen_ns[UNSEEN_KERNEL] > kernel_most)
        out->unseen_ns[UNSEEN_KERNEL] = kernel_most;
    /* A single expiry stands for more or less than the thread has used by now, so the difference may be negative. */
    if (out->unseen_ns[UNSEEN_KERNEL] < 0)
        out->unseen_ns[UNSEEN_KERNEL] = 0;
    out->cpu_ns = (int64_t)(cpu - b->cpu_at_start);
    out->own_cost_ns = (int64_t)(books_own_cpu() - b->own_at_start) + (int64_t)books_samples_ns(b);
    out->switches = used.switches - b->switches_at_start;
    out->residual_ns = out->cpu_ns;
    for (int i = 0; i < OUTCOME_COUNT; i++)
        out->residual_ns -= taken->outcomes[i].ns;
    for (int i = 0; i < LOSS_COUNT; i++)
        out->residual_ns -= out->lost[i].ns;
    for (int i = 0; i < UNSEEN_COUNT; i++)
        out->residual_ns -= out->unseen_ns[i];
}
