/*
 * What was added to a pprof profile of sums since the one before: exact sums, starts, states, times; and any bytes.
 * tier: quick
 * timeout: 60
 */
#include "base/buffer.h"
#include "base/pb.h"
#include "format/pprof_fields.h"
#include "format/pprof_since.h"
#include "../tap.h"

#include <stdlib.h>
#include <string.h>

/* A sample: its function ("a", "b", ...), the value of its label, its sum and its state. */
struct row {
    char function;
    uint64_t label, sum, state;
};

static void put_pair(struct buffer *out, uint32_t number, uint64_t first, uint64_t second)
{
    struct buffer m;
    buffer_init(&m, 64);
    pb_put_uint(&m, 1, first);
    pb_put_uint(&m, 2, second);
    pb_put_message(out, number, &m);
    buffer_deinit(&m);
}

static void put_sample(struct buffer *out, const struct row *row, uint64_t id)
{
    struct buffer m, numbers;
    buffer_init(&m, 256);
    buffer_init(&numbers, 64);
    pb_put_uint(&m, PPROF_SAMPLE_LOCATION, id);
    pb_put_varint(&numbers, row->sum);
    pb_put_varint(&numbers, row->state);
    pb_put_message(&m, PPROF_SAMPLE_VALUE, &numbers);
    buffer_reset(&numbers);
    pb_put_uint(&numbers, PPROF_LABEL_KEY, 3);
    pb_put_uint(&numbers, PPROF_LABEL_NUM, row->label);
    pb_put_message(&m, PPROF_SAMPLE_LABEL, &numbers);
    pb_put_message(out, PPROF_SAMPLE, &m);
    buffer_deinit(&numbers);
    buffer_deinit(&m);
}

static void put_location(struct buffer *out, uint64_t id, uint64_t address)
{
    struct buffer m, line;
    buffer_init(&m, 256);
    buffer_init(&line, 64);
    pb_put_uint(&m, PPROF_LOCATION_ID, id);
    pb_put_uint(&m, PPROF_LOCATION_ADDRESS, address);
    pb_put_uint(&line, PPROF_LINE_FUNCTION, id);
    pb_put_message(&m, PPROF_LOCATION_LINE, &line);
    pb_put_message(out, PPROF_LOCATION, &m);
    buffer_deinit(&line);
    buffer_deinit(&m);
}

/* Makes a profile. Ids begin at `ids`, because they mean nothing outside their profile. */
static struct buffer make(const struct row *rows, uint64_t count, uint64_t ids, int64_t time_ns)
{
    struct buffer out;
    buffer_init(&out, 1 << 16);
    put_pair(&out, PPROF_SAMPLE_TYPE, 1, 0);
    put_pair(&out, PPROF_SAMPLE_TYPE, 2, 0);
    for (uint64_t i = 0; i < count; i++) {
        char name[2] = {rows[i].function, 0};
        put_sample(&out, &rows[i], ids + i);
        put_location(&out, ids + i, (uint64_t)rows[i].function * 16);
        put_pair(&out, PPROF_FUNCTION, ids + i, 4 + i);
        if (!i)
            for (int text = 0; text < 4; text++)
                pb_put_text(&out, PPROF_STRING, (const char *const[]){"", "alloc_space", "inuse_space", "bytes"}[text]);
        pb_put_text(&out, PPROF_STRING, name);
    }
    pb_put_int(&out, PPROF_TIME_NANOS, time_ns);
    return out;
}

struct sums {
    uint64_t samples, sum, state, time_ns, duration_ns;
};

static struct sums sum_up(const struct buffer *b)
{
    struct sums s = {0};
    struct pb m = pb_init(b->data, b->len);
    for (struct pb_field f; pb_next(&m, &f);) {
        struct pb sample = pb_message(&f);
        s.time_ns = f.number == PPROF_TIME_NANOS ? f.value : s.time_ns;
        s.duration_ns = f.number == PPROF_DURATION_NANOS ? f.value : s.duration_ns;
        s.samples += f.number == PPROF_SAMPLE;
        for (struct pb_field in; f.number == PPROF_SAMPLE && pb_next(&sample, &in);) {
            struct pb_numbers rest = pb_numbers(&in);
            uint64_t v;
            if (in.number != PPROF_SAMPLE_VALUE)
                continue;
            s.sum += pb_number(&rest, &v) ? v : 0;
            s.state += pb_number(&rest, &v) ? v : 0;
        }
    }
    return s;
}

