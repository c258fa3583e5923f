#include "agent/collect/safepoint/thread_time.h"

#include "agent/hot/context.h"
#include "agent/record/names/reason.h"

#include <string.h>

static const char *const state_names[JFR_STATES] = {
    [JFR_STATE_JAVA] = "runnable",     [JFR_STATE_NATIVE] = "in_native",    [JFR_STATE_BLOCKED] = "blocked",
    [JFR_STATE_MONITOR] = "monitor",   [JFR_STATE_WAITING] = "object_wait", [JFR_STATE_PARKED] = "parked",
    [JFR_STATE_SLEEPING] = "sleeping",
};

static void add(struct account *a, uint64_t ns)
{
    a->ns += (int64_t)ns;
    a->count++;
}

void thread_time_open(struct thread_time *t)
{
    memset(t, 0, sizeof *t);
    t->own_at_start = books_own_cpu();
}

void thread_time_round(struct thread_time *t, uint64_t elapsed_ns, uint32_t alive, uint32_t chosen, uint64_t took_ns)
{
    t->total.ns += (int64_t)(elapsed_ns * alive);
    t->total.count += alive;
    t->not_chosen += alive - chosen;
    add(&t->stopped, took_ns);
}

void thread_time_sample(struct thread_time *t, enum jfr_thread_state state, enum outcome outcome, uint64_t weight_ns)
{
    add(outcome == OUTCOME_NO_JAVA_STACK ? &t->no_stack : &t->states[state], weight_ns);
    t->samples++;
}

void thread_time_miss(struct thread_time *t, enum miss why, uint64_t weight_ns)
{
    add(&t->missed[why], weight_ns);
}

void thread_time_drop(struct thread_time *t, uint64_t weight_ns)
{
    add(&t->dropped, weight_ns);
}

uint64_t thread_time_lost(const struct thread_time *t)
{
    uint64_t lost = t->dropped.count;
    for (int i = 0; i < MISS_COUNT; i++)
        lost += t->missed[i].count;
    return lost;
}

struct book_writer {
    struct jfr_writer *writer;
    uint64_t now;
    jfr_write_book *write;
};

static void write_line(const struct book_writer *b, enum account_id account, const char *reason, struct account a)
{
    if (a.ns || a.count || !*reason)
        b->write(b->writer, b->now, account_name[account], reason, a.ns, a.count);
}

void thread_time_write(const struct thread_time *t, struct jfr_writer *w, uint64_t now, jfr_write_book *write)
{
    struct book_writer b = {w, now, write};
    write_line(&b, ACCOUNT_THREAD_TIME, "", t->total);
    for (int i = 0; i < JFR_STATES; i++)
        if (state_names[i])
            write_line(&b, jfr_state_runs((enum jfr_thread_state)i) ? ACCOUNT_RUNNING : ACCOUNT_WAITING, state_names[i], t->states[i]);
    write_line(&b, ACCOUNT_THREAD_FAILED, reason_outcome[OUTCOME_NO_JAVA_STACK], t->no_stack);
    for (int i = 0; i < MISS_COUNT; i++)
        write_line(&b, ACCOUNT_THREAD_LOST, reason_miss[i], t->missed[i]);
    write_line(&b, ACCOUNT_THREAD_LOST, reason_loss[LOSS_MEMORY], t->dropped);
    write_line(&b, ACCOUNT_NOT_CHOSEN, "", (struct account){0, t->not_chosen});
    for (int i = 0; i < CONTEXT_LOSS_COUNT; i++)
        write_line(&b, ACCOUNT_CONTEXT_LOST, reason_context_loss[i], (struct account){0, atomic_load(&context_lost[i])});
    write_line(&b, ACCOUNT_STOPPED, "", t->stopped);
    write_line(&b, ACCOUNT_THREAD_OWN_COST, "", (struct account){(int64_t)(books_own_cpu() - t->own_at_start), t->samples});
}
