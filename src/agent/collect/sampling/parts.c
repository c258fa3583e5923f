#include "agent/collect/sampling/parts.h"

#include "agent/collect/part.h"

#include <stddef.h>

/* The events start in this order, and do all else in it; they end and are released in the opposite order.
 *
 *   live before alloc  the first allocation that is sampled brings a reference already
 *   lock after those that may refuse to start: a start of lock is undone by its end alone
 *   wall last          the time that it divides begins when all others run; at the end it waits for the threads that it has asked, and
 *                      the others record meanwhile */
#define PART_ROWS(PART, OF)                                                                                                                \
    PART(LIVE, live_part, OF(live))                                                                                                        \
    PART(ALLOC, alloc_part, OF(alloc))                                                                                                     \
    PART(HALT, halt_part, 0)                                                                                                               \
    PART(LOCK, lock_part, OF(lock))                                                                                                        \
    PART(WALL, wall_part, OF(wall))

#define DECLARATION(event, its_part, options) extern const struct part its_part;
#define ROW(event, its_part, options)         {COLLECT_##event, options, &(its_part)},
#define OPTIONS_AT(member)                    offsetof(struct collect_options, member)

PART_ROWS(DECLARATION, OPTIONS_AT)

static const struct row {
    enum collect_event event;
    size_t options; /* where the event's own are in struct collect_options */
    const struct part *part;
} rows[] = {PART_ROWS(ROW, OPTIONS_AT)};

enum { ROWS = sizeof rows / sizeof *rows };
#define EACH(row)           for (const struct row *row = rows; row < rows + ROWS; row++)
#define EACH_BACKWARDS(row) for (const struct row *row = rows + ROWS; row-- > rows;)

static struct parts_on on;
static unsigned started; /* events */

void parts_begin(const struct parts_on *them)
{
    on = *them;
    started = 0;
}

static bool is_recorded(const struct row *row)
{
    return on.options->events & row->event;
}

static bool runs(const struct row *row)
{
    return started & row->event;
}

static const void *options_of(const struct row *row)
{
    return (const char *)on.options + row->options;
}

int parts_reserve(struct error *e)
{
    int rc = 0;
    EACH (row)
        if (!rc && is_recorded(row) && row->part->reserve)
            rc = row->part->reserve(options_of(row), e);
    return rc;
}

bool parts_use_signals(void)
{
    EACH (row)
        if (is_recorded(row) && row->part->claim)
            return true;
    return false;
}

int parts_claim(struct error *e)
{
    int rc = 0;
    EACH (row)
        if (!rc && is_recorded(row) && row->part->claim)
            rc = row->part->claim(e);
    return rc;
}

bool parts_signal_is_taken(void)
{
    bool is_taken = false;
    EACH (row)
        if (runs(row) && row->part->is_taken)
            is_taken |= row->part->is_taken();
    return is_taken;
}

int parts_start(struct error *e)
{
    EACH (row) {
        const struct part_of of = {on.recording, on.outcome_symbols, options_of(row)};
        int rc = is_recorded(row) ? row->part->start(&of, e) : 0;
        if (rc)
            return rc;
        started |= on.options->events & row->event;
    }
    return 0;
}

void parts_describe(void)
{
    EACH (row)
        if (runs(row) && row->part->describe)
            row->part->describe();
}

bool parts_take(const struct sampled_thread *t, uint64_t *record, size_t words)
{
    EACH (row)
        if (runs(row) && row->part->take && row->part->take(t, record, words))
            return true;
    return false;
}

void parts_drain(const struct sampled_thread *t, bool shrink)
{
    EACH (row)
        if (runs(row) && row->part->drain)
            row->part->drain(t, shrink);
}

void parts_close_thread(const struct sampled_thread *t)
{
    EACH (row)
        if (runs(row) && row->part->close_thread)
            row->part->close_thread(t);
}

void parts_tick(uint64_t now)
{
    EACH (row)
        if (runs(row) && row->part->tick)
            row->part->tick(now);
}

bool parts_are_polled(void)
{
    EACH (row)
        if (runs(row) && row->part->is_polled)
            return true;
    return false;
}

uint64_t parts_due_ns(void)
{
    uint64_t earliest = UINT64_MAX;
    EACH (row) {
        uint64_t due = runs(row) && row->part->due_ns ? row->part->due_ns() : UINT64_MAX;
        earliest = due < earliest ? due : earliest;
    }
    return earliest;
}

void parts_write_books(jfr_write_book *write, uint64_t now)
{
    EACH (row)
        if (runs(row) && row->part->write_books)
            row->part->write_books(write, now);
}

void parts_count(uint64_t *samples, uint64_t *lost)
{
    *samples = *lost = 0;
    EACH (row) {
        uint64_t of_samples = 0, of_lost = 0;
        if (runs(row) && row->part->count)
            row->part->count(&of_samples, &of_lost);
        *samples += of_samples;
        *lost += of_lost;
    }
}

uint64_t parts_cost_ns(void)
{
    uint64_t ns = 0;
    EACH (row)
        if (runs(row) && row->part->cost_ns)
            ns += row->part->cost_ns();
    return ns;
}

void parts_sum_up(uint64_t stopped_ns)
{
    EACH (row)
        if (runs(row) && row->part->sum_up)
            row->part->sum_up(stopped_ns);
}

void parts_end(void (*drain)(void))
{
    EACH_BACKWARDS(row)
    if (runs(row) && row->part->end)
        row->part->end(drain);
}

void parts_finish(void)
{
    EACH_BACKWARDS(row)
    if (runs(row) && row->part->finish)
        row->part->finish();
}

/* Of all events: the agent may have faulted where no recording had begun. */
void parts_silence(void)
{
    EACH_BACKWARDS(row)
    if (row->part->silence)
        row->part->silence();
}

void parts_release(void)
{
    EACH_BACKWARDS(row)
    if (is_recorded(row) && row->part->release)
        row->part->release();
    started = 0;
}
