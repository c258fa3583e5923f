/*
 * Segments: what is written is read, with the sums and their squares; a segment of the version before is read; a damaged byte is found. A
 * profile that is made of sums is as certain as one that is made of rows.
 * tier: quick
 * timeout: 120
 */
#include "store_shop.h"

#include "old_segment.h"
#include "profile/figures/stats.h"
#include "store/files/segment.h"

#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS = 4200, HALF = ROWS / 2, STACKS = 3, DAY = 86400, SINGLE = 1000 };

static char folder[] = "/tmp/candor-segments-XXXXXX", path[64];

/* Row i of both segments; `large`: the weights of the new one go up to 2^61. */
static struct segment_row row_of(uint32_t i, bool large)
{
    return (struct segment_row){.weight = large && i == 11 ? (uint64_t)1 << 61
                                          : i % 7          ? 1000
                                                           : 3000000,
                                .recording = i / HALF,
                                .second = i % HALF,
                                .stack = 1 + i / 700 % STACKS,
                                .count = 1 + (i % 5 == 0),
                                .thread = i % 4,
                                .outcome = 3,
                                .context = 2 + i / 700 % STACKS,
                                .state = (uint8_t)(i / HALF)};
}

static bool is_row(const struct segment_row *r, bool large)
{
    const struct segment_row w = row_of(r->recording * HALF + r->second, large);
    return r->recording < 2 && r->second < HALF && r->weight == w.weight && r->stack == w.stack && r->count == w.count &&
           r->thread == w.thread && r->outcome == w.outcome && r->context == w.context && r->state == w.state;
}

static bool has_rows(const struct segment *s, bool large)
{
    bool right = s->row_count == ROWS && s->recording_count == 2 && s->recordings[0] == 7 && s->recordings[1] == 9 && s->first == 100 * DAY;
    for (uint32_t i = 0; right && i < s->row_count; i++)
        right = is_row(&s->rows[i], large);
    return right;
}

/* The true sum of weight^2 / count of a stack, and its weight and count. */
static double squares_of(uint32_t stack, bool large, uint64_t *weight, uint64_t *count)
{
    double squares = 0;
    *weight = *count = 0;
    for (uint32_t i = 0; i < ROWS; i++) {
        const struct segment_row r = row_of(i, large);
        if (r.stack != stack)
            continue;
        squares += (double)r.weight * (double)r.weight / r.count;
        *weight += r.weight;
        *count += r.count;
    }
    return squares;
}

static bool has_sums(const struct segment *s, bool large, bool squares)
{
    bool right = s->sum_count == STACKS;
    for (uint32_t i = 0; right && i < s->sum_count; i++) {
        uint64_t weight, count;
        double truth = squares_of(s->sums[i].stack, large, &weight, &count), least = (double)weight * (double)weight / (double)count;
        double low = squares ? truth : least, high = squares ? truth + least / 65536 : least;
        right = s->sums[i].weight == weight && s->sums[i].count == count && s->sums[i].squares >= low * (1 - 1e-9) &&
                s->sums[i].squares <= high * (1 + 1e-9);
    }
    return right;
}

static void put(const uint8_t *bytes, size_t size)
{
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size || close(fd))
        exit(1);
}

static void test_old(void)
{
    struct segment s;
    struct error e;
    put(old_segment, sizeof old_segment);
    int rc = segment_read(&s, path, SEGMENT_ALL | SEGMENT_SUMS, &e);
    if (!tap_ok(!rc, "a segment of the version before is read: %s", rc ? e.text : "yes"))
        return;
    tap_ok(has_rows(&s, false), "it has its rows");
    tap_ok(has_sums(&s, false, false), "and its sums, with the least of squares that there can be");
    segment_deinit(&s);
}

