/*
 * Rounded weights: what segment_round keeps to the unit and what it may change; a store that rounds answers with the same sums as one that
 * does not, by recording, by hour and by day, from rows, after merging, from roll-ups, and after its segments were damaged and sealed
 * again; and its rows take less room.
 * tier: default
 * timeout: 300
 */
#include "../tap.h"
#include "store_place.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "compress/intake.h"
#include "format/read/formats.h"
#include "store/files/segment.h"
#include "store/store.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DAY = 86400, HOUR = 3600, STACKS = 20, ROWS = 4000, RECORDINGS = 24, SAMPLES = 300, INTERVAL = 10000000, NOISE = 400000 };

static char folder[] = "/tmp/candor-rounded-XXXXXX";
static unsigned seed = 20261128;

static uint64_t noisy(void)
{
    return (uint64_t)(INTERVAL - NOISE / 2 + rand_r(&seed) % NOISE);
}

/* ---- one segment ---- */

static struct segment segment_of(struct segment_row *rows, uint64_t (*weight)(void))
{
    for (uint32_t i = 0; i < ROWS; i++)
        rows[i] = (struct segment_row){
            .weight = weight(), .second = i, .stack = (uint32_t)rand_r(&seed) % STACKS, .count = 1, .thread = i % 7, .outcome = 1};
    return (struct segment){.rows = rows, .row_count = ROWS, .row_cap = ROWS, .nodes = STACKS};
}

struct change {
    uint64_t before[STACKS], after[STACKS], sum_before, sum_after;
    uint32_t changed, uneven; /* rows with another weight, and rows that are no multiple of the step */
};

static struct change round_one(uint64_t (*weight)(void), uint64_t step)
{
    static struct segment_row rows[ROWS];
    static uint64_t old[ROWS]; /* by second, which is different for each row */
    struct segment s = segment_of(rows, weight);
    struct change c = {0};
    for (uint32_t i = 0; i < ROWS; i++) {
        old[i] = rows[i].weight;
        c.before[rows[i].stack] += rows[i].weight;
        c.sum_before += rows[i].weight;
    }
    segment_round(&s);
    for (uint32_t i = 0; i < s.row_count; i++) {
        c.after[rows[i].stack] += rows[i].weight;
        c.sum_after += rows[i].weight;
        c.changed += rows[i].weight != old[rows[i].second];
        c.uneven += rows[i].weight % step != 0;
    }
    return c;
}

static uint64_t same(void)
{
    return INTERVAL;
}

static uint64_t small(void)
{
    return 1 + (uint64_t)rand_r(&seed) % 20;
}

/* A third is light: a hundredth of the others. */
static uint64_t mixed(void)
{
    return rand_r(&seed) % 3 ? noisy() : noisy() / 100;
}

static uint64_t huge(void)
{
    return ((uint64_t)1 << 61) / ROWS - (uint64_t)rand_r(&seed);
}

/* Rows that count something, such as requests: the weight of each is its count. */
static void test_counts(void)
{
    static struct segment_row rows[ROWS];
    struct segment s = segment_of(rows, noisy);
    uint32_t changed = 0;
    for (uint32_t i = 0; i < ROWS; i++)
        rows[i].weight = rows[i].count = 500 + (uint32_t)rand_r(&seed) % 500;
    segment_round(&s);
    for (uint32_t i = 0; i < s.row_count; i++)
        changed += rows[i].weight != rows[i].count;
    tap_ok(!changed, "so do counts: %u changed", changed);
}

static void test_segment(void)
{
    const uint64_t step = 1 << 19; /* the power of two below INTERVAL / 16 */
    struct change c = round_one(noisy, step), light = round_one(mixed, step), large = round_one(huge, 1);
    uint32_t far = 0;
    for (uint32_t i = 0; i < STACKS; i++)
        far += c.after[i] > c.before[i] + step || c.before[i] > c.after[i] + step;
    tap_ok(c.sum_before == c.sum_after, "the sum of all rows is the same: %llu", (unsigned long long)c.sum_after);
    tap_ok(!far, "no stack's sum changes by more than a step: %u of %d do", far, STACKS);
    tap_ok(c.uneven <= 1 && c.changed > ROWS / 2, "all rows but one are multiples of the step: %u are not, %u changed", c.uneven,
           c.changed);
    tap_ok(light.sum_before == light.sum_after && light.uneven > ROWS / 4 && light.changed + light.uneven <= ROWS + 1,
           "light rows stay as they are, and the sum, too: %u rows changed, %u light", light.changed, light.uneven);
    tap_ok(large.sum_before == large.sum_after && large.changed, "so does the sum of very large weights: %u rows changed", large.changed);
    tap_ok(!round_one(same, 1).changed, "equal weights stay as they are");
    tap_ok(!round_one(small, 1).changed, "so do small ones");
    test_counts();
}

