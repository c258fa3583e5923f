#include "agent/collect/wall/unmounted.h"

#include "agent/hot/calls/unmounts.h"
#include "agent/hot/calls/virtual_purpose.h"
#include "agent/hot/signal/handler.h"
#include "agent/trigger/jvm/mount_events.h"
#include "agent/trigger/threads.h"
#include "base/time_units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* DRAWS_PER_S: how many threads that leave are drawn per second, at most, because a draw costs a stack walk; DRAWS_SAVED: how many draws
 * can be saved up for threads that begin together. WORDS_MAX: words of all drawn threads. */
enum { DRAWS_PER_S = 400, DRAWS_SAVED = UNMOUNT_DRAWS, WORDS_MAX = 1 << 18, RAISE_NS = NS_PER_S };

static struct {
    bool is_open;
    uint64_t random, rounded_ns;
    struct unmount_sums *last; /* by slot: what was read last */
    struct unmount_sums closed;
    struct unmounted_thread list[UNMOUNTED_WATCHED];
    uint32_t count;
    size_t words;
    double by_room; /* the highest probability for which the list had room */
    uint64_t raised_ns;
    uint64_t left_before, watched_before;
    double draws; /* that are saved up */
    struct unmounted_books books;
    uint64_t record[UNMOUNT_WORDS_MAX];
} state;

int unmounted_reserve(void)
{
    state.last = calloc(THREADS_MAX, sizeof *state.last);
    return !state.last || lane_table_init(&unmount_lanes) || virtual_waits_init(&unmount_waits) ? -ENOMEM : 0;
}

static void set_probability(double p)
{
    uint64_t units = p >= 1 ? UNMOUNT_CERTAIN : (uint64_t)(p * (double)UNMOUNT_CERTAIN);
    atomic_store(&unmount_config.drawn, 0);
    atomic_store(&unmount_config.probability, units ? units : 1);
}

/* Lanes outlive the event while other recordings go on. What they have counted for an earlier recording does not belong to this one. */
static void forget_earlier(void)
{
    struct unmount_sums s;
    for (uint32_t i = 0, limit = threads_limit(); i < limit; i++) {
        if (atomic_load(&sampled_threads[i].slot) == SLOT_FREE)
            continue;
        unmount_lane_sums(lane_of(&unmount_lanes, &sampled_threads[i]), &s);
        state.last[i] = s;
        state.closed.left -= s.left;
        state.closed.returned -= s.returned;
        state.closed.left_at -= s.left_at;
        state.closed.returned_at -= s.returned_at;
    }
}

void unmounted_start(uint64_t now)
{
    forget_earlier();
    state.random = now | 1;
    state.rounded_ns = state.raised_ns = now;
    state.by_room = 1;
    state.draws = DRAWS_SAVED;
    set_probability(1);
    atomic_store(&unmount_config.refused, 0);
    atomic_store(&unmount_config.lost, 0);
    atomic_store(&unmount_config.returned, 0);
    atomic_store(&unmount_config.returned_at, 0);
    atomic_fetch_add(&unmount_config.beginning, 1);
    virtual_purpose_forget();
    /* Release: pairs with the acquire of carriers, which then see the tables. */
    atomic_store_explicit(&unmount_config.on, true, memory_order_release);
    state.is_open = mount_events.open && mount_events.open();
}

void unmounted_stop(void)
{
    atomic_store(&unmount_config.on, false);
    if (state.is_open)
        mount_events.close();
    state.is_open = false;
}

bool unmounted_is_seen(void)
{
    return state.is_open;
}

/* ---- drawn threads ---- */

static void drop(uint32_t i)
{
    struct unmounted_thread *t = &state.list[i];
    state.words -= t->frames + t->virtual_words + t->context_words;
    free(t->words);
    *t = state.list[--state.count];
}

/* The lanes stay, because threads that are still armed may be inside them: other recordings may go on without this event. They are a few
 * hundred bytes for each carrier. */
void unmounted_release(void)
{
    while (state.count)
        drop(state.count - 1);
    free(state.last);
    virtual_waits_deinit(&unmount_waits);
    memset(&state, 0, sizeof state);
}

