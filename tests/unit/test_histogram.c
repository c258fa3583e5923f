/*
 * HDR histograms: indexes and figures compared with brute force, corrections, sums, the recorder under threads, the encoded form.
 * tier: quick
 * timeout: 120
 * aarch64: yes
 */
#include "../tap.h"
#include "base/time_units.h"
#include "candor/histogram.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t state = 1;

static uint64_t draw(void)
{
    state += 0x9e3779b97f4a7c15u;
    uint64_t x = state;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Values spread over all magnitudes below 2^bits. */
static int64_t draw_value(int bits)
{
    return (int64_t)(draw() >> (64 - 1 - (int)(draw() % (unsigned)bits)));
}

/* The definition, without bit tricks. The first 2^k values, which cover 2 * 10^digits, have one counter each (in steps of `lowest`'s
 * power of two). At every further doubling each counter has twice as many values. Returns the lowest equivalent, and how many values
 * share the counter. */
static int64_t by_definition(int64_t v, int64_t lowest, int digits, int64_t *width)
{
    int64_t unit = 1, first = 1, exact = 2;
    for (int i = 0; i < digits; i++)
        exact *= 10;
    while (unit * 2 <= lowest)
        unit *= 2;
    while (first < exact)
        first *= 2;
    int64_t limit = first * unit;
    for (*width = unit; v >= limit; limit *= 2) {
        *width *= 2;
        if (limit > INT64_MAX / 2)
            break;
    }
    return v / *width * *width;
}

static void test_indexes(void)
{
    static const int64_t lows[] = {1, 2, 3, 1000, 1024, 1000000};
    unsigned wrong = 0, out_of_place = 0, coarse = 0, outside = 0;
    for (int digits = 1; digits <= 5; digits++)
        for (size_t l = 0; l < sizeof lows / sizeof *lows; l++) {
            struct candor_histogram h;
            int64_t width, precision = 1;
            if (candor_histogram_init(&h, lows[l], INT64_MAX, digits))
                wrong++;
            for (int i = 0; i < digits; i++)
                precision *= 10;
            for (int i = 0; i < 20000; i++) {
                int64_t v = i < 5000 ? i : draw_value(63), low = by_definition(v, lows[l], digits, &width);
                int32_t index = candor_histogram_index(&h, v);
                wrong +=
                    candor_histogram_lowest_equivalent(&h, v) != low || candor_histogram_highest_equivalent(&h, v) != low + (width - 1);
                out_of_place += index < 0 || index >= h.counts_len || candor_histogram_value_at_index(&h, index) != low;
                outside += candor_histogram_index(&h, -v - 1) < h.counts_len;
                coarse += v >= lows[l] * precision && width > v / precision;
            }
            candor_histogram_deinit(&h);
        }
    tap_ok(!wrong, "equivalent values are those of the definition (%u are not)", wrong);
    tap_ok(!out_of_place, "an index leads back to its value (%u do not)", out_of_place);
    tap_ok(!outside, "a negative value is past the last counter (%u are not)", outside);
    tap_ok(!coarse, "a counter is never wider than the digits allow (%u are)", coarse);
}

static bool is_same_place(const struct candor_histogram *h, int64_t v)
{
    uint32_t place = candor_histogram_place(h, v);
    int32_t index = candor_histogram_index(h, v);
    return v < 0 || index >= h->counts_len ? place >= (uint32_t)h->counts_len : place == (uint32_t)index;
}

/* The fast way of recording gives the same counter, also at every power of two and its neighbors. */
static void test_short_way(void)
{
    static const int64_t highest[] = {2, 3600 * NS_PER_S, ((int64_t)1 << 53) - 1, (int64_t)1 << 53, INT64_MAX};
    static const bool common[] = {true, true, true, false, false};
    unsigned wrong = 0, unexpected = 0;
    for (size_t k = 0; k < sizeof highest / sizeof *highest; k++) {
        struct candor_histogram h;
        candor_histogram_init(&h, 1, highest[k], 3);
        unexpected += h.common != common[k];
        for (int i = 0; i < 64; i++)
            for (int64_t off = -2; off <= 2; off++) {
                int64_t v = (int64_t)(((uint64_t)1 << i) + (uint64_t)off);
                wrong += !is_same_place(&h, v) + !is_same_place(&h, (int64_t)(0 - (uint64_t)v));
            }
        for (int i = 0; i < 50000; i++)
            wrong += !is_same_place(&h, i < 5000 ? i : draw_value(63)) + !is_same_place(&h, ~draw_value(63));
        candor_histogram_deinit(&h);
    }
    tap_ok(!wrong && !unexpected, "the short way leads to the same counter (%u do not, %u taken where they must not)", wrong, unexpected);
    struct candor_histogram h;
    candor_histogram_init(&h, 1, 0, 3);
    bool before = h.common;
    candor_histogram_record(&h, INT64_MAX - 1);
    tap_ok(before && !h.common && candor_histogram_record(&h, ((int64_t)1 << 54) - 1) &&
               candor_histogram_count_at(&h, ((int64_t)1 << 54) - 1) == 1 && !candor_histogram_count_at(&h, (int64_t)1 << 54),
           "one that grows beyond what a double tells leaves it");
    candor_histogram_deinit(&h);
    candor_histogram_init(&h, 1, 3600 * NS_PER_S, 2);
    tap_ok(!h.common, "other digits have no short way");
    candor_histogram_deinit(&h);
}

static void test_sizes(void)
{
    struct candor_histogram h;
    tap_ok(!candor_histogram_init(&h, 1, 3600 * NS_PER_S, 3) && candor_histogram_bytes(&h) == 33 * 1024 * 8,
           "an hour of ns takes 33 x 1024 counters");
    tap_ok(candor_histogram_record(&h, 3600 * NS_PER_S) && !candor_histogram_record(&h, INT64_MAX) && !candor_histogram_record(&h, -1),
           "values out of range are refused");
    candor_histogram_deinit(&h);
    tap_ok(candor_histogram_init(&h, 0, 10, 3) == -EINVAL && candor_histogram_init(&h, 10, 19, 3) == -EINVAL &&
               candor_histogram_init(&h, 1, 10, 0) == -EINVAL && candor_histogram_init(&h, 1, 10, 6) == -EINVAL,
           "what makes no sense is refused");
    candor_histogram_init(&h, 1, 0, 3);
    size_t before = candor_histogram_bytes(&h);
    candor_histogram_record(&h, 7);
    tap_ok(candor_histogram_record(&h, 123456789012) && candor_histogram_record(&h, INT64_MAX) && candor_histogram_bytes(&h) > before &&
               candor_histogram_count_at(&h, 7) == 1 && candor_histogram_count_at(&h, 123456789012) == 1 &&
               candor_histogram_max(&h) == INT64_MAX,
           "one that ranges by itself grows and keeps what it had");
    tap_ok(!candor_histogram_record_atomic(&h, -1), "atomic recording refuses it too");
    candor_histogram_deinit(&h);
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void test_figures(void)
{
    enum { N = 10000 };
    static int64_t values[N];
    struct candor_histogram h;
    double sum = 0, squares = 0, mean_error;
    unsigned wrong = 0;
    candor_histogram_init(&h, 1, 3600 * NS_PER_S, 3);
    for (int i = 0; i < N; i++) {
        values[i] = draw_value(40);
        candor_histogram_record(&h, values[i]);
        sum += (double)values[i];
    }
    for (int i = 0; i < N; i++)
        squares += ((double)values[i] - sum / N) * ((double)values[i] - sum / N);
    qsort(values, N, sizeof *values, compare);
    for (int i = 1; i <= N; i++) { /* exactly the i-th smallest */
        int64_t got = candor_histogram_percentile(&h, 100.0 * i / N);
        wrong += got != candor_histogram_highest_equivalent(&h, values[i - 1]);
    }
    tap_ok(!wrong, "percentiles are those of the sorted values (%u are not)", wrong);
    mean_error = fabs(candor_histogram_mean(&h) * N / sum - 1);
    tap_ok(mean_error < 1e-3 && fabs(candor_histogram_stddev(&h) / sqrt(squares / N) - 1) < 1e-3, "mean and deviation to three digits");
    tap_ok(candor_histogram_total(&h) == N && candor_histogram_min(&h) == candor_histogram_lowest_equivalent(&h, values[0]) &&
               candor_histogram_max(&h) == candor_histogram_highest_equivalent(&h, values[N - 1]) &&
               candor_histogram_percentile(&h, 0) == candor_histogram_min(&h) &&
               candor_histogram_percentile(&h, 100) == candor_histogram_max(&h),
           "total, minimum, maximum");
    int64_t below = 0, limit = values[N / 3];
    for (int i = 0; i < N; i++)
        below += values[i] <= candor_histogram_highest_equivalent(&h, limit);
    tap_ok(candor_histogram_count_between(&h, 0, limit) == below &&
               fabs(candor_histogram_percentile_of(&h, limit) - 100.0 * (double)below / N) < 1e-9,
           "counts up to a value");
    candor_histogram_reset(&h);
    tap_ok(!candor_histogram_total(&h) && !candor_histogram_max(&h) && !candor_histogram_percentile(&h, 50) &&
               candor_histogram_mean(&h) == 0,
           "empty: all 0");
    candor_histogram_deinit(&h);
}

static void test_sums(void)
{
    struct candor_histogram a, b;
    candor_histogram_init(&a, 1, 3600000000, 3);
    candor_histogram_init(&b, 1, 3600000000, 3);
    candor_histogram_record_corrected(&a, 1000, 100); /* 1000, 900, ... 100 */
    bool all = candor_histogram_total(&a) == 10;
    for (int64_t v = 100; v <= 1000; v += 100)
        all = all && candor_histogram_count_at(&a, v) == 1;
    tap_ok(all, "a stall of ten intervals is ten values");
    candor_histogram_record_n(&b, 1000, 3);
    candor_histogram_record(&b, 50);
    tap_ok(!candor_histogram_add(&a, &b) && candor_histogram_total(&a) == 14 && candor_histogram_count_at(&a, 1000) == 4, "add");
    tap_ok(!candor_histogram_subtract(&a, &b) && candor_histogram_total(&a) == 10 && candor_histogram_count_at(&a, 1000) == 1, "subtract");
    tap_ok(candor_histogram_subtract(&a, &b) == -ERANGE && candor_histogram_total(&a) == 10 && candor_histogram_count_at(&a, 1000) == 1,
           "what is not there cannot be taken away, and nothing is");
    struct candor_histogram small;
    candor_histogram_init(&small, 1, 100, 3);
    candor_histogram_record_n(&small, 50, 7);
    tap_ok(candor_histogram_subtract(&small, &b) == -ERANGE && candor_histogram_count_at(&small, 50) == 7 &&
               candor_histogram_total(&small) == 7,
           "nor can what is beyond its range");
    candor_histogram_deinit(&small);
    candor_histogram_reset(&a);
    candor_histogram_add_corrected(&a, &b, 100);
    tap_ok(candor_histogram_total(&a) == 31 && candor_histogram_count_at(&a, 100) == 3, "corrected while adding");
    candor_histogram_deinit(&a);
    candor_histogram_init(&a, 1, 100, 3);
    candor_histogram_record_n(&b, 3 * NS_PER_S, 2);
    tap_ok(candor_histogram_add(&a, &b) == -ERANGE && candor_histogram_count_at(&a, 50) == 1, "what is out of range is left out and told");
    candor_histogram_deinit(&a);
    candor_histogram_deinit(&b);
}

enum { WRITERS = 3, SAMPLES = 50 };
static struct candor_recorder recorder;
static int over;

/* Records the values 0, 1000, ... 999,000 in turn, until the end; returns how many. */
static void *write_values(void *count)
{
    int64_t n = 0;
    while (!__atomic_load_n(&over, __ATOMIC_RELAXED))
        candor_recorder_record(&recorder, n++ % 1000 * 1000);
    *(int64_t *)count = n;
    return NULL;
}

static void test_recorder(void)
{
    pthread_t threads[WRITERS];
    struct candor_histogram sum;
    int64_t counts[WRITERS], written = 0, changed = 0, reached = 0, fives = 0;
    candor_recorder_init(&recorder, 1, 1000000, 3);
    candor_histogram_init(&sum, 1, 1000000, 3);
    for (int i = 0; i < WRITERS; i++)
        pthread_create(&threads[i], NULL, write_values, &counts[i]);
    while (reached < SAMPLES) {
        const struct candor_histogram *interval = candor_recorder_sample(&recorder);
        int64_t before = candor_histogram_total(interval);
        candor_histogram_add(&sum, interval);
        changed += before != candor_histogram_total(interval);
        reached += before > 0;
    }
    __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < WRITERS; i++) {
        pthread_join(threads[i], NULL);
        written += counts[i];
        fives += (counts[i] + 994) / 1000;
    }
    candor_histogram_add(&sum, candor_recorder_sample(&recorder));
    tap_note("%lld values in %lld intervals", (long long)written, (long long)reached);
    tap_ok(candor_histogram_total(&sum) == written, "the intervals' sum is what was recorded, no more and no less");
    tap_ok(!changed, "an interval that was taken does not change");
    tap_ok(candor_histogram_count_at(&sum, 5000) == fives, "value by value");
    candor_recorder_deinit(&recorder);
    candor_histogram_deinit(&sum);
}

static int sampled;

static void *sample_once(void *total)
{
    *(int64_t *)total = candor_histogram_total(candor_recorder_sample(&recorder));
    __atomic_store_n(&sampled, 1, __ATOMIC_RELEASE);
    return NULL;
}

/* A writer has entered, and has not counted yet: the reader that takes the interval must wait for it. */
static void test_recorder_waits(void)
{
    struct timespec while_it_stands = {0, 50000000};
    pthread_t thread;
    int64_t total = 0;
    for (int phase = 0; phase < 2; phase++) {
        candor_recorder_init(&recorder, 1, 1000000, 3);
        if (phase)
            candor_recorder_sample(&recorder);
        sampled = 0;
        int64_t epoch = __atomic_fetch_add(&recorder.start_epoch, 1, __ATOMIC_ACQ_REL);
        int32_t active = recorder.active;
        pthread_create(&thread, NULL, sample_once, &total);
        nanosleep(&while_it_stands, NULL);
        bool early = __atomic_load_n(&sampled, __ATOMIC_ACQUIRE);
        candor_histogram_record_atomic(&recorder.halves[active], 5);
        __atomic_fetch_add(&recorder.end_epoch[epoch < 0], 1, __ATOMIC_RELEASE);
        pthread_join(thread, NULL);
        tap_ok(!early && total == 1, "the reader waits for a writer in the middle, phase %d", phase);
        candor_recorder_deinit(&recorder);
    }
}

static bool same(const struct candor_histogram *a, const struct candor_histogram *b)
{
    return a->counts_len == b->counts_len && a->digits == b->digits && a->lowest == b->lowest &&
           !memcmp(a->counts, b->counts, candor_histogram_bytes(a));
}

static void test_encoding(void)
{
    unsigned wrong = 0, accepted = 0, odd = 0;
    for (int round = 0; round < 60; round++) {
        struct candor_histogram h, back;
        char *text;
        candor_histogram_init(&h, 1 + round % 7 * 100, round % 2 ? 0 : 3600 * NS_PER_S, 1 + round % 4);
        for (int i = 0; i < round * 20; i++)
            candor_histogram_record_n(&h, draw_value(41), 1 + draw_value(1 + (int)(draw() % 62)) / (1 << 12));
        if (candor_histogram_encode(&h, &text) || strncmp(text, "HISTFAAA", 8) || candor_histogram_decode(&back, text, strlen(text))) {
            wrong++;
            continue;
        }
        wrong += !same(&h, &back);
        candor_histogram_deinit(&back);
        for (size_t n = strlen(text); n-- > 0;) { /* base64 may lack its padding, and nothing else */
            if (text[n] == '=')
                continue;
            if (!candor_histogram_decode(&back, text, n)) {
                accepted += n + 2 < strlen(text) || !same(&h, &back);
                candor_histogram_deinit(&back);
            }
            if (n > 64)
                n -= n / 9;
        }
        for (int i = 0; i < 40; i++) { /* a changed digit: refused, or (in unused bits of zlib) without effect */
            size_t at = draw() % strlen(text);
            char was = text[at];
            text[at] = (char)(was == 'A' ? 'B' : 'A');
            if (!candor_histogram_decode(&back, text, strlen(text))) {
                odd += candor_histogram_total(&back) < 0;
                candor_histogram_deinit(&back);
            }
            text[at] = was;
        }
        free(text);
        candor_histogram_deinit(&h);
    }
    tap_ok(!wrong, "encoded and back: the same (%u are not)", wrong);
    tap_ok(!accepted, "cut off: refused (%u are not)", accepted);
    tap_ok(!odd, "changed: no nonsense");
}

/* Logs of older HdrHistograms: 5, 300 and 1 values in the counters 3, 200 and 299. */
static void test_older_encodings(void)
{
    static const struct {
        const char *what;
        int rc;
        const char *text;
    } cases[] = {
        {"V0 in words of 8 bytes", 0, "HISTiQAAADV4nJNpmdzBwMDAxAABjBCybQGUa8SAH7ASkB8Fo2AUjIJRMKIBo85Au2AUjIJBCBgBBWoDTA=="},
        {"V0 in words of 4 bytes", 0, "HISTSQAAAC54nJNpmezBwMDAxAABjBCybQGUa8SAClgZRsEoGAVIgFFnoF0wCuCAEQDvPwMM"},
        {"V1 in words of 8 bytes", 0, "HISTggAAADh4nJNpmdzIwMCZwAABTFCaEUK2LbD/wEAMYCVK1SgYBaNgFIyCEQoYdQbaBaNgFAxCwAgA+iEEqg=="},
        {"V1 in words of 2 bytes", 0, "HISTIgAAACx4nJNpmazIwMAUwQABTFCaEUK2LbD/wIAMWBlGwaAAjDoD7QKqAEYA9GIEOw=="},
        {"a word of 6 bytes", -EBADMSG, "HISTaQAAADJ4nJNpmZzBwMDAxAABjBCybQGUa8SAHbDiEB8Fo2AUjIIBBYw6A+2CUTDMACMAr00DLA=="},
        {"a negative count", -EBADMSG, "HISTIgAAAC14nJNpmazIwMAUwQABTFCaEUK2LbD/wIAE/v9mGAWDAjDqDLQLqAIYAX4xBjA="},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct candor_histogram h;
        int rc = candor_histogram_decode(&h, cases[i].text, strlen(cases[i].text));
        bool good = rc == cases[i].rc;
        if (!rc) {
            good = good && h.digits == 2 && h.highest == 100000 && candor_histogram_total(&h) == 306 && h.counts[3] == 5 &&
                   h.counts[200] == 300 && h.counts[299] == 1;
            candor_histogram_deinit(&h);
        }
        tap_ok(good, "%s: %s", cases[i].what, cases[i].rc ? "refused" : "read");
    }
}

int main(void)
{
    test_indexes();
    test_short_way();
    test_sizes();
    test_figures();
    test_sums();
    test_recorder();
    test_recorder_waits();
    test_encoding();
    test_older_encodings();
    return tap_done();
}