/* ---- stores ---- */

/* A recording of two types, whose samples are spread over five minutes. */
static int load_one(struct store_profiles *to, const struct envelope *v, const char *unit, struct error *e)
{
    struct intake in;
    struct profile *p = store_profiles_add(to);
    int rc = p ? intake_open_memory(&in, v->body, v->size, "test", e) : -ENOMEM;
    rc = rc ? rc : formats_load_from(p, &in, "test", "collapsed", unit, NULL, e);
    for (uint32_t i = 0; !rc && i < p->sample_count; i++) {
        p->samples[i].time_ns = v->note.from_ns + (int64_t)i * NS_PER_S;
        p->samples[i].count = 1; /* the weights are noisy, and no counts */
    }
    return rc;
}

static int load(struct store_profiles *to, const struct envelope *v, struct error *e)
{
    int rc = load_one(to, v, NULL, e);
    return rc ? rc : load_one(to, v, "ns", e);
}

/* many: how many segments there are before they are merged. sums: profiles are made of sums. */
static struct store *open_one(const char *name, bool rounded, uint32_t many, bool sums)
{
    char path[300];
    struct store_options o = {.path = path,
                              .limits = {.retain_s = 30 * DAY, .retain_hours_s = sums ? 60 * DAY : 0, .retain_days_s = 90 * DAY},
                              .load = load,
                              .single_rows = sums,
                              .rollup = {-1, -1},
                              .merge = {.same = many, .all = many},
                              .round_weights = rounded};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return store_place_open(&o);
}

/* The first second of the recordings: two days, which are over. */
static int64_t begin(void)
{
    return ((int64_t)(clock_realtime_ns() / NS_PER_S) / DAY - 3) * DAY;
}

static void add(struct store *s, uint32_t number, const char *body, uint64_t ago_ns)
{
    struct envelope_writer w;
    struct envelope_note note = {.received_ns = (int64_t)(clock_realtime_ns() - ago_ns)};
    uint8_t identity[ENVELOPE_IDENTITY] = {1, (uint8_t)number};
    struct store_added added;
    struct error e;
    char host[8];
    note.from_ns = (begin() + (int64_t)number * 2 * DAY / RECORDINGS + 60) * NS_PER_S;
    note.until_ns = note.from_ns + SAMPLES * NS_PER_S;
    int n = snprintf(host, sizeof host, "h%u", number % 3);
    int rc = labels_set(&note.labels, "service", 7, "shop", 4, &e) || labels_set(&note.labels, "host", 4, host, (size_t)n, &e);
    rc = rc ? rc : store_begin(s, &w, &e);
    rc = rc ? rc : envelope_put(&w, body, strlen(body), &e);
    rc = rc ? rc : store_add(s, &w, &note, identity, &added, &e);
    if (rc) {
        tap_note("%s", e.text);
        exit(1);
    }
    labels_deinit(&note.labels);
}

/* Adds the same recordings to both, received so long ago. */
static void fill(struct store *exact, struct store *rounded, uint32_t count, uint64_t ago_ns)
{
    for (uint32_t i = 0; i < count; i++) {
        struct buffer body;
        buffer_init(&body, 1 << 20);
        for (uint32_t k = 0; k < SAMPLES; k++) /* each with a stack of its own: the format adds up equal ones */
            buffer_printf(&body, "x.A.main;x.A.m%u %llu\n", k, (unsigned long long)noisy());
        buffer_u8(&body, 0);
        add(exact, i, (const char *)body.data, ago_ns);
        add(rounded, i, (const char *)body.data, ago_ns);
        buffer_deinit(&body);
    }
}

/* Writes what the store says of a type: the sum, and those by host and by this step of time. */
static void say(struct store *s, const char *type, int64_t step, struct buffer *out)
{
    struct store_query q = {.from = begin(), .to = begin() + 2 * DAY, .type = type};
    struct store_series series;
    struct store_result r;
    struct profile p;
    struct error e;
    if (profile_init(&p) || store_profile(s, &q, &p, &r, &e))
        exit(1);
    buffer_printf(out, "%s %llu %llu %llu %llu\n", type, (unsigned long long)p.weight, (unsigned long long)r.weight,
                  (unsigned long long)r.recordings, (unsigned long long)missing_parts(&r.missing));
    store_result_deinit(&r);
    profile_deinit(&p);
    if (store_series(s, &q, step, "host", &series, &r, &e))
        exit(1);
    for (uint32_t i = 0; i < series.point_count; i++)
        buffer_printf(out, "%s %lld %llu\n", series.values[series.points[i].series], (long long)series.points[i].step,
                      (unsigned long long)series.points[i].weight);
    store_series_deinit(&series);
    store_result_deinit(&r);
}

static const char *const types[] = {"cpu:samples", "cpu:ns"};

