#include "agent/collect/alloc/allocations.h"

#include "agent/collect/alloc/alloc_pace.h"
#include "agent/collect/books/books.h"
#include "agent/collect/live/live.h"
#include "agent/hot/calls/alloc.h"
#include "agent/hot/layout.h"
#include "agent/record/names/class_name.h"
#include "agent/record/names/reason.h"
#include "agent/trigger/jvm/alloc_events.h"
#include "base/text/units.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Since this version a JVM samples objects outside a thread's buffer in the same way as those inside (JDK-8356372). */
enum { FAIR_TO_MIXED_SIZES = 25 };

/* Every struct account here counts bytes, although its member is called ns. */
static struct {
    struct alloc_options options;
    struct recording *recording;
    struct alloc_pace pace;
    uint64_t longest_interval;
    uint64_t ticked_ns;
    struct account taken; /* in the recording */
    struct account counted,
        weighed; /* for samples with a JVM's count: the bytes that the JVM counted before each sample, and the samples' weights */
    uint32_t outcome_symbols[OUTCOME_COUNT];
    uint64_t record[ALLOC_WORDS_MAX + 1]; /* names_stack may add a frame */
} session;

/* ---- records ---- */

static uint32_t stack_of(const struct sampled_thread *t, enum outcome outcome, uint64_t *frames, size_t count)
{
    struct names *n = &session.recording->names;
    if (outcome_has_stack(outcome))
        return names_stack(n, frames, count, (enum thread_role)atomic_load(&t->role), outcome == OUTCOME_TRUNCATED);
    uint64_t frame = frame_java(JFR_FRAME_FAILED, names_pseudo(n, reason_outcome[outcome], ""), 0);
    return stacks_add(&n->stacks, &frame, 1) << 1;
}

static void book(const struct jfr_allocation_sample *s)
{
    session.taken.ns += (int64_t)s->weight;
    session.taken.count++;
    if (!s->counted)
        return;
    session.counted.ns += (int64_t)s->counted;
    session.weighed.ns += (int64_t)s->weight;
    session.counted.count++;
    session.weighed.count++;
}

static void take_record(const struct sampled_thread *t, uint64_t *record, size_t words)
{
    uint64_t tail = record[words - 1];
    enum outcome outcome = (enum outcome)record_outcome(tail);
    size_t virtual_words = tail >> 32 & 0xffff, class_words = tail >> 48, context_words = record_context_words(tail);
    size_t frames = words - ALLOC_HEAD - class_words - virtual_words - context_words - 1;
    uint64_t *class_name = record + ALLOC_HEAD + frames;
    uint64_t copy[RECORD_VIRTUAL_MAX + CONTEXT_WORDS_MAX];
    const struct live_words more = {virtual_words, context_words, copy};
    struct names *names = &session.recording->names;
    struct jfr_writer *w = session.recording->writer;
    struct jfr_allocation_sample s = {.ticks = record[0],
                                      .thread = names_thread_id(t),
                                      .class_name = class_name_symbol(&names->strings, class_name, class_words),
                                      .weight = alloc_weight(record[1], record[2]),
                                      .size = record[1],
                                      .interval = record[2],
                                      .counted = record[3],
                                      .outcome = session.outcome_symbols[outcome],
                                      .context = names_context(names, class_name + class_words + virtual_words, context_words)};
    if (virtual_words) {
        s.carrier = s.thread;
        s.thread = names_virtual_thread(names, class_name + class_words, virtual_words);
    }
    memcpy(copy, class_name + class_words, (virtual_words + context_words) * sizeof *copy);
    s.stack = stack_of(t, outcome, record + ALLOC_HEAD, frames); /* last, because it writes after the frames */
    uint64_t dropped = jfr_writer_dropped(w);
    jfr_write_allocation_sample(w, &s);
    if (jfr_writer_dropped(w) != dropped)
        alloc_lose(ALLOCATION_LOSS_MEMORY, s.weight);
    else
        book(&s);
    live_take(&s, record[4], (uint32_t)record[5], &more);
}

static void drain(const struct sampled_thread *t, bool shrink)
{
    struct alloc_lane *lane = lane_of(&alloc_lanes, t);
    size_t words;
    bool named = false;
    if (!lane)
        return;
    while ((words = candor_queue_read(&lane->lane.queue, session.record, ALLOC_WORDS_MAX)) > 0) {
        if (!named)
            names_thread(&session.recording->names, t);
        named = true;
        take_record(t, session.record, words);
    }
    if (shrink)
        candor_queue_shrink(&lane->lane.queue);
}

/* ---- rate ---- */

static uint64_t rate(void)
{
    return session.options.rate ? session.options.rate : ALLOCATIONS_RATE_DEFAULT;
}

static void refill(uint64_t now)
{
    int64_t left = atomic_load(&alloc_config.tokens);
    atomic_store(&alloc_config.tokens, alloc_pace_tokens(rate(), left, now - session.ticked_ns));
}

/* Adapts the sampling interval. It uses the samples that were drawn until now, not those that were read from the queues, because some of
 * the latter are old. */
