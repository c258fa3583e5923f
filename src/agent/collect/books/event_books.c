#include "agent/collect/books/event_books.h"

#include "agent/record/names/reason.h"
#include "agent/trigger/threads.h"

struct line {
    jfr_write_book *write;
    struct jfr_writer *writer;
    uint64_t now;
};

static void add(struct event_books *b, const struct sampled_thread *t)
{
    struct event_reading r = threads_events(t);
    b->raw.count += r.count;
    b->raw.enabled_ns += r.enabled_ns;
    b->raw.running_ns += r.running_ns;
    b->scaled += event_reading_scaled(&r);
    b->threads++;
}

void event_books_close_thread(struct event_books *b, const struct sampled_thread *t)
{
    add(b, t);
}

static void put(const struct line *l, enum account_id account, const char *reason, struct account a)
{
    if (a.ns || a.count || !*reason)
        l->write(l->writer, l->now, account_name[account], reason, a.ns, a.count);
}

void event_books_write(const struct event_books *b, const struct books_taken *taken, const struct account lost[LOSS_COUNT],
                       struct jfr_writer *w, jfr_write_book *write, uint64_t now)
{
    const struct line l = {write, w, now};
    struct event_books all = *b;
    for (uint32_t i = 0, limit = threads_limit(); i < limit; i++)
        if (atomic_load(&sampled_threads[i].slot) != SLOT_FREE)
            add(&all, &sampled_threads[i]);
    int64_t residual = (int64_t)all.scaled;
    put(&l, ACCOUNT_EVENTS, "", (struct account){(int64_t)all.scaled, all.threads});
    for (int i = 0; i < OUTCOME_COUNT; i++) {
        residual -= taken->outcomes[i].ns;
        if (outcome_has_stack(i))
            put(&l, i == OUTCOME_COMPLETE ? ACCOUNT_EVENTS_COMPLETE : ACCOUNT_EVENTS_TRUNCATED, "", taken->outcomes[i]);
        else
            put(&l, ACCOUNT_EVENTS_FAILED, reason_outcome[i], taken->outcomes[i]);
    }
    for (int i = 0; i < LOSS_COUNT; i++) {
        residual -= lost[i].ns;
        put(&l, ACCOUNT_EVENTS_LOST, reason_loss[i], lost[i]);
    }
    put(&l, ACCOUNT_EVENTS_RESIDUAL, "", (struct account){residual, 0});
    put(&l, ACCOUNT_EVENTS_UNSCALED, "", (struct account){(int64_t)all.raw.count, 0});
    put(&l, ACCOUNT_EVENTS_ENABLED, "", (struct account){(int64_t)all.raw.enabled_ns, 0});
    put(&l, ACCOUNT_EVENTS_RUNNING, "", (struct account){(int64_t)all.raw.running_ns, 0});
}
