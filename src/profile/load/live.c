#include "profile/load/live.h"

#include "base/array.h"
#include "base/text/number.h"
#include "jfr/read/follow.h"
#include "profile/load/load_events.h"
#include "profile/load/load_whole.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct amount { /* the amount of a line of the books */
    int64_t ns;
    uint64_t count;
};

/* The end of a read. */
struct mark {
    int64_t time_ns;
    uint32_t samples;
    uint32_t book_count;
    struct amount *books;
};

struct live {
    struct jfr_follow *follow;
    struct load_stacks stacks;
    struct load *load;
    struct load_part part;
    struct load_whole whole;
    struct profile profile;
    _Atomic uint64_t holders_read;
    struct mark *marks; /* the first mark is the start */
    uint32_t mark_count, mark_cap;
    int64_t latest_ns; /* the latest time of an event */
    bool joined;
};

/* ---- marks ---- */

static int add_mark(struct live *l)
{
    const struct profile *p = &l->profile;
    struct mark m = {.time_ns = l->latest_ns ? l->latest_ns : p->start_ns, .samples = p->sample_count, .book_count = p->book_count};
    m.books = calloc((size_t)p->book_count + 1, sizeof *m.books);
    if (!m.books || ARRAY_GROW(l->marks, l->mark_cap, l->mark_count)) {
        free(m.books);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < p->book_count; i++)
        m.books[i] = (struct amount){p->books[i].ns, p->books[i].count};
    l->marks[l->mark_count++] = m;
    return 0;
}

static void drop_marks(struct live *l, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        free(l->marks[first + i].books);
    memmove(l->marks + first, l->marks + first + count, (l->mark_count - first - count) * sizeof *l->marks);
    l->mark_count -= count;
}

/* Moves the start to the first mark after `least` samples, and removes the samples before it. */
static void forget_samples(struct live *l, uint32_t least)
{
    struct profile *p = &l->profile;
    uint32_t mark = 0;
    while (mark + 1 < l->mark_count && l->marks[mark].samples < least)
        mark++;
    uint32_t gone = l->marks[mark].samples;
    for (uint32_t i = 0; i < gone; i++) {
        p->weight -= p->samples[i].weight;
        p->sampled -= p->samples[i].count;
    }
    memmove(p->samples, p->samples + gone, (p->sample_count - gone) * sizeof *p->samples);
    p->sample_count -= gone;
    drop_marks(l, 0, mark);
    for (uint32_t i = 0; i < l->mark_count; i++)
        l->marks[i].samples -= gone;
}

static void stay_bounded(struct live *l)
{
    if (l->profile.sample_count > LIVE_SAMPLES_MAX)
        forget_samples(l, LIVE_SAMPLES_MAX / 2);
    if (l->mark_count >= LIVE_READS_MAX)
        drop_marks(l, 1, LIVE_READS_MAX / 2); /* the start stays */
}

/* ---- reading ---- */

static int take(struct live *l, struct jfr_news *news)
{
    struct jfr_event event;
    load_part_reset(&l->part);
    l->part.info = *jfr_chunk_get_info(news->chunk);
    if (news->begun)
        load_stacks_new_chunk(&l->stacks);
    else
        load_go_on(l->load, news->chunk);
    int rc = news->begun ? load_begin_chunk(l->load, news->chunk, &l->part) : 0;
    while (!rc && jfr_cursor_next(&news->cursor, &event)) {
        int64_t time = event.type->start_time ? jfr_event_epoch_ns(&event) : 0;
        l->latest_ns = time > l->latest_ns ? time : l->latest_ns;
        rc = load_event(l->load, &event);
    }
    rc = rc ? rc : load_end_part(l->load, news->chunk);
    return rc ? rc : load_whole_take(&l->whole, &l->part, NULL);
}

/* Sets the start: before the whole content of Candor's own recording, or after the present content of a recording that was joined. */
static int begin(struct live *l, struct error *e)
{
    bool news;
    int rc = 0;
    if (l->joined) {
        l->joined = false;
        rc = live_read(l, &news, e);
        while (l->mark_count)
            drop_marks(l, 0, 1);
    }
    if (!rc && add_mark(l))
        rc = error_set(e, -ENOMEM, "no memory to read the recording");
    return rc;
}

