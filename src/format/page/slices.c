#include "format/page/slices.h"

#include "base/time_units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLICES_MAX = 200000, /* at most two megabytes of a page, if the buckets can be long enough */
    BUCKETS_MIN = 60,    /* the buckets stay short enough for at least this many */
    PIECES_MAX = 1000000 /* of samples that stand for several */
};

enum { DIGIT_BITS = 11, DIGIT = (1 << DIGIT_BITS) - 1, STATE_BITS = 3 };

static const int64_t shortest_ns = NS_PER_MS, second_ns = NS_PER_S;

/* Returns the start of the time axis, and its length in *length. It is the time of the recording if that contains the samples, so that
 * all kinds of samples have the same axis. Otherwise it extends from the first sample to the last. */
static int64_t span_of(const struct profile *p, uint64_t *length)
{
    int64_t first = p->sample_count ? p->samples[0].time_ns : 0, last = first;
    for (uint32_t i = 1; i < p->sample_count; i++) {
        int64_t t = p->samples[i].time_ns;
        first = t < first ? t : first;
        last = t > last ? t : last;
    }
    bool recorded = p->start_ns > 0 && p->start_ns <= first && (uint64_t)(first - p->start_ns) <= p->duration_ns;
    int64_t start = recorded ? p->start_ns : first;
    uint64_t until_last = (uint64_t)last - (uint64_t)start;
    bool whole = recorded && until_last && until_last < p->duration_ns;
    *length = whole ? p->duration_ns : until_last;
    return start;
}

/* What a sample says about one moment. */
struct piece {
    int64_t time_ns;
    uint64_t weight;
    uint32_t sample; /* index in the profile */
};

struct pieces {
    struct piece *list;
    uint32_t count;
};

/* Returns in how many pieces a sample is shown. async-profiler writes successive samples of an idle thread as one, at the time of the
 * first; the others follow in the interval. */
static uint32_t pieces_of(const struct profile *p, uint32_t i)
{
    uint32_t most = PIECES_MAX / p->sample_count, count = p->samples[i].count;
    bool is_batch = p->interval_ns && !strcmp(profile_text(p, p->source), "profiler.WallClockSample");
    return !is_batch || count < 2 || most < 2 ? 1 : count < most ? count : most;
}

/* Makes the pieces of all samples. Their weights add up to those of the samples; none is later than `end`. Returns 0 or -ENOMEM. */
static int make_pieces(struct pieces *out, const struct profile *p, int64_t end)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->sample_count; i++)
        n += pieces_of(p, i);
    *out = (struct pieces){.list = calloc((size_t)n + 1, sizeof *out->list)};
    for (uint32_t i = 0; out->list && i < p->sample_count; i++) {
        const struct profile_sample *s = &p->samples[i];
        uint32_t count = pieces_of(p, i);
        uint64_t step = count > 1 ? p->interval_ns * s->count / count : 0, part = s->weight / count;
        for (uint32_t k = 0; k < count; k++) {
            int64_t time = (int64_t)((uint64_t)s->time_ns + step * k);
            bool is_within = time >= s->time_ns && time < end;
            out->list[out->count++] = (struct piece){is_within ? time : end, k + 1 < count ? part : s->weight - part * (count - 1), i};
        }
    }
    return out->list ? 0 : -ENOMEM;
}

static int number_threads(struct slices *s, const struct profile *p, uint32_t *number_of)
{
    uint32_t *of_name = calloc(p->strings.count, sizeof *of_name); /* the thread's number plus 1 */
    s->threads = calloc(p->thread_count + 1, sizeof *s->threads);
    if (!of_name || !s->threads) {
        free(of_name);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < p->thread_count; i++) {
        uint32_t name = p->threads[i].name;
        if (!of_name[name]) {
            s->threads[s->thread_count] = name;
            of_name[name] = ++s->thread_count;
        }
        number_of[i] = of_name[name] - 1;
    }
    free(of_name);
    return 0;
}

/* A slice's bucket, thread, state and node as one number, with the bucket in the highest bits. */
struct keyed {
    uint64_t key, weight;
};

struct keys {
    const struct pieces *pieces;
    struct keyed *list, *room; /* each has room for all pieces */
    const uint32_t *number_of;
    int64_t start;
    unsigned thread_bits, node_bits;
};

static enum slice_state state_of(uint8_t state)
{
    static const uint8_t states[JFR_STATES] = {
        [JFR_STATE_JAVA] = SLICE_RUNNING,    [JFR_STATE_NATIVE] = SLICE_RUNNING,  [JFR_STATE_VM] = SLICE_RUNNING,
        [JFR_STATE_READY] = SLICE_READY,     [JFR_STATE_MONITOR] = SLICE_MONITOR, [JFR_STATE_BLOCKED] = SLICE_MONITOR,
        [JFR_STATE_WAITING] = SLICE_WAITING, [JFR_STATE_PARKED] = SLICE_WAITING,  [JFR_STATE_SLEEPING] = SLICE_SLEEPING,
        [JFR_STATE_IO] = SLICE_IO,
    };
    return states[state];
}

/* Profiles of other tools may not say what their threads did. */
static bool knows_states(const struct profile *p)
{
    bool known = false;
    if (p->kind == PROFILE_WALL || profile_is_safepoint(p))
        for (uint32_t i = 0; !known && i < p->sample_count; i++)
            known = state_of(p->samples[i].state) != SLICE_UNKNOWN;
    return known;
}

static unsigned bits_of(uint64_t n)
{
    return n ? 64 - (unsigned)__builtin_clzll(n) : 0;
}

