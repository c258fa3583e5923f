#include "agent/collect/sampling/accounts.h"

#include "agent/collect/heal/heal.h"
#include "agent/collect/sampling/parts.h"
#include "agent/collect/session/internal_fault.h"
#include "agent/hot/context.h"
#include "agent/record/names/reason.h"
#include "base/text/units.h"

static struct accounts_of of;

static struct {
    uint32_t told_unseen;                   /* a bit for each account that was written: it is written again when it falls to nothing */
    int64_t written_cpu_ns, flushed_cpu_ns; /* the process's CPU time in the last books, and in the last that were flushed */
} session;

void accounts_begin(const struct accounts_of *them)
{
    of = *them;
    session.told_unseen = 0;
    session.written_cpu_ns = session.flushed_cpu_ns = 0;
}

static void write_account(jfr_write_book *write, uint64_t now, enum account_id account, const char *reason, struct account a)
{
    if (a.ns || a.count || !*reason)
        write(of.recording->writer, now, account_name[account], reason, a.ns, a.count);
}

static void write_cpu_accounts(jfr_write_book *write, uint64_t now, const struct books_balance *balance)
{
    struct books_balance b = *balance;
    write_account(write, now, ACCOUNT_CPU, "", (struct account){b.cpu_ns, 0});
    for (int i = 0; i < OUTCOME_COUNT; i++) {
        if (outcome_has_stack(i))
            write_account(write, now, i == OUTCOME_COMPLETE ? ACCOUNT_COMPLETE : ACCOUNT_TRUNCATED, "", of.books->outcomes[i]);
        else
            write_account(write, now, ACCOUNT_FAILED, reason_outcome[i], of.books->outcomes[i]);
    }
    for (int i = 0; i < LOSS_COUNT; i++)
        write_account(write, now, ACCOUNT_LOST, reason_loss[i], b.lost[i]);
    for (int i = 0; i < UNSEEN_COUNT; i++) {
        session.told_unseen |= (b.unseen_ns[i] != 0) << i;
        if (session.told_unseen >> i & 1)
            write(of.recording->writer, now, account_name[ACCOUNT_UNSEEN], reason_unseen[i], b.unseen_ns[i], 0);
    }
    write_account(write, now, ACCOUNT_RESIDUAL, "", (struct account){b.residual_ns, 0});
    for (int i = 0; i < SUPPRESSION_COUNT; i++)
        write_account(write, now, ACCOUNT_SUPPRESSED, reason_suppression[i], b.suppressed[i]);
}

/* Returns the process's CPU time in them. */
static int64_t write_accounts(jfr_write_book *write)
{
    struct books_balance b;
    uint64_t now = clock_monotonic_ns();
    books_balance(of.books, of.clock, &b);
    if (clock_counts(of.clock))
        event_books_write(of.event_books, of.books, b.lost, of.recording->writer, write, now);
    else
        write_cpu_accounts(write, now, &b);
    for (int i = CAPTURE_GONE; i < CAPTURES; i++)
        write_account(write, now, ACCOUNT_UNCAPTURED, capture_names[i], of.snapshots->uncaptured[i]);
    write_account(write, now, ACCOUNT_OWN_COST, "", (struct account){b.own_cost_ns, of.books->samples});
    if (clock_is_perf(of.clock))
        write_account(write, now, ACCOUNT_SWITCHES, "", (struct account){.count = b.switches});
    return b.cpu_ns;
}

/* Beside the other accounts: how many samples have less of a context than their threads had. */
static void write_context_books(jfr_write_book *write)
{
    uint64_t now = clock_monotonic_ns();
    for (int i = 0; i < CONTEXT_LOSS_COUNT; i++) {
        struct account lost = {.count = atomic_load(&context_lost[i])};
        write_account(write, now, ACCOUNT_CONTEXT_LOST, reason_context_loss[i], lost);
    }
}

void accounts_write(void)
{
    write_context_books(jfr_write_book_line);
    if (of.cpu)
        session.written_cpu_ns = write_accounts(jfr_write_book_line);
    heal_write_books(jfr_write_book_line, clock_monotonic_ns());
    parts_write_books(jfr_write_book_line, clock_monotonic_ns());
}

void accounts_write_bases(uint64_t now)
{
    write_context_books(jfr_write_book_base);
    if (of.cpu)
        write_accounts(jfr_write_book_base);
    heal_write_books(jfr_write_book_base, now);
    parts_write_books(jfr_write_book_base, now);
}

void accounts_flushed(void)
{
    session.flushed_cpu_ns = session.written_cpu_ns;
}

void accounts_write_last_words(void *unused)
{
    char text[INTERNAL_FAULT_TEXT_MAX];
    int64_t cpu = (int64_t)(clock_process_cpu() - of.books->cpu_at_start);
    uint64_t now = clock_monotonic_ns(), bytes;
    struct error e;
    internal_fault_describe(text, sizeof text);
    if (recording_reopen(of.recording, &e))
        return;
    jfr_write_log(of.recording->writer, now, "error", text);
    write_account(jfr_write_book_line, now, ACCOUNT_CPU, "", (struct account){cpu, 0});
    write_account(jfr_write_book_line, now, ACCOUNT_UNSEEN, reason_unseen[UNSEEN_INTERNAL_FAULT],
                  (struct account){cpu - session.flushed_cpu_ns, 0});
    recording_close(of.recording, &bytes, &e);
}
