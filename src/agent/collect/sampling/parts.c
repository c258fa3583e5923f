#include "agent/collect/sampling/parts.h"

#include "agent/collect/part.h"
#include "agent/hot/record.h"
#include "agent/trigger/hooks/claims.h"
#include "agent/trigger/threads.h"

#include <stddef.h>
#include <string.h>

/* The order in which events start, and in which all other functions call them. They end and are released in the opposite order.
 *
 *   live before alloc  because the first sampled allocation already brings a reference
 *   lock after the events whose start may fail, because only its end undoes a start of lock
 *   wall last          because the time that it divides begins when all others run; at its end it waits for threads that it
 *                      has asked, and the others record meanwhile */
#define PART_ROWS(PART, OF)                                                                                                                \
    PART(LIVE, live_part, OF(live))                                                                                                        \
    PART(ALLOC, alloc_part, OF(alloc))                                                                                                     \
    PART(HALT, halt_part, NO_OPTIONS)                                                                                                      \
    PART(LOCK, lock_part, OF(lock))                                                                                                        \
    PART(WALL, wall_part, OF(wall))

#define DECLARATION(event, its_part, options) extern const struct part its_part;
#define ROW(event, its_part, options)         {COLLECT_##event, options, &(its_part)},
#define OPTIONS_AT(member)                    offsetof(struct collect_options, member), sizeof(((struct collect_options *)0)->member)
#define NO_OPTIONS                            0, 0

PART_ROWS(DECLARATION, OPTIONS_AT)

static const struct row {
    enum collect_event event;
    size_t options, size; /* the place of the event's own options in struct collect_options */
    const struct part *part;
} rows[] = {PART_ROWS(ROW, OPTIONS_AT)};

enum { ROWS = sizeof rows / sizeof *rows };
#define EACH(row)           for (const struct row *row = rows; row < rows + ROWS; row++)
#define EACH_BACKWARDS(row) for (const struct row *row = rows + ROWS; row-- > rows;)

static struct parts_on on;
static unsigned reserved, started; /* bits of events */

void parts_begin(const struct parts_on *them)
{
    on = *them;
    reserved = started = 0;
}

static bool is_recorded(const struct row *row)
{
    return on.options->events & row->event;
}

static bool runs(const struct row *row)
{
    return started & row->event;
}

static bool runs_for(const struct row *row, const struct sink *s)
{
    return started & s->options.events & row->event;
}

static const void *options_of(const struct row *row)
{
    return (const char *)on.options + row->options;
}

/* Reserves what a part needs. The part is noted first, because a part that fails in the middle must be released, too. */
static int reserve(const struct row *row, struct error *e)
{
    bool has_been = reserved & row->event;
    reserved |= row->event;
    return has_been || !row->part->reserve ? 0 : row->part->reserve(options_of(row), e);
}

static void release(const struct row *row)
{
    if (reserved & row->event && row->part->release)
        row->part->release();
    reserved &= ~row->event;
}

