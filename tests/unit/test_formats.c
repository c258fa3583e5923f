/* Other tools' formats. A profile that is written and read again is the same, as far as the format can hold it. Damage of every kind
 * gives an error of one line, or is left out.
 * tier: quick
 * timeout: 300 */
#include "../tap.h"

#include "format/collapsed.h"
#include "base/pb.h"
#include "format/pprof.h"
#include "format/read/formats.h"
#include "format/speedscope.h"
#include "format_seed.h"
#include "format_text.h"
#include "profile_maker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool same(const struct profile *a, const struct profile *b, unsigned what)
{
    char *one = format_text(a, what), *other = format_text(b, what);
    bool equal = !strcmp(one, other);
    if (!equal)
        tap_note("expected:\n%s\n# found:\n%s", one, other);
    free(one);
    free(other);
    return equal;
}

static void test_round_trips(const struct profile *p, const struct format_seed *seeds)
{
    struct error e;
    for (int i = 0; i < FORMAT_SEEDS && strncmp(seeds[i].name, "hpl", 3); i++) {
        struct profile back;
        int rc = format_seed_read(&back, &seeds[i], seeds[i].bytes, seeds[i].size, &e);
        tap_ok(!rc && !back.problem_count, "%s is read, without a complaint: %s", seeds[i].name, rc ? e.text : "good");
        bool rounded = !strcmp(seeds[i].name, "collapsed"); /* to whole samples */
        tap_ok(!rc && (rounded ? back.weight == 23 && back.sampled == 23 : same(p, &back, seeds[i].holds)), "%s says what the profile said",
               seeds[i].name);
        profile_deinit(&back);
    }
}

/* A profile that was read is written and read again: the second round loses nothing. */
static void test_second_trip(const struct format_seed *seeds)
{
    struct error e;
    for (int i = 0; i < 3; i++) {
        struct format_seed again[FORMAT_SEEDS];
        struct profile first, second;
        int rc = format_seed_read(&first, &seeds[i], seeds[i].bytes, seeds[i].size, &e);
        format_seeds(again, &first);
        rc = rc ? rc : format_seed_read(&second, &again[i], again[i].bytes, again[i].size, &e);
        tap_ok(!rc && same(&first, &second, seeds[i].holds), "%s after %s is the same", seeds[i].name, seeds[i].name);
        profile_deinit(&first);
        profile_deinit(&second);
        for (int k = 0; k < FORMAT_SEEDS; k++)
            free(again[k].bytes);
    }
}

static void test_log(const struct format_seed *seed)
{
    struct profile p;
    struct error e;
    int rc = format_seed_read(&p, seed, seed->bytes, seed->size, &e);
    char *text = format_text(&p, FORMAT_THREADS | FORMAT_OUTCOMES);
    tap_ok(!rc && p.weight == 3 && p.unit == PROFILE_UNIT_SAMPLES, "%s: three samples", seed->name);
    tap_ok(strstr(text, "main complete java.lang.Thread.run;demo.Work.hot; 1\n") &&
               strstr(text, "main UnknownJavaErr5 [UnknownJavaErr5]; 1\n") && strstr(text, " no stack [no stack]; 1\n"),
           "%s: a stack, a failure with its reason, and one without frames", seed->name);
    if (strcmp(seed->name, "hpl-old"))
        tap_ok(p.samples[0].time_ns == 1700000000000000005 && p.frames[p.nodes[p.samples[0].stack].frame].line == 23, "%s: times and lines",
               seed->name);
    free(text);
    profile_deinit(&p);
}

/* What a reader must do with any bytes: return 0 and a profile that adds up, or an error of one line. */
static bool is_total(const struct format_seed *seed, const uint8_t *bytes, size_t size)
{
    struct profile p;
    struct error e;
    uint64_t weight = 0;
    int rc = format_seed_read(&p, seed, bytes, size, &e);
    for (uint32_t i = 0; i < p.sample_count; i++)
        weight += p.samples[i].weight;
    bool good = rc ? *e.text && !strchr(e.text, '\n') : weight == p.weight;
    if (!good)
        tap_note("%s: %d, '%s'", seed->name, rc, e.text);
    profile_deinit(&p);
    return good;
}