static void drop_returned(void)
{
    for (uint32_t i = state.count; i-- > 0;)
        if (!unmount_goes_on(state.list[i].id, state.list[i].since))
            drop(i);
}

static void drop_half(void)
{
    for (uint32_t i = state.count; i-- > 0;)
        if (handler_random(&state.random) & 1)
            drop(i);
        else
            state.list[i].probability /= 2;
    state.by_room /= 2;
}

static bool has_room(size_t words)
{
    return state.count < UNMOUNTED_WATCHED && state.words + words <= WORDS_MAX;
}

static void make_room(size_t words)
{
    if (!has_room(words))
        drop_returned();
    /* A quarter stays free, so that the list is not searched again soon. */
    if (!has_room(words) || state.count > UNMOUNTED_WATCHED * 3 / 4)
        drop_half();
}

/* A record may be older than a draw of half of the list: its thread is then dropped with the probability with which that draw would have
 * dropped it. */
static bool survives_earlier_draws(struct unmounted_thread *t)
{
    if (t->probability <= state.by_room)
        return true;
    double chance = state.by_room / t->probability;
    t->probability = state.by_room;
    return (double)(handler_random(&state.random) >> 11) * 0x1p-53 < chance;
}

static void watch(const uint64_t *record, size_t words)
{
    uint64_t last = record[words - 1];
    size_t kept = words - UNMOUNT_HEAD - 1;
    struct unmounted_thread t = {.id = record[0],
                                 .since = record[1],
                                 .probability = (double)record[2] / (double)UNMOUNT_CERTAIN,
                                 .state = (enum jfr_thread_state)record[3],
                                 .outcome = (enum outcome)record_outcome(last),
                                 .virtual_words = (uint32_t)record_virtual_words(last),
                                 .context_words = (uint32_t)record_context_words(last)};
    t.frames = (uint32_t)kept - t.virtual_words - t.context_words;
    state.books.watched++;
    if (!has_room(kept))
        make_room(kept);
    if (!survives_earlier_draws(&t) || !unmount_goes_on(t.id, t.since))
        return;
    t.words = has_room(kept) ? malloc(kept * sizeof *t.words) : NULL;
    if (!t.words) {
        atomic_fetch_add(&unmount_config.lost, 1);
        return;
    }
    memcpy(t.words, record + UNMOUNT_HEAD, kept * sizeof *t.words);
    state.words += kept;
    state.list[state.count++] = t;
}

void unmounted_drain(const struct sampled_thread *t, bool shrink)
{
    struct unmount_lane *lane = lane_of(&unmount_lanes, t);
    size_t words;
    if (!lane)
        return;
    while ((words = candor_queue_read(&lane->lane.queue, state.record, UNMOUNT_WORDS_MAX)) > 0)
        watch(state.record, words);
    if (shrink)
        candor_queue_shrink(&lane->lane.queue);
}

/* ---- sums ---- */

static void add(struct unmount_sums *to, const struct unmount_sums *s)
{
    to->left += s->left;
    to->returned += s->returned;
    to->left_at += s->left_at;
    to->returned_at += s->returned_at;
}

void unmounted_close_thread(const struct sampled_thread *t)
{
    const struct unmount_lane *lane = lane_of(&unmount_lanes, t);
    struct unmount_sums s;
    if (!lane)
        return;
    unmount_lane_sums(lane, &s);
    add(&state.closed, &s);
    state.last[t->index] = (struct unmount_sums){0};
}

/* Sums over all carriers. A carrier that is just adding is taken as it was before. */
static struct unmount_sums sum_all(void)
{
    struct unmount_sums all = state.closed, s = {0};
    /* Acquire: pairs with the release of a carrier that has no lane; the number is read after the sum. */
    s.returned_at = atomic_load_explicit(&unmount_config.returned_at, memory_order_acquire);
    s.returned = atomic_load_explicit(&unmount_config.returned, memory_order_relaxed);
    add(&all, &s);
    for (uint32_t i = 0, limit = threads_limit(); i < limit; i++) {
        const struct sampled_thread *t = &sampled_threads[i];
        if (atomic_load(&t->slot) == SLOT_FREE)
            continue;
        if (unmount_lane_sums(lane_of(&unmount_lanes, t), &s))
            state.last[i] = s;
        add(&all, &state.last[i]);
    }
    return all;
}

