#include "agent/collect/books.h"

#include "agent/trigger/threads.h"

#include <string.h>
#include <time.h>

uint64_t books_own_cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void books_open(struct books *b, uint64_t sample_cost_ns)
{
    memset(b, 0, sizeof *b);
    b->sample_cost_ns = sample_cost_ns;
    b->own_at_start = books_own_cpu();
    b->cpu_at_start = clock_process_cpu();
}

void books_sample(struct books *b, enum outcome outcome, uint64_t weight_ns)
{
    b->outcomes[outcome].ns += (int64_t)weight_ns;
    b->outcomes[outcome].count++;
    b->samples++;
}

void books_lose(struct books *b, enum loss why, uint64_t weight_ns)
{
    b->closed_lost[why].ns += (int64_t)weight_ns;
    b->closed_lost[why].count++;
}

static void add_thread(const struct clock *clock, const struct sampled_thread *t, struct account *lost, int64_t *unseen)
{
    int64_t cpu = (int64_t)threads_cpu(t);
    for (int i = 0; i < LOSS_COUNT; i++) {
        lost[i].ns += (int64_t)counter_get(&t->lost_ns[i]);
        lost[i].count += counter_get(&t->lost[i]);
    }
    if (clock->kind == CLOCK_ITIMER)
        return; /* its expiries stand for the CPU time of all threads */
    int64_t blind = cpu < (int64_t)t->blind_ns ? cpu : (int64_t)t->blind_ns;
    unseen[UNSEEN_BEFORE_ARMING] += (int64_t)(t->cpu_at_arming - t->cpu_at_start) + blind;
    if (t->lacks_clock)
        unseen[UNSEEN_NO_CLOCK] += cpu - blind;
    else if (!clock->kernel && !t->perf_error)
        unseen[UNSEEN_KERNEL] += cpu - blind - (int64_t)counter_get(&t->expiry_ns);
}

void books_close_thread(struct books *b, const struct clock *clock, const struct sampled_thread *t)
{
    add_thread(clock, t, b->closed_lost, b->closed_unseen);
}

void books_fault(struct books *b, uint64_t cpu_ns)
{
    b->cpu_at_fault = cpu_ns > b->cpu_at_start ? cpu_ns : b->cpu_at_start;
    b->own_at_fault = books_own_cpu();
}

void books_balance(const struct books *b, const struct clock *clock, struct books_balance *out)
{
    memset(out, 0, sizeof *out);
    memcpy(out->lost, b->closed_lost, sizeof out->lost);
    memcpy(out->unseen_ns, b->closed_unseen, sizeof out->unseen_ns);
    for (uint32_t i = 0, limit = threads_limit(); i < limit; i++)
        if (atomic_load(&sampled_threads[i].slot) != SLOT_FREE)
            add_thread(clock, &sampled_threads[i], out->lost, out->unseen_ns);
    out->unseen_ns[UNSEEN_AFTER_EXIT] = (int64_t)threads_exit_cpu();
    uint64_t cpu = clock_process_cpu(), own_cpu = books_own_cpu();
    int64_t own = (int64_t)(own_cpu - b->own_at_start);
    if (clock->kind != CLOCK_ITIMER)
        out->unseen_ns[UNSEEN_PROFILER] = own;
    if (b->cpu_at_fault)
        out->unseen_ns[UNSEEN_INTERNAL_FAULT] = (int64_t)(cpu - b->cpu_at_fault);
    if (b->cpu_at_fault && clock->kind != CLOCK_ITIMER) /* which is in the books already */
        out->unseen_ns[UNSEEN_INTERNAL_FAULT] -= (int64_t)(own_cpu - b->own_at_fault);
    /* Single expiries stand for more or less than the thread has used by now, so the difference may be below zero. */
    if (out->unseen_ns[UNSEEN_KERNEL] < 0)
        out->unseen_ns[UNSEEN_KERNEL] = 0;
    out->cpu_ns = (int64_t)(cpu - b->cpu_at_start);
    out->own_cost_ns = own + (int64_t)(b->samples * b->sample_cost_ns);
    out->residual_ns = out->cpu_ns;
    for (int i = 0; i < OUTCOME_COUNT; i++)
        out->residual_ns -= b->outcomes[i].ns;
    for (int i = 0; i < LOSS_COUNT; i++)
        out->residual_ns -= out->lost[i].ns;
    for (int i = 0; i < UNSEEN_COUNT; i++)
        out->residual_ns -= out->unseen_ns[i];
}