static void test_damage(const struct format_seed *seed)
{
    uint64_t worse = 0;
    for (size_t n = 0; n <= seed->size; n++) {
        uint8_t *cut = malloc(n + 1); /* of exactly its size, so that a sanitizer detects a read beyond the end */
        memcpy(cut, seed->bytes, n);
        cut[n] = 0;
        worse += !is_total(seed, cut, n);
        free(cut);
    }
    tap_ok(!worse, "%s: cut at every one of %zu bytes", seed->name, seed->size);
    worse = 0;
    for (size_t bit = 0; bit < seed->size * 8; bit++) {
        seed->bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        worse += !is_total(seed, seed->bytes, seed->size);
        seed->bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    tap_ok(!worse, "%s: each bit flipped", seed->name);
}

static void load_is(const char *text, const char *value, const char *wanted, unsigned what, const char *about)
{
    struct profile p;
    struct error e = {""};
    const struct import in = {.bytes = (const uint8_t *)text, .size = strlen(text), .name = "text", .value = value, .error = &e};
    profile_init(&p);
    int rc = collapsed_read(&p, &in);
    char *found = format_text(&p, what);
    if (!tap_ok(!rc && !strcmp(found, wanted), "collapsed: %s", about))
        tap_note("%s\n%s", e.text, found);
    free(found);
    profile_deinit(&p);
}

static void test_collapsed(void)
{
    load_is("a;b 2\na;b 3\n", NULL, "a;b; 5\nsum 5 samples\n", 0, "two lines of one stack");
    load_is("# a comment\n\nmain;java/util/HashMap.put_[j];memcpy 12\r\n", NULL,
            "main(Other 0 );java.util.HashMap.put(JIT compiled 0 );memcpy(Other 0 ); 12\nsum 12 samples\n", FORMAT_TYPES,
            "comments, and async-profiler's marks");
    load_is("[pool 1 tid=12];a.B.c 7", "ns", "pool 1 12 0 a.B.c; 7\nsum 7 ns\n", FORMAT_THREADS | FORMAT_THREAD_IDS,
            "its threads, and nanoseconds");
    load_is("std::map<int, int>::find(int) 1", NULL, "std::map<int, int>::find(int); 1\nsum 1 samples\n", 0, "blanks in names");
    load_is("f.cold;ld-linux.so.2;x.constprop.0 1", NULL,
            "f.cold(Other 0 );ld-linux.so.2(Other 0 );x.constprop.0(Other 0 ); 1\nsum 1 samples\n", FORMAT_TYPES,
            "what compilers put behind a dot is no method");
}

/* Very deep stacks are cut at the root, as in all formats. */
static void test_depth(void)
{
    struct profile p;
    struct error e = {""};
    char *text = malloc(3 * 5000 + 10);
    size_t n = 0;
    for (int i = 0; i < 5000; i++)
        n += (size_t)sprintf(text + n, "%sf", i ? ";" : "");
    n += (size_t)sprintf(text + n, " 1\n");
    const struct import in = {.bytes = (const uint8_t *)text, .size = n, .name = "deep", .error = &e};
    profile_init(&p);
    int rc = collapsed_read(&p, &in);
    tap_ok(!rc && p.node_count == PROFILE_DEPTH_MAX + 1 && !strcmp(profile_text(&p, p.samples[0].outcome), "truncated"),
           "a stack of 5,000 frames is cut to %d", PROFILE_DEPTH_MAX);
    profile_deinit(&p);
    free(text);
}

static void test_pb(void)
{
    static const uint64_t numbers[] = {0, 1, 127, 128, 300, UINT32_MAX, 1ull << 62, UINT64_MAX};
    struct buffer b;
    buffer_init(&b, 1 << 10);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        pb_put_uint(&b, (uint32_t)i + 1, numbers[i]);
    pb_put_fixed64(&b, 500, 0x0123456789abcdef);
    pb_put_text(&b, 501, "text");
    struct pb m = pb_init(b.data, b.len);
    struct pb_field f;
    size_t seen = 0;
    bool good = true;
    for (; pb_next(&m, &f); seen++)
        good &= f.number == 500   ? f.value == 0x0123456789abcdef
                : f.number == 501 ? f.size == 4 && !memcmp(f.bytes, "text", 4)
                                  : f.value == numbers[f.number - 1];
    tap_ok(good && !m.bad && seen == 9, "numbers come back, and 0 is not written");
    static const uint8_t packed[] = {0x0a, 3, 1, 0xac, 2};
    uint64_t v, sum = 0;
    m = pb_init(packed, sizeof packed);
    pb_next(&m, &f);
    for (struct pb_numbers rest = pb_numbers(&f); pb_number(&rest, &v);)
        sum += v;
    tap_ok(sum == 301, "packed numbers");
    buffer_deinit(&b);
}

/* A file of a few kilobytes whose stacks would have a million frames each, many times. */
static void test_bomb(void)
{
    struct profile p;
    struct error e = {""};
    struct buffer b, one, list;
    buffer_init(&b, 1 << 24);
    buffer_init(&one, 1 << 24);
    buffer_init(&list, 1 << 24);
    pb_put_uint(&one, 1, 1);
    pb_put_message(&b, 1, &one);
    buffer_reset(&one);
    pb_put_uint(&one, 1, 1);
    for (int i = 0; i < 4000; i++)
        pb_put_bytes(&one, 4, "\x08\x01", 2);
    pb_put_message(&b, 4, &one);
    for (int s = 0; s < 20000; s++) {
        buffer_reset(&one);
        buffer_reset(&list);
        pb_put_varint(&list, 1);
        pb_put_message(&one, 1, &list);
        pb_put_bytes(&one, 2, "\x01", 1);
        pb_put_message(&b, 2, &one);
    }
    const struct format_seed seed = {.name = "pprof", .read = pprof_read};
    int rc = format_seed_read(&p, &seed, b.data, b.len, &e);
    tap_ok(rc && strstr(e.text, "repeat themselves"), "%zu bytes that want 80 million frames are refused: %s", b.len, e.text);
    profile_deinit(&p);
    buffer_deinit(&b);
    buffer_deinit(&one);
    buffer_deinit(&list);
}

/* Input that no reader accepts because of its size is refused as too large, not for lack of memory: nobody should try it again. */
static void test_large_text(void)
{
    enum { LIMIT = 1 << 24 };
    static const struct {
        size_t size;
        int code;
    } cases[] = {{LIMIT / 2, 0}, {LIMIT, -EFBIG}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct profile p;
        char *text = calloc(1, cases[i].size + 1), *bytes = NULL;
        size_t size = 0;
        memset(text, 'x', cases[i].size);
        maker_init(&p);
        maker_sample_of(&p, text, "A.m", 5);
        FILE *f = open_memstream(&bytes, &size);
        int rc = pprof_write(f, &p);
        fclose(f);
        tap_ok(rc == cases[i].code, "pprof: a thread's name of %zu bytes: %d", cases[i].size, rc);
        profile_deinit(&p);
        free(bytes);
        free(text);
    }
}

/* jansson quotes the text at which it failed, here including the line end. */
static void test_quoted(void)
{
    static const char bytes[] = "{\"shared\": \"one \\\n\"}";
    struct profile p;
    struct error e = {""};
    const struct format_seed seed = {.name = "speedscope", .read = speedscope_read};
    int rc = format_seed_read(&p, &seed, (const uint8_t *)bytes, sizeof bytes - 1, &e);
    size_t controls = 0;
    for (const char *c = e.text; *c; c++)
        controls += (unsigned char)*c < ' ';
    tap_ok(rc && *e.text && !controls, "what a message quotes of a damaged file is one line: %s", e.text);
    profile_deinit(&p);
}

static void test_recognised(const struct format_seed *seeds)
{
    for (int i = 0; i < FORMAT_SEEDS; i++) {
        char path[] = "/tmp/candor-format-XXXXXX";
        struct profile p;
        struct error e = {""};
        int fd = mkstemp(path);
        bool written = fd >= 0 && write(fd, seeds[i].bytes, seeds[i].size) == (ssize_t)seeds[i].size;
        profile_init(&p);
        int rc = formats_load(&p, path, NULL, NULL, &e);
        const char *source = profile_text(&p, p.source);
        size_t n = strcspn(seeds[i].name, "-");
        bool right = strlen(source) == n && !strncmp(source, seeds[i].name, n);
        tap_ok(written && !rc && right, "%s is recognised by its content: %s%s", seeds[i].name, source, e.text);
        profile_deinit(&p);
        close(fd);
        unlink(path);
    }
}

int main(void)
{
    struct format_seed seeds[FORMAT_SEEDS];
    struct profile p;
    format_seed_profile(&p);
    format_seeds(seeds, &p);
    test_pb();
    test_round_trips(&p, seeds);
    test_second_trip(seeds);
    test_collapsed();
    test_depth();
    test_bomb();
    test_large_text();
    test_quoted();
    test_recognised(seeds);
    for (int i = 0; i < FORMAT_SEEDS; i++) {
        if (!strncmp(seeds[i].name, "hpl", 3))
            test_log(&seeds[i]);
        test_damage(&seeds[i]);
        free(seeds[i].bytes);
    }
    profile_deinit(&p);
    return tap_done();
}
