#include "agent/collect/sampling/accounts.h"

#include "agent/collect/heal/heal.h"
#include "agent/collect/sampling/parts.h"
#include "agent/collect/session/internal_fault.h"
#include "agent/hot/context.h"
#include "agent/record/names/reason.h"
#include "base/text/units.h"

static struct accounts_of of;

void accounts_begin(const struct accounts_of *them)
{
    of = *them;
}

/* The destination of lines. The whole recording's writer is aimed at the sink meanwhile. */
struct lines {
    jfr_write_book *write;
    struct sink *sink;
    uint64_t now;
};

static void write_account(const struct lines *l, enum account_id account, const char *reason, struct account a)
{
    if (a.ns || a.count || !*reason)
        l->write(of.whole->writer, l->now, account_name[account], reason, a.ns, a.count);
}

static void write_outcomes(const struct lines *l)
{
    for (int i = 0; i < OUTCOME_COUNT; i++) {
        const struct account *taken = &l->sink->taken.outcomes[i];
        if (outcome_has_stack(i))
            write_account(l, i == OUTCOME_COMPLETE ? ACCOUNT_COMPLETE : ACCOUNT_TRUNCATED, "", *taken);
        else
            write_account(l, ACCOUNT_FAILED, reason_outcome[i], *taken);
    }
}

static void write_cpu_accounts(const struct lines *l, const struct books_balance *b)
{
    write_account(l, ACCOUNT_CPU, "", (struct account){b->cpu_ns, 0});
    write_outcomes(l);
    for (int i = 0; i < LOSS_COUNT; i++)
        write_account(l, ACCOUNT_LOST, reason_loss[i], b->lost[i]);
    for (int i = 0; i < UNSEEN_COUNT; i++) {
        l->sink->told_unseen |= (b->unseen_ns[i] != 0) << i;
        if (l->sink->told_unseen >> i & 1)
            l->write(of.whole->writer, l->now, account_name[ACCOUNT_UNSEEN], reason_unseen[i], b->unseen_ns[i], 0);
    }
    write_account(l, ACCOUNT_RESIDUAL, "", (struct account){b->residual_ns, 0});
    for (int i = 0; i < SUPPRESSION_COUNT; i++)
        write_account(l, ACCOUNT_SUPPRESSED, reason_suppression[i], b->suppressed[i]);
}

/* Writes the accounts of CPU time. Returns the process's CPU time in them. */
static int64_t write_accounts(const struct lines *l)
{
    struct books_balance b;
    struct sink *s = l->sink;
    const struct clock clock = sink_clock(s);
    books_balance(of.books, &s->taken, &clock, &b);
    if (clock_counts(&clock))
        event_books_write(of.event_books, &s->taken, b.lost, of.whole->writer, l->write, l->now);
    else
        write_cpu_accounts(l, &b);
    for (int i = CAPTURE_GONE; i < CAPTURES; i++)
        write_account(l, ACCOUNT_UNCAPTURED, capture_names[i], s->snapshots.uncaptured[i]);
    write_account(l, ACCOUNT_OWN_COST, "", (struct account){b.own_cost_ns, of.books->samples});
    if (clock_is_perf(&clock))
        write_account(l, ACCOUNT_SWITCHES, "", (struct account){.count = b.switches});
    return b.cpu_ns;
}

/* Writes how many samples contain less of a context than their threads had. */
static void write_context_books(const struct lines *l)
{
    for (int i = 0; i < CONTEXT_LOSS_COUNT; i++) {
        struct account lost = {.count = atomic_load(&context_lost[i])};
        write_account(l, ACCOUNT_CONTEXT_LOST, reason_context_loss[i], lost);
    }
}

/* Writes all books of the sink. Returns the process's CPU time in them. */
static int64_t write_all(struct sink *s, jfr_write_book *write)
{
    const struct lines l = {write, s, clock_monotonic_ns()};
    int64_t cpu = 0;
    sinks_aim(s);
    write_context_books(&l);
    if (sink_has_cpu(s))
        cpu = write_accounts(&l);
    heal_write_books(write, l.now);
    parts_write_books(s, write, l.now);
    sinks_aim(NULL);
    return cpu;
}

void accounts_write(struct sink *s)
{
    s->written_cpu_ns = write_all(s, jfr_write_book_line);
}

void accounts_write_bases(struct sink *s)
{
    write_all(s, jfr_write_book_base);
}

void accounts_flushed(struct sink *s)
{
    s->flushed_cpu_ns = s->written_cpu_ns;
}

static void end_at_fault(struct sink *s, const char *text)
{
    const struct lines l = {jfr_write_book_line, s, clock_monotonic_ns()};
    int64_t cpu = (int64_t)(clock_process_cpu() - of.books->cpu_at_start);
    uint64_t bytes;
    struct error e;
    if (recording_reopen(&s->recording, &e))
        return;
    sinks_aim(s);
    jfr_write_log(of.whole->writer, l.now, "error", text);
    write_account(&l, ACCOUNT_CPU, "", (struct account){cpu, 0});
    write_account(&l, ACCOUNT_UNSEEN, reason_unseen[UNSEEN_INTERNAL_FAULT], (struct account){cpu - s->flushed_cpu_ns, 0});
    recording_close(&s->recording, &bytes, &e);
}

void accounts_write_last_words(void *unused)
{
    char text[INTERNAL_FAULT_TEXT_MAX];
    internal_fault_describe(text, sizeof text);
    EACH_SINK(s)
    end_at_fault(s, text);
}
