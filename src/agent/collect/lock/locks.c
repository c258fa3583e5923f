#include "agent/collect/lock/locks.h"

#include "agent/collect/alloc/alloc_pace.h"
#include "agent/collect/books/books.h"
#include "agent/collect/lock/lock_holders.h"
#include "agent/collect/lock/lock_pace.h"
#include "agent/collect/lock/lock_samples.h"
#include "agent/collect/lock/open_virtual_waits.h"
#include "agent/collect/lock/open_waits.h"
#include "agent/hot/calls/park.h"
#include "agent/hot/calls/virtual_purpose.h"
#include "agent/hot/layout.h"
#include "agent/hot/walk/walk.h"
#include "agent/record/names/class_name.h"
#include "agent/record/names/reason.h"
#include "agent/trigger/hooks/parks.h"
#include "agent/trigger/jvm/lock_events.h"
#include "agent/trigger/threads.h"
#include "base/text/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define KIND_NAME(symbol, name, meaning, remedy)  [LOCK_##symbol] = name,
#define GROUP_NAME(symbol, name, meaning, remedy) [LOCK_GROUP_##symbol] = name,
static const char *const kind_names[LOCK_KINDS] = {WAIT_KINDS(KIND_NAME)};
static const char *const group_names[LOCK_GROUPS] = {WAIT_GROUPS(GROUP_NAME)};

static struct {
    bool parks, told;
    bool is_open; /* the JVM reports waits */
    struct lock_options options;
    struct recording *recording;
    struct lock_pace paces[LOCK_GROUPS];
    uint64_t ticked_ns;
    struct account closed[LOCK_KINDS];   /* all waits of threads that have ended */
    uint64_t record[LOCK_WORDS_MAX + 1]; /* names_stack may add a frame */
    struct error no_parks;               /* why parks cannot be observed */
} session;

/* ---- records ---- */

static void take_record(const struct sampled_thread *t, uint64_t *record, size_t words)
{
    uint64_t tail = record[words - 1];
    size_t virtual_words = tail >> 32 & 0xffff, class_words = tail >> 48;
    size_t context_words = record_context_words(tail), owner_words = record[3] >> LOCK_OWNER_CONTEXT_SHIFT & 0xffff;
    size_t frames = words - LOCK_HEAD - class_words - virtual_words - context_words - owner_words - 1;
    uint64_t *class_name = record + LOCK_HEAD + frames, *context = class_name + class_words + virtual_words;
    struct names *names = &session.recording->names;
    struct lock_wait wait = {.since = record[0],
                             .ns = record[1],
                             .weight = record[2],
                             .kind = (enum lock_kind)(record[3] & 0xff),
                             .is_whole = record[3] & LOCK_IS_WHOLE,
                             .target.address = record[4],
                             .target.is_synchronizer = record[3] & LOCK_IS_OF_SYNCHRONIZER,
                             .target.owner = {(uint32_t)record[5], (uint32_t)(record[5] >> 32), (int64_t)record[6]},
                             .deadline = record[7]};
    struct lock_sample s = {.thread = t,
                            .outcome = (enum outcome)record_outcome(tail),
                            .wait = &wait,
                            .has_class = class_words,
                            .class_name = class_words ? class_name_symbol(&names->strings, class_name, class_words) : 0,
                            .context = names_context(names, context, context_words),
                            .owner_context = names_context(names, context + context_words, owner_words)};
    size_t of_report = virtual_words ? names_of_report(record + LOCK_HEAD, frames) : 0;
    if (virtual_words)
        s.virtual_id = names_virtual_thread(names, class_name + class_words, virtual_words);
    s.stack =
        lock_samples_stack(t, s.outcome, record + LOCK_HEAD + of_report, frames - of_report); /* last, because it writes after the frames */
    lock_samples_take(&s);
}

static void drain(const struct sampled_thread *t, bool shrink)
{
    struct lock_lane *lane = lane_of(&lock_lanes, t);
    size_t words;
    if (!lane)
        return;
    while ((words = candor_queue_read(&lane->lane.queue, session.record, LOCK_WORDS_MAX)) > 0)
        take_record(t, session.record, words);
    if (shrink)
        candor_queue_shrink(&lane->lane.queue);
}

/* ---- rate ---- */

static bool is_bounded(void)
{
    return session.options.rate || !session.options.has_threshold;
}

static uint64_t rate(void)
{
    return session.options.rate ? session.options.rate : LOCKS_RATE_DEFAULT;
}

