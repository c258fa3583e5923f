#include "analysis/windows.h"

#include "analysis/sweep.h"
#include "base/map.h"
#include "base/time_units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define OVERLAP_NS (600 * NS_PER_S) /* up to this length of a recording its windows overlap */

static const uint64_t lengths[] = {60 * NS_PER_S, 10 * NS_PER_S};

enum { LENGTHS = sizeof lengths / sizeof *lengths, PROFILES = 5, WINDOWS_MAX = 500 }; /* WINDOWS_MAX: for each length */

/* Findings that a short window cannot show: those from sums over a whole recording, and those that are certain, or equally bad, in any
 * window. */
static const enum finding_kind of_whole[] = {FINDING_DEADLOCK,      FINDING_LEAK,           FINDING_THREAD_CHURN, FINDING_RECORDING_QUALITY,
                                             FINDING_GC_LONG_PAUSE, FINDING_LONG_OPERATION, FINDING_CLASSES_GROW, FINDING_THREADS_GROW};

/* A part of the evidence. Its profiles share everything but the samples with the profiles of the whole. */
struct slice {
    struct evidence e;
    struct profile profiles[PROFILES];
    struct halts halts;
    struct sweep sweeps[PROFILES], halts_sweep;
};

struct span {
    int64_t from_ns, to_ns;
};

static int64_t end_of(int64_t start_ns, uint64_t ns)
{
    return start_ns > 0 && ns > (uint64_t)(INT64_MAX - start_ns) ? INT64_MAX : start_ns + (int64_t)(ns < INT64_MAX ? ns : INT64_MAX);
}

/* Returns the part of a time span within the window, in ns. The span begins at *start_ns, which becomes the beginning of that part. */
static uint64_t part_of(const struct span *w, int64_t *start_ns, uint64_t ns)
{
    int64_t end_ns = end_of(*start_ns, ns), to = end_ns < w->to_ns ? end_ns : w->to_ns;
    *start_ns = *start_ns > w->from_ns ? *start_ns : w->from_ns;
    return to > *start_ns ? (uint64_t)(to - *start_ns) : 0;
}

/* ---- slices ---- */

/* Whether a sample has a duration. Waits have one; every other sample describes a moment. */
static bool sample_lasts(const struct profile *whole, const struct profile_sample *s)
{
    return whole->kind == PROFILE_LOCK && s->time_ns > 0;
}

/* Whether the halt has a certain time. Safepoints that were only counted are somewhere within an interval. */
static bool halt_lasts(const struct halt *one)
{
    return one->ns && one->kind != HALT_SAFEPOINTS_COUNTED && one->start_ns > 0;
}

static void cut_samples(struct profile *p, const struct profile *whole, const struct sweep *met, const struct span *w)
{
    p->sample_count = p->sampled = 0;
    p->weight = 0;
    for (uint32_t i = 0; i < met->met_count; i++) {
        struct profile_sample s = whole->samples[sweep_met(met, i)];
        if (sample_lasts(whole, &s))
            s.weight = part_of(w, &s.time_ns, s.weight);
        if (!s.weight)
            continue;
        p->samples[p->sample_count++] = s;
        p->sampled += s.count;
        p->weight += s.weight;
    }
}

static void cut_halts(struct halts *h, const struct halts *whole, const struct sweep *met, const struct span *w)
{
    h->count = 0;
    for (uint32_t i = 0; i < met->met_count; i++) {
        struct halt one = whole->list[sweep_met(met, i)];
        if (halt_lasts(&one))
            one.ns = part_of(w, &one.start_ns, one.ns);
        h->list[h->count++] = one;
    }
    h->start_ns = w->from_ns;
    h->duration_ns = (uint64_t)(w->to_ns - w->from_ns);
}

static const struct profile *profile_at(const struct evidence *e, int i)
{
    const struct profile *const all[PROFILES] = {e->cpu, e->wall, e->lock, e->holder, e->alloc};
    return all[i];
}

static int profile_init_slice(struct profile *p, struct sweep *sweep, const struct profile *whole)
{
    *p = *whole;
    p->samples = malloc(((size_t)whole->sample_count + 1) * sizeof *p->samples);
    if (sweep_init(sweep, whole->sample_count) || !p->samples)
        return -ENOMEM;
    for (uint32_t i = 0; i < whole->sample_count; i++) {
        const struct profile_sample *s = &whole->samples[i];
        sweep_add(sweep, i, s->time_ns, end_of(s->time_ns, sample_lasts(whole, s) ? s->weight : 1));
    }
    return 0;
}

