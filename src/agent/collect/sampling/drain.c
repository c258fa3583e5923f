#include "agent/collect/sampling/drain.h"

#include "agent/collect/heal/heal.h"
#include "agent/collect/sampling/parts.h"
#include "agent/collect/sampling/sinks.h"
#include "agent/hot/record.h"
#include "agent/hot/signal/handler.h"
#include "agent/trigger/threads.h"
#include "base/text/units.h"

static struct drain_to to;

static struct {
    uint64_t random, samples;
    uint64_t record[RECORD_WORDS_MAX];
} session;

void drain_begin(const struct drain_to *places)
{
    to = *places;
    session.random = clock_monotonic_ns() | 1;
    session.samples = 0;
}

uint64_t drain_samples(void)
{
    return session.samples;
}

/* Writes jdk.ExecutionSample events, because other tools count events: one per interval of weight, and one for the rest with a proportional
 * probability. They are written before the sample itself. They are the shorter and more regular of two events that begin alike, and this
 * order compresses best. */
static void write_execution_samples(const struct sink *sink, const struct jfr_cpu_sample *s)
{
    uint64_t interval = sink->options.interval_ns, n = s->weight_ns / interval;
    n += handler_random(&session.random) % interval < s->weight_ns % interval;
    while (n--)
        jfr_write_execution_sample(sink->recording.writer, s->ticks, s->thread, s->stack, s->state);
}

/* Writes a sample. The pc, which takes a third of a compressed sample, is written only if there is no stack; otherwise candor.CodeSample
 * contains it. Returns false if the sample was dropped. */
static bool write_sample(struct jfr_writer *w, struct jfr_cpu_sample s, bool with_stack)
{
    uint64_t dropped = jfr_writer_dropped(w);
    if (with_stack)
        s.pc = 0;
    if (clock_counts(to.clock))
        jfr_write_event_sample(w, &s);
    else
        jfr_write_cpu_sample(w, &s);
    return jfr_writer_dropped(w) == dropped;
}

static void put_sample(struct sink *sink, struct jfr_cpu_sample s, enum outcome outcome, uint32_t compilation)
{
    uint64_t whole = s.weight_ns;
    s.weight_ns = sink_weigh(sink, whole);
    if (whole && !s.weight_ns) /* a sample without weight is not a part of anything, and stays */
        return;
    write_execution_samples(sink, &s);
    if (!write_sample(sink->recording.writer, s, outcome_has_stack(outcome))) {
        books_drop(&sink->taken, s.weight_ns);
        return;
    }
    books_take(&sink->taken, outcome, s.weight_ns);
    snapshots_sample(&sink->snapshots, &s, compilation);
}

static void take_record(const struct sampled_thread *t, uint64_t *record, size_t words)
{
    uint64_t last = record[words - 1];
    enum outcome outcome = (enum outcome)record_outcome(last);
    size_t virtual_words = record_virtual_words(last), context_words = record_context_words(last);
    size_t frames = words - RECORD_HEAD - 1 - virtual_words - context_words;
    const uint64_t *tail = record + RECORD_HEAD + frames;
    struct names *names = &to.recording->names;
    struct jfr_cpu_sample s = {.ticks = record[0],
                               .thread = names_thread_id(t),
                               .weight_ns = record[1],
                               .pc = record[2],
                               .state = (enum jfr_thread_state)(record[3] & 0xff),
                               .outcome = to.outcome_symbols[outcome],
                               .context = names_context(names, tail + virtual_words, context_words),
                               .window = lot_window_number(record_window(record[3])),
                               .chance = lot_window_percent(record_window(record[3]))};
    if (virtual_words) {
        s.carrier = s.thread;
        s.thread = names_virtual_thread(names, tail, virtual_words);
    }
    if (!clock_counts(to.clock))
        heal_sample(record + RECORD_HEAD, outcome_has_stack(outcome) ? frames : 0, s.ticks, s.weight_ns);
    if (outcome_has_stack(outcome))
        s.stack = names_stack(names, record + RECORD_HEAD, frames, (enum thread_role)atomic_load(&t->role), outcome == OUTCOME_TRUNCATED);
    else
        s.stack = names_failed_stack(names, outcome, s.pc);
    session.samples++;
    to.books->samples++;
    EACH_SINK(sink)
    if (sink_has_cpu(sink))
        put_sample(sink, s, outcome, (uint32_t)(record[3] >> RECORD_COMPILATION_SHIFT));
}

static void drain_thread(struct sampled_thread *t, bool shrink)
{
    size_t words;
    bool named = false;
    while ((words = candor_queue_read(&t->queue, session.record, RECORD_WORDS_MAX)) > 0) {
        if (!named) {
            threads_settle_name(t);
            names_thread(&to.recording->names, t);
        }
        named = true;
        if (!parts_take(t, session.record, words))
            take_record(t, session.record, words);
        to.patience->news++;
    }
    if (shrink)
        candor_queue_shrink(&t->queue);
    parts_drain(t, shrink);
}

static uint64_t cpu_of(const struct sampled_thread *t)
{
    return threads_cpu(t) + t->clock.cpu_at_arming - t->clock.cpu_at_start;
}

static void close_thread(struct sampled_thread *t)
{
    drain_thread(t, false);
    names_thread(&to.recording->names, t);
    jfr_write_thread_cpu(to.recording->writer, clock_monotonic_ns(), names_thread_id(t), cpu_of(t), counter_get(&t->counts.samples));
    books_close_thread(to.books, to.clock, t);
    if (clock_counts(to.clock))
        event_books_close_thread(to.event_books, t);
    parts_close_thread(t);
    threads_release(t);
    to.patience->news++;
}

void drain_threads(bool shrink)
{
    for (uint32_t i = 0, limit = threads_limit(); i < limit; i++) {
        struct sampled_thread *t = &sampled_threads[i];
        uint32_t slot = atomic_load(&t->slot);
        if (slot == SLOT_ENDED)
            close_thread(t);
        else if (slot == SLOT_LIVE)
            drain_thread(t, shrink);
    }
}

static void write_live(void (*write)(struct jfr_writer *, uint64_t, uint32_t, uint64_t, uint64_t), uint64_t now)
{
    for (uint32_t i = 0, limit = threads_limit(); i < limit; i++) {
        struct sampled_thread *t = &sampled_threads[i];
        if (atomic_load(&t->slot) != SLOT_LIVE)
            continue;
        names_thread(&to.recording->names, t);
        write(to.recording->writer, now, names_thread_id(t), cpu_of(t), counter_get(&t->counts.samples));
    }
}

void drain_write_bases(uint64_t now)
{
    write_live(jfr_write_thread_base, now);
}

void drain_write_threads(uint64_t now)
{
    write_live(jfr_write_thread_cpu, now);
}