static uint64_t threshold_asked(void)
{
    return session.options.has_threshold ? session.options.threshold_ns : LOCKS_THRESHOLD_DEFAULT_NS;
}

static void tick(uint64_t now)
{
    lock_holders_tick(now);
    if (!is_bounded())
        return;
    now = clock_monotonic_ns(); /* the time at which the numbers below are read */
    for (int i = 0; i < LOCK_GROUPS; i++) {
        struct lock_limit *limit = &lock_config.limits[i];
        uint64_t wanted = atomic_load(&limit->wanted);
        atomic_store(&limit->tokens, alloc_pace_tokens(rate(), atomic_load(&limit->tokens), now - session.ticked_ns));
        atomic_store(&limit->threshold, lock_pace_next(&session.paces[i], now, wanted));
    }
    session.ticked_ns = now;
}

/* ---- books ---- */

static void add_lane(struct account all[LOCK_KINDS], const struct lock_lane *lane)
{
    for (int i = 0; i < LOCK_KINDS; i++) {
        all[i].ns += (int64_t)counter_get(&lane->waited_ns[i]);
        all[i].count += counter_get(&lane->waited[i]);
    }
}

static void close_thread(const struct sampled_thread *t)
{
    const struct lock_lane *lane = lane_of(&lock_lanes, t);
    if (lane)
        add_lane(session.closed, lane);
}

static void put(jfr_write_book *write, uint64_t now, enum account_id account, const char *reason, struct account a)
{
    write(session.recording->writer, now, account_name[account], reason, a.ns, a.count);
}

static void write_books(uint32_t sink, jfr_write_book *write, uint64_t now)
{
    struct account all[LOCK_KINDS];
    for (int i = 0; i < LOCK_KINDS; i++) {
        all[i].ns = session.closed[i].ns + lock_samples.open[i].ns;
        all[i].count = session.closed[i].count + lock_samples.open[i].count;
    }
    for (uint32_t i = 0, limit = threads_limit(); i < limit; i++)
        if (atomic_load(&sampled_threads[i].slot) != SLOT_FREE)
            add_lane(all, lane_of(&lock_lanes, &sampled_threads[i]));
    struct account open = {.ns = lock_samples.open[LOCK_MONITOR].ns + lock_samples.open[LOCK_PARK].ns,
                           .count = lock_samples.open[LOCK_MONITOR].count + lock_samples.open[LOCK_PARK].count};
    int64_t rest = -lock_samples.whole.ns - lock_samples.drawn.ns;
    for (int i = 0; i < LOCK_KINDS; i++) {
        put(write, now, ACCOUNT_LOCK_TIME, kind_names[i], all[i]);
        rest += all[i].ns;
    }
    put(write, now, ACCOUNT_LOCK_WHOLE, "", lock_samples.whole);
    put(write, now, ACCOUNT_LOCK_DRAWN, "", lock_samples.drawn);
    for (int i = 0; i < LOCK_LOSS_COUNT; i++) {
        struct account lost = {.ns = (int64_t)atomic_load(&lock_config.lost_ns[i]), .count = atomic_load(&lock_config.lost[i])};
        if (lost.count)
            put(write, now, ACCOUNT_LOCK_LOST, reason_lock_loss[i], lost);
        rest -= lost.ns;
    }
    put(write, now, ACCOUNT_LOCK_RESIDUAL, "", (struct account){.ns = rest});
    for (int i = 0; i < LOCK_GROUPS && write != jfr_write_book_base; i++) /* thresholds are not sums, so they have no base */
        put(write, now, ACCOUNT_LOCK_THRESHOLD, group_names[i],
            (struct account){.ns = (int64_t)atomic_load(&lock_config.limits[i].threshold)});
    put(write, now, ACCOUNT_LOCK_HOLDERS, "", lock_holders_taken());
    if (lock_holders_missed().count)
        put(write, now, ACCOUNT_LOCK_HOLDERS_MISSED, "", lock_holders_missed());
    if (open.count)
        put(write, now, ACCOUNT_LOCK_OPEN, "", open);
}

static void count(uint32_t sink, uint64_t *samples, uint64_t *lost)
{
    *samples = lock_samples.whole.count + lock_samples.drawn.count;
    for (int i = 0; i < LOCK_LOSS_COUNT; i++)
        *lost += atomic_load(&lock_config.lost[i]);
}

/* ---- life ---- */

