/* Packed input: packing and unpacking with every format, several streams in a row, input cut at every byte or with any bit flipped,
 * decompression bombs.
 * tier: quick
 * timeout: 240 */
#include "../tap.h"

#include "base/buffer.h"
#include "compress/intake.h"
#include "compress/pack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int to_buffer(void *context, const void *bytes, size_t n)
{
    buffer_put(context, bytes, n);
    return 0;
}

/* Half of it repeats, half is random, so that there are blocks of all kinds. */
static uint8_t *make(size_t size)
{
    uint8_t *bytes = malloc(size + 1);
    uint64_t seed = 88172645463325252;
    for (size_t i = 0; i < size; i++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        bytes[i] = (uint8_t)(i / 4096 % 2 ? seed : i % 64);
    }
    return bytes;
}

static struct buffer pack(const struct codec *codec, int level, const uint8_t *bytes, size_t size)
{
    struct buffer b;
    buffer_init(&b, 1 << 26);
    if (pack_bytes(codec, level, bytes, size, to_buffer, &b))
        tap_ok(false, "%s packs", codec->name);
    return b;
}

static bool unpacks_to(const struct buffer *packed, const uint8_t *bytes, size_t size)
{
    struct intake in;
    struct error e;
    if (intake_open_memory(&in, packed->data, packed->len, "x", &e)) {
        tap_note("%s", e.text);
        return false;
    }
    bool same = in.codec && in.size == size && (!size || !memcmp(in.bytes, bytes, size)) && !*in.damage;
    if (!same)
        tap_note("%llu bytes of %zu; %s", (unsigned long long)in.size, size, in.damage);
    intake_close(&in);
    return same;
}

static void test_there_and_back(const struct codec *codec)
{
    static const size_t sizes[] = {0, 1, 100, 65536, 131072, 1000003, 3 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int level = codec->level_min; level <= codec->level_max; level += codec->level_max - codec->level_min) {
            if (level == codec->level_max && sizes[i] > 1 << 20)
                break;
            uint8_t *bytes = make(sizes[i]);
            struct buffer packed = pack(codec, level, bytes, sizes[i]);
            tap_ok(unpacks_to(&packed, bytes, sizes[i]), "%s level %d: %zu bytes", codec->name, level, sizes[i]);
            buffer_deinit(&packed);
            free(bytes);
        }
}

static void test_several(const struct codec *codec)
{
    enum { SIZE = 200000, FIRST = 70001 };
    uint8_t *bytes = make(SIZE);
    struct buffer first = pack(codec, 0, bytes, FIRST), second = pack(codec, 0, bytes + FIRST, SIZE - FIRST);
    buffer_put(&first, second.data, second.len);
    tap_ok(unpacks_to(&first, bytes, SIZE), "%s: two streams behind one another are one input", codec->name);
    buffer_text(&first, "something else");
    struct intake in;
    struct error e;
    int rc = intake_open_memory(&in, first.data, first.len, "x", &e);
    tap_ok(!rc && in.size == SIZE && !memcmp(in.bytes, bytes, SIZE) && *in.damage, "%s: other bytes are reported: %s", codec->name,
           in.damage);
    intake_close(&in);
    buffer_deinit(&first);
    buffer_deinit(&second);
    free(bytes);
}

/* The output of a stream that was cut is a part of the whole, and is reported as such. */
static void test_cut(const struct codec *codec)
{
    enum { SIZE = 9000 };
    uint8_t *bytes = make(SIZE);
    struct buffer packed = pack(codec, 0, bytes, SIZE);
    size_t wrong = 0;
    for (size_t n = CODEC_FIRST_BYTES; n < packed.len; n++) {
        struct intake in;
        struct error e;
        uint8_t *copy = malloc(n);
        memcpy(copy, packed.data, n);
        if (intake_open_memory(&in, copy, n, "x", &e) || in.size > SIZE || memcmp(in.bytes ? in.bytes : bytes, bytes, in.size) ||
            !*in.damage)
            wrong++;
        intake_close(&in);
        free(copy);
    }
    tap_ok(!wrong, "%s: cut at each of %zu bytes", codec->name, packed.len);
    buffer_deinit(&packed);
    free(bytes);
}