static int halts_init_slice(struct halts *h, struct sweep *sweep, const struct halts *whole)
{
    *h = *whole;
    h->list = malloc(((size_t)whole->count + 1) * sizeof *h->list);
    if (sweep_init(sweep, whole->count) || !h->list)
        return -ENOMEM;
    for (uint32_t i = 0; i < whole->count; i++) {
        const struct halt *one = &whole->list[i];
        sweep_add(sweep, i, one->start_ns, end_of(one->start_ns, halt_lasts(one) ? one->ns : 1));
    }
    return 0;
}

static int slice_init(struct slice *s, const struct evidence *e)
{
    bool failed = false;
    *s = (struct slice){.e = *e};
    for (int i = 0; i < PROFILES; i++)
        if (profile_at(e, i) && profile_init_slice(&s->profiles[i], &s->sweeps[i], profile_at(e, i)))
            failed = true;
    if (e->halts && halts_init_slice(&s->halts, &s->halts_sweep, e->halts))
        failed = true;
    s->e.halts = e->halts ? &s->halts : NULL;
    s->e.cpu = e->cpu ? &s->profiles[0] : NULL;
    s->e.wall = e->wall ? &s->profiles[1] : NULL;
    s->e.lock = e->lock ? &s->profiles[2] : NULL;
    s->e.holder = e->holder ? &s->profiles[3] : NULL;
    s->e.alloc = e->alloc ? &s->profiles[4] : NULL;
    s->e.live = NULL;
    s->e.jvm = NULL;
    s->e.throws = (struct recorded_throws){0};
    memset(s->e.jvm_errors, 0, sizeof s->e.jvm_errors);
    return failed ? -ENOMEM : 0;
}

static void slice_deinit(struct slice *s)
{
    for (int i = 0; i < PROFILES; i++) {
        free(s->profiles[i].samples);
        sweep_deinit(&s->sweeps[i]);
    }
    free(s->halts.list);
    sweep_deinit(&s->halts_sweep);
}

static void slice_rewind(struct slice *s)
{
    for (int i = 0; i < PROFILES; i++)
        sweep_rewind(&s->sweeps[i]);
    sweep_rewind(&s->halts_sweep);
}

/* Cuts the evidence to the window. Returns whether the window has any data. */
static bool slice_cut(struct slice *s, const struct evidence *e, const struct span *w)
{
    uint64_t met = 0;
    for (int i = 0; i < PROFILES; i++) {
        sweep_to(&s->sweeps[i], w->from_ns, w->to_ns);
        if (profile_at(e, i))
            cut_samples(&s->profiles[i], profile_at(e, i), &s->sweeps[i], w);
        met += s->profiles[i].sample_count;
    }
    sweep_to(&s->halts_sweep, w->from_ns, w->to_ns);
    if (e->halts)
        cut_halts(&s->halts, e->halts, &s->halts_sweep, w);
    uint32_t from = readings_from(e->readings, e->reading_count, w->from_ns);
    s->e.readings = e->readings ? e->readings + from : NULL;
    s->e.reading_count = readings_from(e->readings, e->reading_count, w->to_ns) - from;
    s->e.start_ns = w->from_ns;
    s->e.duration_ns = (uint64_t)(w->to_ns - w->from_ns);
    s->e.jdk_ns = 0;
    return met + s->halts.count + s->e.reading_count;
}

/* ---- worst windows ---- */

/* Findings by kind and subject: those of the whole, then the worst ones of windows. */
struct worst {
    uint32_t whole, end;             /* indices in the list; after `end` come the findings of the current window */
    struct map of_whole, of_windows; /* indices in the list */
};

static uint64_t key_of(const struct finding *one)
{
    return (uint64_t)one->kind << 32 | one->subject;
}