static bool agree(struct store *exact, struct store *rounded, uint32_t *lines)
{
    static const int64_t steps[] = {HOUR, DAY};
    struct buffer a, b;
    buffer_init(&a, 1 << 20);
    buffer_init(&b, 1 << 20);
    for (size_t i = 0; i < 4; i++) {
        say(exact, types[i / 2], steps[i % 2], &a);
        say(rounded, types[i / 2], steps[i % 2], &b);
    }
    bool equal = a.len == b.len && !memcmp(a.data, b.data, a.len);
    *lines = 0;
    for (size_t i = 0; i < a.len; i++)
        *lines += a.data[i] == '\n';
    if (!equal)
        tap_note("exact:\n%.*s\nrounded:\n%.*s", (int)a.len, (char *)a.data, (int)b.len, (char *)b.data);
    buffer_deinit(&a);
    buffer_deinit(&b);
    return equal && *lines > 4 * RECORDINGS / 2;
}

static long number_from(const char *name, const char *command)
{
    char text[600], line[64] = "";
    snprintf(text, sizeof text, "cd %s/%s/segments && %s", folder, name, command);
    FILE *f = popen(text, "r");
    if (!f || !fgets(line, sizeof line, f) || pclose(f))
        exit(1);
    return atol(line);
}

static void compare(const char *when, uint32_t many, bool sums)
{
    struct store *exact = open_one("exact", false, many, sums), *rounded = open_one("rounded", true, many, sums);
    uint32_t lines;
    for (int i = 0; i < 4; i++) {
        store_maintain(exact);
        store_maintain(rounded);
    }
    bool equal = agree(exact, rounded, &lines);
    tap_ok(equal, "%s: both have the same sums, %u of them", when, lines);
    store_close(exact);
    store_close(rounded);
}

/* Asks for everything, so that the store notices what is damaged, and seals it again when it maintains itself. */
static void find_damage(const char *name, uint32_t many)
{
    struct store *s = open_one(name, true, many, false);
    struct buffer out;
    buffer_init(&out, 1 << 20);
    for (size_t i = 0; i < 2; i++)
        say(s, types[i], DAY, &out);
    buffer_u8(&out, 0);
    tap_ok(strstr((const char *)out.data, " 0 0 "), "nothing of the damaged segments can be read");
    buffer_deinit(&out);
    store_maintain(s);
    store_close(s);
}

#define DAMAGE "for f in */*.seg; do printf x | dd of=$f bs=1 seek=100 conv=notrunc status=none; done; echo 0"
static const char bytes[] = "cat */*.seg | wc -c";

/* Rows of recordings that were received before the store rounded stay exact, also when they are sealed again. */
static void test_earlier(void)
{
    struct store *earlier = open_one("earlier", false, 1000, false), *copy = open_one("copy", false, 1000, false);
    fill(earlier, copy, 4, HOUR * (uint64_t)NS_PER_S);
    store_maintain(earlier); /* merges the rows of days that are over */
    store_close(earlier);
    store_close(copy);
    long before = number_from("earlier", bytes);
    number_from("earlier", DAMAGE);
    find_damage("earlier", 1000);
    long after = number_from("earlier", bytes);
    tap_ok(after == before, "rows of earlier recordings stay exact: %ld bytes of %ld", after, before);
}

/* What both stores say, and what their files take: of rows, of merged rows, of roll-ups, and of rows that are sealed again. */
static void test_files(void)
{
    static const char segments[] = "ls */*.seg | wc -l", rollups[] = "ls */*.roll | wc -l";
    long before = number_from("exact", bytes), after = number_from("rounded", bytes), count = number_from("rounded", segments);
    tap_ok(after < before * 3 / 4, "rounded rows take less room: %ld bytes of %ld", after, before);
    compare("rows, merged", 2, false);
    tap_ok(number_from("rounded", segments) < count, "there are fewer segments than %ld", count);
    compare("rolled up", 2, true);
    tap_ok(number_from("rounded", rollups) > 0, "there are roll-ups");
    number_from("rounded", "rm */*.roll && " DAMAGE);
    find_damage("rounded", 2);
    compare("damaged, and sealed again", 1000, false);
    test_earlier();
}

/* What both stores say if their rows are in ClickHouse. */
static void test_away(void)
{
    compare("rows", 1000, false);
    compare("rolled up", 1000, true);
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    test_segment();
    struct store *exact = open_one("exact", false, 1000, false), *rounded = open_one("rounded", true, 1000, false);
    fill(exact, rounded, RECORDINGS, 0);
    store_close(exact);
    store_close(rounded);
    if (store_place_has_files("files of rounded rows"))
        test_files();
    else
        test_away();
    char text[64];
    snprintf(text, sizeof text, "rm -rf %s", folder);
    if (system(text))
        return 1;
    return tap_done();
}