/* The formats have checksums, so no changed output is called whole. */
static void test_flipped(const struct codec *codec)
{
    enum { SIZE = 5000 };
    uint8_t *bytes = make(SIZE);
    struct buffer packed = pack(codec, 0, bytes, SIZE);
    size_t wrong = 0, told = 0;
    for (size_t bit = 0; bit < 8 * packed.len; bit++) {
        struct intake in;
        struct error e;
        packed.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        if (!intake_open_memory(&in, packed.data, packed.len, "x", &e)) {
            bool whole = in.codec && !*in.damage;
            told += !whole;
            wrong += whole && (in.size != SIZE || memcmp(in.bytes, bytes, SIZE));
            intake_close(&in);
        }
        packed.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    tap_ok(!wrong && told > 7 * packed.len, "%s: each of %zu bits flipped: %zu times told, else whole", codec->name, 8 * packed.len, told);
    buffer_deinit(&packed);
    free(bytes);
}

/* A limit set by the caller, for packed and plain input. */
static void test_within(const struct codec *codec)
{
    enum { SIZE = 300000 };
    uint8_t *bytes = make(SIZE);
    struct buffer packed = pack(codec, 0, bytes, SIZE);
    struct intake in;
    struct error e = {""};
    int rc = intake_open_memory_within(&in, packed.data, packed.len, SIZE, "x", &e);
    tap_ok(!rc && in.size == SIZE && !memcmp(in.bytes, bytes, SIZE), "%s: as large as the caller allows", codec->name);
    intake_close(&in);
    rc = intake_open_memory_within(&in, packed.data, packed.len, SIZE - 1, "x", &e);
    tap_ok(rc == -EFBIG && strstr(e.text, "unpacked"), "%s: a byte more: %s", codec->name, e.text);
    rc = intake_open_memory_within(&in, bytes, SIZE, SIZE - 1, "x", &e);
    tap_ok(rc == -EFBIG && !intake_open_memory_within(&in, bytes, SIZE, SIZE, "x", &e), "the same of what is not packed");
    intake_close(&in);
    buffer_deinit(&packed);
    free(bytes);
}

static void test_bomb(const struct codec *codec)
{
    enum { SIZE = 80 << 20 };
    uint8_t *bytes = calloc(1, SIZE);
    struct buffer packed = pack(codec, codec->level_default, bytes, SIZE);
    struct intake in;
    struct error e = {""};
    bool dense = SIZE / packed.len > INTAKE_RATIO_MAX;
    int rc = intake_open_memory(&in, packed.data, packed.len, "x", &e);
    tap_ok(dense ? rc && strstr(e.text, "200 times its size") : !rc, "%s: 80 MiB out of %zu bytes: %s", codec->name, packed.len, e.text);
    intake_close(&in);
    intake_set_limit(SIZE);
    rc = intake_open_memory(&in, packed.data, packed.len, "x", &e);
    tap_ok(!rc && in.size == SIZE && !memcmp(in.bytes, bytes, SIZE) && in.spool.fd >= 0, "%s: allowed, it lies in a file", codec->name);
    intake_close(&in);
    intake_set_limit(SIZE - 1);
    rc = intake_open_memory(&in, packed.data, packed.len, "x", &e);
    tap_ok(rc && strstr(e.text, "--max-unpacked"), "%s: a byte more than allowed: %s", codec->name, e.text);
    intake_close(&in);
    intake_set_limit(0);
    buffer_deinit(&packed);
    free(bytes);
}

static void test_names(void)
{
    tap_ok(codec_by_path("a.jfr.zst") == codec_by_name("zstd", 4) && codec_by_name("zstd", 4), "zstd by the end of a name");
    tap_ok(codec_by_path("a.jfr.gz") == codec_by_name("gzip", 4) && codec_by_path("b.lz4") == codec_by_name("lz4", 3), "gzip, lz4");
    tap_ok(!codec_by_path("zst") && !codec_by_path(".zst") && !codec_by_path("a.jfr") && !codec_by_name("zst", 3), "and no others");
    tap_ok(!codec_by_content((const uint8_t *)"FLR\0\0\2", 6) && !codec_by_content((const uint8_t *)"", 0), "a recording is not packed");
}

int main(void)
{
    test_names();
    for (size_t i = 0; codecs[i]; i++) {
        test_there_and_back(codecs[i]);
        test_several(codecs[i]);
        test_cut(codecs[i]);
        test_flipped(codecs[i]);
        test_within(codecs[i]);
        test_bomb(codecs[i]);
    }
    return tap_done();
}