static void worst_init(struct worst *w, struct findings *f)
{
    *w = (struct worst){.whole = f->count, .end = f->count};
    map_init(&w->of_whole);
    map_init(&w->of_windows);
    for (uint32_t i = 0; i < f->count; i++) {
        bool added;
        uint32_t *place = map_add(&w->of_whole, key_of(&f->list[i]), &added);
        f->failed = f->failed || !place;
        if (place && added)
            *place = i;
    }
}

static void worst_deinit(struct worst *w)
{
    map_deinit(&w->of_whole);
    map_deinit(&w->of_windows);
}

static void keep_worst(struct worst *worst, struct findings *f, const struct span *w)
{
    for (uint32_t i = worst->end; i < f->count; i++) {
        struct finding one = f->list[i];
        bool added;
        uint32_t *place = map_add(&worst->of_windows, key_of(&one), &added);
        one.from_ns = w->from_ns;
        one.window_ns = (uint64_t)(w->to_ns - w->from_ns);
        if (!place)
            f->failed = true;
        else if (added)
            f->list[ *place = worst->end++] = one;
        else if (one.score > f->list[*place].score)
            f->list[*place] = one;
    }
    f->count = worst->end;
}

/* Turns the worst windows into findings, or adds them to findings of the whole as their worst window. */
static void settle(const struct worst *w, struct findings *f)
{
    uint32_t kept = w->whole;
    for (uint32_t i = w->whole; i < f->count; i++) {
        struct finding one = f->list[i];
        const uint32_t *place = map_find(&w->of_whole, key_of(&one));
        struct finding *before = place ? &f->list[*place] : NULL;
        if (!before) {
            f->list[kept++] = one;
        } else if (one.score > before->score) {
            before->score = one.score;
            before->from_ns = one.from_ns;
            before->window_ns = one.window_ns;
            before->worst = one.text;
        }
    }
    f->count = kept;
}

/* ---- all windows ---- */

/* Returns the length of windows: a multiple of the nominal length, so that there are at most WINDOWS_MAX. */
static uint64_t length_of(const struct evidence *e, int i)
{
    return e->duration_ns ? lengths[i] * (1 + (e->duration_ns - 1) / (WINDOWS_MAX * lengths[i])) : lengths[i];
}

static uint64_t step_of(const struct evidence *e, uint64_t length)
{
    return e->duration_ns <= OVERLAP_NS ? length / 2 : length;
}

/* Returns the number of windows of a length. It is 0 if the evidence is too short, or if the length became as large as that of the
 * longer windows. */
static uint32_t windows_of(const struct evidence *e, int i)
{
    uint64_t length = length_of(e, i);
    bool again = i && length >= lengths[i - 1];
    return again || e->duration_ns < 2 * length ? 0 : (uint32_t)((e->duration_ns - length) / step_of(e, length)) + 1;
}

static void judge_all(struct findings *f, const struct evidence *e, struct slice *s, windows_judge *judge)
{
    struct worst worst;
    worst_init(&worst, f);
    for (int i = 0; i < LENGTHS; i++) {
        uint64_t length = length_of(e, i);
        slice_rewind(s);
        for (uint32_t k = 0, n = windows_of(e, i); k < n && !f->failed; k++) {
            struct span w = {e->start_ns + (int64_t)(k * step_of(e, length)), 0};
            w.to_ns = w.from_ns + (int64_t)length;
            if (!slice_cut(s, e, &w))
                continue;
            judge(f, &s->e);
            keep_worst(&worst, f, &w);
        }
    }
    settle(&worst, f);
    worst_deinit(&worst);
}

void windows_add(struct findings *f, const struct evidence *e, windows_judge *judge)
{
    struct slice s;
    bool left_out[FINDING_KINDS];
    uint32_t looks = 0;
    for (int i = 0; i < LENGTHS; i++)
        looks += windows_of(e, i);
    if (!looks || e->start_ns <= 0 || e->duration_ns > (uint64_t)(INT64_MAX - e->start_ns) || f->failed)
        return;
    memcpy(left_out, f->left_out, sizeof left_out);
    for (size_t i = 0; i < sizeof of_whole / sizeof *of_whole; i++)
        f->left_out[of_whole[i]] = true;
    score_looks(looks);
    if (slice_init(&s, e))
        f->failed = true;
    else
        judge_all(f, e, &s, judge);
    slice_deinit(&s);
    score_looks(1);
    memcpy(f->left_out, left_out, sizeof left_out);
}