static void describe(uint32_t sink)
{
    char text[48];
    struct jfr_writer *w = session.recording->writer;
    uint64_t now = clock_monotonic_ns(), threshold = threshold_asked();
    snprintf(text, sizeof text, "%" PRIu64, threshold);
    jfr_write_setting(w, now, "lock_threshold_ns", text);
    if (is_bounded()) {
        snprintf(text, sizeof text, "%" PRIu64 "/s", rate());
        jfr_write_setting(w, now, "lock_rate", text);
    }
    jfr_write_setting(w, now, "lock_parks", session.parks ? "seen" : "unseen");
    if (vm_layout.virtuals.usable || lock_events.sees_virtual)
        jfr_write_setting(w, now, "lock_virtual_threads", lock_events.sees_virtual ? "seen" : "unseen");
    snprintf(text, sizeof text, "%" PRIu64 " ns", threshold);
    jfr_write_active_setting(w, now, "jdk.JavaMonitorEnter", "enabled", "true");
    jfr_write_active_setting(w, now, "jdk.JavaMonitorEnter", "threshold", text);
    jfr_write_active_setting(w, now, "jdk.ThreadPark", "enabled", session.parks ? "true" : "false");
    jfr_write_active_setting(w, now, "jdk.ThreadPark", "threshold", text);
    if (!session.parks && !session.told) {
        session.told = true;
        char message[sizeof session.no_parks.text + 64];
        snprintf(message, sizeof message, "parks are not recorded, only monitors: %s", session.no_parks.text);
        jfr_write_log(w, now, "warning", message);
    }
}

static int reserve(const void *options, struct error *e)
{
    return lane_table_init(&lock_lanes) || virtual_waits_init(&lock_virtual_waits)
               ? error_set(e, -ENOMEM, "not enough address space for the locks' queues")
               : 0;
}

static void begin(const struct lock_options *options, struct recording *r, const uint32_t *outcome_symbols)
{
    uint64_t now = clock_monotonic_ns();
    memset(&session, 0, sizeof session);
    session.options = *options;
    session.recording = r;
    lock_samples_begin(r, outcome_symbols);
    session.ticked_ns = now;
    lock_holders_begin(now);
    for (int i = 0; i < LOCK_LOSS_COUNT; i++) {
        atomic_store(&lock_config.lost[i], 0);
        atomic_store(&lock_config.lost_ns[i], 0);
    }
    lock_config.is_bounded = is_bounded();
    atomic_store(&lock_config.began_ns, now);
    atomic_fetch_add(&lock_config.beginning, 1);
    park_forget();
    virtual_purpose_forget();
    for (int i = 0; i < LOCK_GROUPS; i++) {
        lock_pace_begin(&session.paces[i], rate(), threshold_asked(), now);
        atomic_store(&lock_config.limits[i].tokens, alloc_pace_tokens(rate(), INT32_MAX, 0));
        atomic_store(&lock_config.limits[i].threshold, threshold_asked());
        atomic_store(&lock_config.limits[i].wanted, 0);
    }
}

static void silence(void)
{
    atomic_store(&lock_config.on, false);
    if (session.parks)
        parks_close();
    session.parks = false;
}

static int start(const struct part_of *of, struct error *e)
{
    if (!lock_events.open)
        return error_set(e, -ENOTSUP, "event=lock: there is no JVM here");
    begin(of->options, of->recording, of->outcome_symbols);
    /* Release: pairs with the acquire of waiting threads, which then see all values written above. */
    atomic_store_explicit(&lock_config.on, true, memory_order_release);
    int rc = lock_events.open(e);
    if (rc) {
        silence();
        return rc;
    }
    session.is_open = true;
    session.parks = !parks_open(walk_libjvm_low, &session.no_parks);
    return 0;
}

static void close(void)
{
    if (session.is_open)
        lock_events.close();
    session.is_open = false;
}

static void end(void (*drain_all)(void))
{
    open_waits_take(); /* while the JVM still reports the end of waits */
    open_virtual_waits_take();
    silence();
    close();
}

static void release(void)
{
    silence();
    lane_table_deinit(&lock_lanes);
    virtual_waits_deinit(&lock_virtual_waits);
}

const struct part lock_part = {.reserve = reserve,
                               .start = start,
                               .describe = describe,
                               .drain = drain,
                               .close_thread = close_thread,
                               .tick = tick,
                               .due_ns = lock_holders_due_ns,
                               .write_books = write_books,
                               .count = count,
                               .end = end,
                               .close = close,
                               .silence = silence,
                               .release = release,
                               .has_lanes = true};