int live_read(struct live *l, bool *news, struct error *e)
{
    struct jfr_news n;
    *news = false;
    int rc = l->mark_count && !l->joined ? 0 : begin(l, e);
    while (!rc && !(rc = jfr_follow_next(l->follow, &n, e)) && n.chunk) {
        *news = true;
        if (take(l, &n))
            rc = error_set(e, -ENOMEM, "no memory to read the recording");
    }
    if (rc || !*news)
        return rc;
    l->profile.interval_ns = number_or_zero(profile_setting(&l->profile, "interval_ns"));
    if (add_mark(l))
        return error_set(e, -ENOMEM, "no memory to read the recording");
    if (!l->marks[0].time_ns)
        l->marks[0].time_ns = l->profile.start_ns;
    stay_bounded(l);
    return 0;
}

bool live_ended(const struct live *l)
{
    return jfr_follow_ended(l->follow);
}

const struct profile *live_profile(const struct live *l)
{
    return &l->profile;
}

/* ---- views ---- */

static const struct mark *mark_before(const struct live *l, uint64_t span_ns)
{
    const struct mark *m = &l->marks[0];
    for (uint32_t i = 1; span_ns && i + 1 < l->mark_count; i++)
        if (l->latest_ns - l->marks[i].time_ns >= (int64_t)span_ns)
            m = &l->marks[i];
    return m;
}

static int look_at_books(const struct live *l, const struct mark *since, struct profile *view)
{
    view->books = calloc((size_t)view->book_count + 1, sizeof *view->books);
    if (!view->books)
        return -ENOMEM;
    for (uint32_t i = 0; i < view->book_count; i++) {
        view->books[i] = l->profile.books[i];
        if (i < since->book_count) {
            view->books[i].ns -= since->books[i].ns;
            view->books[i].count -= since->books[i].count;
        }
    }
    return 0;
}

static int choose_thread(struct live_view *view, uint32_t thread)
{
    struct profile *p = &view->profile;
    uint32_t kept = 0;
    view->own = malloc(((size_t)p->sample_count + 1) * sizeof *view->own);
    if (!view->own)
        return -ENOMEM;
    for (uint32_t i = 0; i < p->sample_count; i++)
        if (p->samples[i].thread == thread)
            view->own[kept++] = p->samples[i];
    p->samples = view->own;
    p->sample_count = kept;
    return 0;
}

int live_look(const struct live *l, const struct live_part *part, struct live_view *view)
{
    static const struct mark nothing;
    const struct mark *since = l->mark_count ? mark_before(l, part->span_ns) : &nothing;
    struct profile *p = &view->profile;
    *view = (struct live_view){.profile = l->profile};
    p->samples = l->profile.sample_count ? l->profile.samples + since->samples : NULL;
    p->sample_count -= since->samples;
    p->start_ns = since->time_ns;
    p->duration_ns = l->latest_ns > since->time_ns ? (uint64_t)(l->latest_ns - since->time_ns) : 0;
    int rc = look_at_books(l, since, p);
    if (!rc && part->one_thread)
        rc = choose_thread(view, part->thread);
    p->weight = p->sampled = 0;
    for (uint32_t i = 0; !rc && i < p->sample_count; i++) {
        p->weight += p->samples[i].weight;
        p->sampled += p->samples[i].count;
    }
    if (rc)
        live_look_away(view);
    return rc;
}

void live_look_away(struct live_view *view)
{
    free(view->profile.books);
    free(view->own);
    *view = (struct live_view){0};
}

/* ---- opening ---- */

int live_new(struct live **out, int fd, bool joined, struct error *e)
{
    struct live *l = *out = calloc(1, sizeof *l);
    struct jfr_follow *follow = NULL;
    int rc = jfr_follow_new(&follow, fd, joined, e);
    if (rc || !l) {
        jfr_follow_free(follow);
        free(l);
        *out = NULL;
        return rc ? rc : error_set(e, -ENOMEM, "no memory to read the recording");
    }
    *l = (struct live){.follow = follow, .joined = joined};
    load_whole_init(&l->whole, &l->profile);
    if (profile_init(&l->profile) || load_stacks_init(&l->stacks, &l->profile) ||
        load_new(&l->load, &l->profile, &l->stacks, &l->holders_read)) {
        live_free(l);
        *out = NULL;
        return error_set(e, -ENOMEM, "no memory to read the recording");
    }
    return 0;
}

void live_free(struct live *l)
{
    if (!l)
        return;
    load_free(l->load);
    load_stacks_deinit(&l->stacks);
    load_part_deinit(&l->part);
    load_whole_deinit(&l->whole);
    profile_deinit(&l->profile);
    jfr_follow_free(l->follow);
    for (uint32_t i = 0; i < l->mark_count; i++)
        free(l->marks[i].books);
    free(l->marks);
    free(l);
}