int parts_reserve(struct error *e)
{
    int rc = 0;
    EACH (row)
        if (!rc && is_recorded(row))
            rc = reserve(row, e);
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

static int start(const struct row *row, struct error *e)
{
    const struct part_of of = {on.recording, on.outcome_symbols, options_of(row)};
    int rc = row->part->start(&of, e);
    if (!rc)
        started |= row->event;
    return rc;
}

static int join(const struct row *row, const struct sink *s, struct error *e)
{
    const struct part_sink sink = {s->place, s->recording.writer, (const char *)&s->options + row->options, sink_has_cpu(s)};
    return row->part->join ? row->part->join(&sink, e) : 0;
}

int parts_start(const struct sink *first, struct error *e)
{
    EACH (row) {
        int rc = is_recorded(row) ? start(row, e) : 0;
        if (!rc && is_recorded(row))
            rc = join(row, first, e);
        if (rc)
            return rc;
    }
    return 0;
}

/* ---- recordings come and go ---- */

/* Starts a part when the threads are already armed. */
static int start_late(const struct row *row, const struct sink *s, struct error *e)
{
    memcpy((char *)on.options + row->options, (const char *)&s->options + row->options, row->size);
    int rc = reserve(row, e);
    if (rc)
        return rc;
    threads_open_lanes();
    if (row->part->claim) {
        claims_open(NULL);
        claims_look();
    }
    return start(row, e);
}

/* Ends a part while other recordings go on. Its lanes stay for the next start, because a thread may be inside. */
static void end_early(const struct row *row, void (*drain)(void))
{
    if (row->part->end)
        row->part->end(drain);
    drain();
    if (row->part->finish)
        row->part->finish();
}

static void stop_early(const struct row *row)
{
    if (row->part->close)
        row->part->close();
    started &= ~row->event;
    on.options->events &= ~row->event;
    if (row->part->silence)
        row->part->silence();
    if (!row->part->has_lanes)
        release(row);
}

/* Undoes a start or a join that failed. */
static void give_back(const struct row *row, const struct sink *s)
{
    if (row->part->leave)
        row->part->leave(s->place);
    if (!(on.options->events & row->event))
        stop_early(row);
}

int parts_join(const struct sink *s, struct error *e)
{
    unsigned done = 0, further = s->options.events & ~on.options->events;
    int rc = 0;
    EACH (row) {
        if (rc || !(s->options.events & row->event))
            continue;
        done |= row->event;
        rc = started & row->event ? 0 : start_late(row, s, e);
        rc = rc ? rc : join(row, s, e);
    }
    EACH_BACKWARDS(row)
    if (rc && done & row->event)
        give_back(row, s);
    if (!rc)
        on.options->events |= further;
    return rc;
}

static bool is_last(const struct row *row, const struct sink *s)
{
    unsigned others = 0;
    EACH_SINK(other)
    others |= other == s ? 0 : other->options.events;
    return runs_for(row, s) && !(others & row->event) && row->event != COLLECT_LIVE;
}

void parts_end_for(const struct sink *s, void (*drain)(void))
{
    EACH_BACKWARDS(row)
    if (is_last(row, s))
        end_early(row, drain);
}

void parts_leave(const struct sink *s)
{
    EACH_BACKWARDS(row)
    {
        if (runs_for(row, s) && row->part->leave)
            row->part->leave(s->place);
        if (is_last(row, s))
            stop_early(row);
    }
}

void parts_describe(const struct sink *s)
{
    EACH (row)
        if (runs_for(row, s) && row->part->describe)
            row->part->describe(s->place);
}

bool parts_take(const struct sampled_thread *t, uint64_t *record, size_t words)
{
    EACH (row)
        if (runs(row) && row->part->take && row->part->take(t, record, words))
            return true;
    return record[words - 1] & RECORD_OF_WALL; /* an answer to the event wall, for which no part waits any more */
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

void parts_write_books(const struct sink *s, jfr_write_book *write, uint64_t now)
{
    EACH (row)
        if (runs_for(row, s) && row->part->write_books)
            row->part->write_books(s->place, write, now);
}

void parts_count(const struct sink *s, uint64_t *samples, uint64_t *lost)
{
    *samples = *lost = 0;
    EACH (row) {
        uint64_t of_samples = 0, of_lost = 0;
        if (runs_for(row, s) && row->part->count)
            row->part->count(s->place, &of_samples, &of_lost);
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

void parts_sum_up(const struct sink *s, uint64_t stopped_ns)
{
    EACH (row)
        if (runs_for(row, s) && row->part->sum_up)
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

/* Silences the parts of all events, because the agent may have faulted before a recording had begun. */
void parts_silence(void)
{
    EACH_BACKWARDS(row)
    if (row->part->silence)
        row->part->silence();
}

void parts_release(void)
{
    EACH_BACKWARDS(row)
    release(row);
    started = 0;
}