/* A thread may have been counted as returned, but not yet as left, because its two carriers are read one after the other. The difference
 * comes with the next round. */
static void count(uint64_t now)
{
    struct unmount_sums all = sum_all();
    int64_t present = (int64_t)(all.left - all.returned);
    int64_t ns = (int64_t)(all.returned_at - all.left_at + (uint64_t)present * now);
    if (present < 0 || ns < state.books.ns)
        return;
    state.books.unwatched += ns - state.books.ns;
    state.books.ns = ns;
    state.books.now = (uint64_t)present;
    state.books.left = all.left;
}

struct unmounted_books unmounted_books(void)
{
    struct unmounted_books b = state.books;
    b.lost = atomic_load(&unmount_config.lost);
    b.refused = atomic_load(&unmount_config.refused);
    return b;
}

/* ---- rounds ---- */

/* Draws few enough for the rate, and few enough for the list. */
static void pace(uint64_t now)
{
    double left = (double)(state.books.left - state.left_before), more = (double)DRAWS_PER_S * (double)(now - state.rounded_ns) / NS_PER_S;
    state.draws += more - (double)(state.books.watched - state.watched_before);
    state.draws = state.draws > DRAWS_SAVED ? DRAWS_SAVED : state.draws < more ? more : state.draws;
    state.left_before = state.books.left;
    state.watched_before = state.books.watched;
    state.rounded_ns = now;
    if (now - state.raised_ns > RAISE_NS) {
        state.raised_ns = now;
        if (state.by_room < 1 && state.count < UNMOUNTED_WATCHED / 4)
            state.by_room = state.by_room * 2 < 1 ? state.by_room * 2 : 1;
    }
    double by_rate = state.draws / (left + 1);
    set_probability(by_rate < state.by_room ? by_rate : state.by_room);
}

/* Returns the place of a listed thread, drawn in proportion to 1 / its probability. */
static uint32_t draw_one(void)
{
    double all = 0;
    for (uint32_t i = 0; i < state.count; i++)
        all += 1 / state.list[i].probability;
    double at = all * (double)(handler_random(&state.random) >> 11) * 0x1p-53;
    uint32_t i = 0;
    while (i + 1 < state.count && (at -= 1 / state.list[i].probability) >= 0)
        i++;
    return i;
}

/* Draws a listed thread that is still away. Those that have returned are dropped on the way. Returns NULL if there is none. */
static const struct unmounted_thread *choose(void)
{
    while (state.count) {
        uint32_t i = draw_one();
        if (unmount_goes_on(state.list[i].id, state.list[i].since))
            return &state.list[i];
        drop(i);
    }
    return NULL;
}

uint32_t unmounted_round(uint64_t now, void (*take)(const struct unmounted_thread *t, uint64_t ns))
{
    /* In a program without virtual threads a round does not look at all lanes in vain. */
    if (!state.is_open || !virtual_waits_is_used(&unmount_waits))
        return 0;
    for (uint32_t i = 0, limit = threads_limit(); i < limit; i++)
        if (atomic_load(&sampled_threads[i].slot) != SLOT_FREE)
            unmounted_drain(&sampled_threads[i], false);
    count(now);
    pace(now);
    if (state.books.now < 1 || !choose())
        return 0;
    uint32_t chosen = state.books.now < UNMOUNTED_LOOKS ? (uint32_t)state.books.now : UNMOUNTED_LOOKS;
    for (uint32_t left = chosen; left; left--) {
        const struct unmounted_thread *t = choose();
        uint64_t ns = t ? (uint64_t)state.books.unwatched / left : 0;
        if (!t)
            break;
        state.books.unwatched -= (int64_t)ns;
        take(t, ns);
    }
    return chosen;
}