static int write_new(bool large)
{
    static uint64_t recordings[] = {7, 9};
    struct segment s = {.first = 100 * DAY, .recordings = recordings, .recording_count = 2, .row_count = ROWS, .row_cap = ROWS};
    struct error e;
    s.strings = 20, s.nodes = 30, s.threads = 4, s.contexts = 6;
    s.rows = calloc(ROWS, sizeof *s.rows);
    for (uint32_t i = 0; i < ROWS; i++)
        s.rows[i] = row_of(i, large);
    int rc = segment_write(&s, path, false, &e);
    free(s.rows);
    free(s.sums);
    free(s.seconds);
    return rc;
}

static void test_new(void)
{
    for (int large = 0; large < 2; large++) {
        struct segment s = {0};
        struct error e;
        bool read = !write_new(large) && !segment_read(&s, path, SEGMENT_ALL | SEGMENT_SUMS, &e);
        tap_ok(read && has_rows(&s, large), "%s weights: each row is read as it was written", large ? "large" : "small");
        tap_ok(read && has_sums(&s, large, true), "and each sum, with its squares");
        segment_deinit(&s);
    }
}

static void test_damage(void)
{
    struct stat st;
    struct error e;
    uint32_t missed = 0;
    if (write_new(false) || stat(path, &st))
        exit(1);
    uint8_t *bytes = malloc((size_t)st.st_size);
    int fd = open(path, O_RDONLY);
    if (!bytes || read(fd, bytes, (size_t)st.st_size) != st.st_size || close(fd))
        exit(1);
    for (off_t i = 0; i < st.st_size; i++) {
        struct segment s;
        bytes[i] ^= 0x10;
        put(bytes, (size_t)st.st_size);
        bytes[i] ^= 0x10;
        if (segment_read(&s, path, SEGMENT_ALL | SEGMENT_SUMS, &e) != -EBADMSG) {
            missed++;
            segment_deinit(&s);
        }
    }
    tap_ok(!missed, "each damaged byte is found: %u of %lld are not", missed, (long long)st.st_size);
    free(bytes);
}

/* ---- a profile of sums ---- */

/* Adds samples with different weights, one a second, to the recording's only one. */
static int load(struct store_profiles *to, const struct envelope *v, struct error *e)
{
    struct profile *p;
    int rc = shop_load(to, v, &p, e);
    for (uint32_t i = 0; !rc && i < 5000; i++) {
        struct profile_sample s = p->samples[0];
        s.weight = i % 10 ? 1 : 1000;
        s.count = 1;
        s.time_ns = v->note.from_ns + (int64_t)(i + 1) * NS_PER_S;
        rc = profile_add_sample(p, &s);
    }
    return rc;
}

static double effective(uint64_t single_rows, int64_t day, uint32_t *samples)
{
    char name[80];
    struct store_options o = {.path = name, .limits.retain_s = 7 * DAY, .load = load, .single_rows = single_rows, .rollup = {.late_s = -1}};
    struct store_query q = {.from = day, .to = day + DAY};
    struct store_result r;
    struct profile p;
    struct store *s;
    struct error e;
    snprintf(name, sizeof name, "%s/shop", folder);
    if (store_open(&s, &o, &e) || profile_init(&p) || store_profile(s, &q, &p, &r, &e))
        exit(1);
    double size = stats_effective_samples(&p);
    *samples = p.sample_count;
    store_result_deinit(&r);
    profile_deinit(&p);
    store_close(s);
    return size;
}

static void test_profile(void)
{
    int64_t day = ((int64_t)(clock_realtime_ns() / NS_PER_S) / DAY - 1) * DAY;
    uint32_t all, summed;
    struct store *s = shop_open(folder, "shop", 7 * DAY, load);
    shop_add(s, day, "a", 1);
    store_close(s);
    double rows = effective(0, day, &all), sums = effective(SINGLE, day, &summed);
    tap_ok(all == 5001 && summed == 1, "a profile of rows, and one of sums: %u and %u samples", all, summed);
    tap_ok(rows < 600 && fabs(sums / rows - 1) < 1e-4, "both are as certain: %.3f and %.3f effective samples", rows, sums);
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof path, "%s/one.seg", folder);
    test_old();
    test_new();
    test_damage();
    test_profile();
    shop_run(folder, "rm -rf *");
    rmdir(folder);
    return tap_done();
}