static void tick(uint64_t began_ns)
{
    if (session.options.interval)
        return;
    uint64_t before = session.pace.interval, now = clock_monotonic_ns();
    uint64_t interval = alloc_pace_next(&session.pace, now, atomic_load(&alloc_config.drawn_bytes), atomic_load(&alloc_config.drawn));
    refill(now);
    session.ticked_ns = now;
    if (interval == before)
        return;
    if (!alloc_events.set_interval(interval)) {
        session.pace.interval = before;
        return;
    }
    atomic_store(&alloc_config.interval, interval);
    if (interval > session.longest_interval)
        session.longest_interval = interval;
}

/* ---- books ---- */

static void put(jfr_write_book *write, uint64_t now, enum account_id account, const char *reason, struct account a)
{
    write(session.recording->writer, now, account_name[account], reason, a.ns, a.count);
}

static void write_books(uint32_t sink, jfr_write_book *write, uint64_t now)
{
    put(write, now, ACCOUNT_ALLOC_BYTES, "", session.taken);
    put(write, now, ACCOUNT_ALLOC_COUNTED, "", session.counted);
    put(write, now, ACCOUNT_ALLOC_WEIGHED, "", session.weighed);
    put(write, now, ACCOUNT_ALLOC_LONGEST, "", (struct account){.ns = (int64_t)session.longest_interval});
    for (int i = 0; i < ALLOCATION_LOSS_COUNT; i++) {
        struct account lost = {.ns = (int64_t)atomic_load(&alloc_config.lost_bytes[i]), .count = atomic_load(&alloc_config.lost[i])};
        if (lost.count)
            put(write, now, ACCOUNT_ALLOC_LOST, reason_allocation_loss[i], lost);
    }
}

static void count(uint32_t sink, uint64_t *samples, uint64_t *lost)
{
    *samples = session.taken.count;
    for (int i = 0; i < ALLOCATION_LOSS_COUNT; i++)
        *lost += atomic_load(&alloc_config.lost[i]);
}

/* ---- life ---- */

static void describe(uint32_t sink)
{
    char text[32];
    struct jfr_writer *w = session.recording->writer;
    uint64_t now = clock_monotonic_ns();
    jfr_write_setting(w, now, "alloc_mixed_sizes", vm_layout.java_version < FAIR_TO_MIXED_SIZES ? "biased" : "fair");
    jfr_write_active_setting(w, now, "jdk.ObjectAllocationSample", "enabled", "true");
    snprintf(text, sizeof text, "%llu", (unsigned long long)session.options.interval);
    if (session.options.interval) {
        jfr_write_setting(w, now, "alloc_interval", text);
        return;
    }
    snprintf(text, sizeof text, "%llu/s", (unsigned long long)rate());
    jfr_write_setting(w, now, "alloc_rate", text);
    jfr_write_active_setting(w, now, "jdk.ObjectAllocationSample", "throttle", text);
}

static int reserve(const void *options, struct error *e)
{
    return lane_table_init(&alloc_lanes) ? error_set(e, -ENOMEM, "not enough address space for the allocations' queues") : 0;
}

static void begin(const struct alloc_options *options, struct recording *r)
{
    uint64_t now = clock_monotonic_ns();
    memset(&session, 0, sizeof session);
    session.options = *options;
    session.recording = r;
    session.ticked_ns = now;
    for (int i = 0; i < OUTCOME_COUNT; i++)
        session.outcome_symbols[i] = strtab_add_text(&r->names.strings, reason_outcome[i]);
    alloc_pace_begin(&session.pace, rate(), options->interval ? options->interval : ALLOC_INTERVAL_JVM, now);
    for (int i = 0; i < ALLOCATION_LOSS_COUNT; i++) {
        atomic_store(&alloc_config.lost[i], 0);
        atomic_store(&alloc_config.lost_bytes[i], 0);
    }
    atomic_store(&alloc_config.drawn, 0);
    atomic_store(&alloc_config.drawn_bytes, 0);
    session.longest_interval = session.pace.interval;
    alloc_config.is_bounded = !options->interval;
    atomic_store(&alloc_config.tokens, alloc_pace_tokens(rate(), INT32_MAX, 0));
    atomic_store(&alloc_config.interval, session.pace.interval);
    alloc_config.beginning++;
}

static void silence(void)
{
    atomic_store(&alloc_config.on, false);
}

static int start(const struct part_of *of, struct error *e)
{
    if (!alloc_events.open)
        return error_set(e, -ENOTSUP, "event=alloc: there is no JVM here");
    begin(of->options, of->recording);
    /* Release: pairs with the acquire of the callback, which then sees all values written above. */
    atomic_store_explicit(&alloc_config.on, true, memory_order_release);
    int rc = alloc_events.open(session.pace.interval, e);
    if (rc)
        silence();
    return rc;
}

/* Ends the event. Records that the callbacks have left can still be drained afterwards. */
static void end(void (*drain_all)(void))
{
    silence();
}

static void close_events(void)
{
    if (alloc_events.close)
        alloc_events.close();
}

static void release(void)
{
    silence();
    lane_table_deinit(&alloc_lanes);
}

const struct part alloc_part = {.reserve = reserve,
                                .start = start,
                                .describe = describe,
                                .drain = drain,
                                .tick = tick,
                                .is_polled = true,
                                .write_books = write_books,
                                .count = count,
                                .end = end,
                                .close = close_events,
                                .silence = silence,
                                .release = release,
                                .has_lanes = true};