/* Takes a profile, and keeps it. Returns what is new of it. */
static struct sums next(struct pprof_since *since, const struct row *rows, uint64_t count, int64_t time_ns, enum pprof_since_result *result)
{
    struct error e = {""};
    struct buffer out, in = make(rows, count, 1 + (uint64_t)time_ns, time_ns);
    buffer_init(&out, 1 << 16);
    if (pprof_since_take(since, in.data, in.len, &out, result, &e))
        tap_ok(false, "it is taken: %s", e.text);
    struct sums s = sum_up(&out);
    pprof_since_keep(since);
    buffer_deinit(&in);
    buffer_deinit(&out);
    return s;
}

static void check_sums(void)
{
    enum pprof_since_result result;
    struct pprof_since *since = pprof_since_new();
    next(since, (struct row[]){{'a', 8, 100, 5}, {'b', 8, 50, 0}}, 2, 1000, &result);
    tap_ok(result == PPROF_SINCE_FIRST, "there is nothing to compare the first one with");
    struct sums s = next(since, (struct row[]){{'b', 8, 50, 0}, {'a', 8, 130, 7}, {'a', 16, 4, 1}}, 3, 3500, &result);
    tap_ok(result == PPROF_SINCE_MORE && s.sum == 34 && s.state == 8 && s.samples == 2,
           "sums are what was added, states stay, and a sample without either is left out");
    tap_ok(s.time_ns == 1000 && s.duration_ns == 2500, "the time is that between the two");
    next(since, (struct row[]){{'b', 8, 50, 0}, {'a', 8, 130, 0}, {'a', 16, 4, 0}}, 3, 4000, &result);
    tap_ok(result == PPROF_SINCE_NOTHING, "nothing new");
    s = next(since, (struct row[]){{'b', 8, 30, 0}, {'a', 8, 131, 0}, {'b', 8, 40, 0}, {'a', 16, 4, 0}}, 4, 5000, &result);
    tap_ok(result == PPROF_SINCE_MORE && s.sum == 21 && s.samples == 2, "samples with the same stack and labels are added up");
    s = next(since, (struct row[]){{'b', 8, 70, 0}, {'a', 8, 900, 0}}, 2, 6000, &result);
    tap_ok(result == PPROF_SINCE_RESTART && s.sum == 970, "a sum that is gone: a start, and all of it is new");
    s = next(since, (struct row[]){{'b', 8, 69, 0}, {'a', 8, 900, 0}}, 2, 7000, &result);
    tap_ok(result == PPROF_SINCE_RESTART && s.sum == 969 && s.time_ns == 7000, "a smaller sum is one, too");
    pprof_since_free(since);
}

static void check_keep(void)
{
    enum pprof_since_result result;
    struct error e;
    struct pprof_since *since = pprof_since_new();
    struct buffer out, in = make((struct row[]){{'a', 8, 150, 0}}, 1, 1, 10);
    buffer_init(&out, 1 << 16);
    next(since, (struct row[]){{'a', 8, 100, 0}}, 1, 5, &result);
    for (int i = 0; i < 2; i++) {
        buffer_reset(&out);
        tap_ok(!pprof_since_take(since, in.data, in.len, &out, &result, &e) && sum_up(&out).sum == 50,
               "what was not kept is new once more");
    }
    buffer_deinit(&in);
    buffer_deinit(&out);
    pprof_since_free(since);
}

/* Takes profiles with random bytes in them. Whatever the output is, each sample of it has two values, and no sum is greater than that of
 * the input. */
static void check_damage(void)
{
    enum { ROUNDS = 20000 };
    struct pprof_since *since = pprof_since_new();
    struct buffer out, in = make((struct row[]){{'a', 8, 100, 5}, {'b', 9, 50, 0}, {'c', 8, 7, 1}}, 3, 1, 1000);
    uint32_t good = 0, refused = 0, grown = 0;
    buffer_init(&out, 1 << 16);
    srand(39);
    for (int i = 0; i < ROUNDS; i++) {
        enum pprof_since_result result;
        struct error e;
        uint8_t bytes[1024];
        memcpy(bytes, in.data, in.len);
        size_t n = i % 3 ? in.len : (size_t)rand() % in.len;
        for (int k = rand() % 4; k > 0; k--)
            bytes[(size_t)rand() % in.len] = (uint8_t)rand();
        buffer_reset(&out);
        int rc = pprof_since_take(since, bytes, n, &out, &result, &e);
        struct buffer copy = {.data = bytes, .len = n};
        grown += !rc && result != PPROF_SINCE_FIRST && sum_up(&out).sum > sum_up(&copy).sum;
        good += !rc;
        refused += rc != 0;
        if (!rc && i % 5)
            pprof_since_keep(since);
    }
    tap_ok(good > 100 && refused > 100 && !grown, "any bytes: %u are taken, %u refused, %u have grown", good, refused, grown);
    buffer_deinit(&in);
    buffer_deinit(&out);
    pprof_since_free(since);
}

int main(void)
{
    check_sums();
    check_keep();
    check_damage();
    return tap_done();
}