/* Sorts by radix, from the lowest digit to the highest. The result is in list. */
static void sort_keys(struct keys *k, uint32_t n, unsigned bits)
{
    for (unsigned shift = 0; shift < bits; shift += DIGIT_BITS) {
        uint32_t places[1 << DIGIT_BITS] = {0}, place = 0;
        for (uint32_t i = 0; i < n; i++)
            places[k->list[i].key >> shift & DIGIT]++;
        for (uint32_t digit = 0; digit <= DIGIT; digit++) {
            uint32_t count = places[digit];
            places[digit] = place;
            place += count;
        }
        for (uint32_t i = 0; i < n; i++)
            k->room[places[k->list[i].key >> shift & DIGIT]++] = k->list[i];
        struct keyed *other = k->room;
        k->room = k->list;
        k->list = other;
    }
}

/* Makes one slice for each piece, sorts them, and merges those with the same bucket, thread and node. */
static void slice(struct slices *s, const struct profile *p, const struct calltree *tree, struct keys *k)
{
    unsigned thread_shift = k->node_bits + STATE_BITS, shift = thread_shift + k->thread_bits;
    uint64_t last = 0;
    for (uint32_t i = 0; i < k->pieces->count; i++) {
        const struct piece *piece = &k->pieces->list[i];
        const struct profile_sample *sample = &p->samples[piece->sample];
        uint64_t bucket = ((uint64_t)piece->time_ns - (uint64_t)k->start) / s->bucket_ns;
        enum slice_state state = s->has_states ? state_of(sample->state) : SLICE_UNKNOWN;
        last = bucket > last ? bucket : last;
        k->list[i] = (struct keyed){bucket << shift | (uint64_t)k->number_of[sample->thread] << thread_shift |
                                        (uint64_t)state << k->node_bits | tree->of_stack[sample->stack],
                                    piece->weight};
    }
    sort_keys(k, k->pieces->count, shift + bits_of(last));
    s->count = 0;
    for (uint32_t i = 0; i < k->pieces->count; i++) {
        uint64_t key = k->list[i].key;
        if (i && key == k->list[i - 1].key)
            s->list[s->count - 1].weight += k->list[i].weight;
        else
            s->list[s->count++] = (struct slice){.bucket = (uint32_t)(key >> shift),
                                                 .thread = (uint32_t)(key >> thread_shift & (((uint64_t)1 << k->thread_bits) - 1)),
                                                 .state = (uint8_t)(key >> k->node_bits & ((1 << STATE_BITS) - 1)),
                                                 .node = (uint32_t)(key & (((uint64_t)1 << k->node_bits) - 1)),
                                                 .weight = k->list[i].weight};
    }
}

/* Returns the shortest useful bucket: a second if all times are whole seconds. */
static uint64_t least_bucket(const struct profile *p)
{
    for (uint32_t i = 0; i < p->sample_count; i++)
        if (p->samples[i].time_ns % second_ns)
            return shortest_ns;
    return second_ns;
}

/* Returns the next longer bucket: 1, 2, 5, 10, ... */
static uint64_t longer(uint64_t bucket_ns)
{
    uint64_t digit = bucket_ns;
    while (digit >= 10)
        digit /= 10;
    return digit == 2 ? bucket_ns / 2 * 5 : bucket_ns * 2;
}

/* Makes the buckets longer until there are not too many slices. */
static int choose_bucket(struct slices *s, const struct profile *p, const struct calltree *tree, struct keys *k, uint64_t length)
{
    k->thread_bits = bits_of(s->thread_count);
    k->node_bits = bits_of(tree->count);
    while (length / s->bucket_ns > SLICES_MAX)
        s->bucket_ns = longer(s->bucket_ns);
    if (k->thread_bits + STATE_BITS + k->node_bits + bits_of(length / s->bucket_ns) > 63)
        return -ENOMEM;
    for (;;) {
        slice(s, p, tree, k);
        uint64_t next = longer(s->bucket_ns);
        if (s->count <= SLICES_MAX || length / next < BUCKETS_MIN)
            return 0;
        s->bucket_ns = next;
    }
}

int slices_init(struct slices *s, const struct profile *p, const struct calltree *tree)
{
    uint64_t length;
    int64_t start = span_of(p, &length);
    *s = (struct slices){.start_ns = start, .bucket_ns = (uint64_t)shortest_ns, .has_states = knows_states(p)};
    if (!length)
        return 0;
    struct pieces pieces;
    struct keys k = {.start = start, .pieces = &pieces};
    int rc = make_pieces(&pieces, p, (int64_t)((uint64_t)start + length));
    uint32_t *number_of = calloc(p->thread_count + 1, sizeof *number_of);
    k.number_of = number_of;
    k.list = calloc(pieces.count + 1, sizeof *k.list);
    k.room = calloc(pieces.count + 1, sizeof *k.room);
    s->list = calloc(pieces.count + 1, sizeof *s->list);
    s->bucket_ns = (uint64_t)least_bucket(p);
    rc = rc ? rc : number_of && k.list && k.room && s->list ? number_threads(s, p, number_of) : -ENOMEM;
    rc = rc ? rc : choose_bucket(s, p, tree, &k, length);
    s->buckets = (uint32_t)(length / s->bucket_ns) + 1;
    free(number_of);
    free(pieces.list);
    free(k.list);
    free(k.room);
    if (rc)
        slices_deinit(s);
    return rc;
}

void slices_deinit(struct slices *s)
{
    free(s->list);
    free(s->threads);
    *s = (struct slices){0};
}
