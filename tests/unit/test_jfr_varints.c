/* Compressed integers, one and many: compared with decoding byte by byte, for all lengths and alignments, in memory after which nothing
 * can be read.
 * tier: quick
 * timeout: 60
 * aarch64: yes */
#include "jfr/read/frame_key.h"
#include "jfr/read/varints.h"

#include "../tap.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 65536, LENGTH_MAX = 400, RUN_MAX = 20 };

static uint8_t *wall; /* behind readable memory */

static uint64_t next_random(void)
{
    static uint64_t state = 20261123;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* The definition. */
static const uint8_t *one(const uint8_t *at, const uint8_t *end, uint64_t *v)
{
    *v = 0;
    for (int i = 0; i < 9 && at < end; i++) {
        uint8_t byte = *at++;
        if (byte < 0x80 || i == 8) {
            *v |= (uint64_t)byte << 7 * i;
            return at;
        }
        *v |= (uint64_t)(byte & 0x7f) << 7 * i;
    }
    return NULL;
}

typedef const uint8_t *skip_many(const uint8_t *at, const uint8_t *end, uint64_t n);

static const uint8_t *skip_portable(const uint8_t *at, const uint8_t *end, uint64_t n)
{
    at = varints_skip_blocks(at, end, &n, varints_ends_portable);
    at = varints_skip_words(at, end, &n);
    return n ? varints_skip(at, end, n) : at;
}

/* Counts the wrong answers about these bytes: where each number of integers ends, from none to more than there are. */
static uint64_t wrong_skips(const uint8_t *bytes, size_t size, skip_many *skip)
{
    uint64_t wrong = 0, ignored;
    const uint8_t *end = bytes + size, *expected = bytes;
    for (uint64_t n = 0; n <= size + 2; n++) {
        wrong += skip(bytes, end, n) != expected;
        expected = expected ? one(expected, end, &ignored) : NULL;
    }
    wrong += skip(bytes, end, UINT64_MAX >> 8) != NULL;
    return wrong;
}

static uint64_t wrong_with_both(const uint8_t *bytes, size_t size)
{
    return wrong_skips(bytes, size, varints_skip) + wrong_skips(bytes, size, skip_portable);
}

/* Each byte continues its integer with a chance of this many in 256. */
static void fill(uint8_t *bytes, size_t size, unsigned chances)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)((next_random() & 0x7f) | (next_random() % 256 < chances ? 0x80 : 0));
}

static void test_lengths(void)
{
    static const unsigned chances[] = {0, 16, 64, 128, 200, 230, 250, 256};
    for (size_t c = 0; c < sizeof chances / sizeof *chances; c++) {
        uint64_t wrong = 0;
        for (size_t size = 0; size <= LENGTH_MAX; size++) {
            fill(wall - size, size, chances[c]);
            wrong += wrong_with_both(wall - size, size);
        }
        tap_ok(!wrong, "lengths 0 to %d, each a place further back, %u in 256 bytes continue: %llu wrong", LENGTH_MAX, chances[c],
               (unsigned long long)wrong);
    }
}

/* The bytes after the end make no difference, whether they end an integer or not. */
static void test_ends(void)
{
    uint64_t wrong = 0;
    for (size_t room = 1; room <= 2 * VARINTS_BLOCK; room++)
        for (size_t size = 100; size < 100 + VARINTS_BLOCK; size++) {
            uint8_t *bytes = wall - room - size;
            fill(bytes, size, 100);
            memset(wall - room, room % 2 ? 0x80 : 0, room);
            wrong += wrong_with_both(bytes, size);
        }
    tap_ok(!wrong, "whatever lies behind the end: %llu wrong", (unsigned long long)wrong);
}

/* One run of bytes that do not end an integer, of every length, at every place. */
static void test_runs(void)
{
    static const size_t sizes[] = {63, 64, 65, 72, 73, 127, 128, 129, 136, 137, 191, 192, 193};
    uint64_t wrong = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t run = 0; run <= RUN_MAX; run++)
            for (size_t place = 0; place + run <= sizes[s]; place++) {
                uint8_t *bytes = wall - sizes[s];
                memset(bytes, 1, sizes[s]);
                memset(bytes + place, 0xff, run);
                wrong += wrong_with_both(bytes, sizes[s]);
            }
    tap_ok(!wrong, "one run of up to %d bytes at every place: %llu wrong", RUN_MAX, (unsigned long long)wrong);
}

static void test_bits(void)
{
    uint64_t wrong_ends = 0, wrong_nth = 0;
    uint8_t *bytes = wall - VARINTS_BLOCK;
    for (int round = 0; round < 20000; round++) {
        uint64_t expected = 0;
        fill(bytes, VARINTS_BLOCK, (unsigned)(round % 257));
        for (int i = 0; i < VARINTS_BLOCK; i++)
            expected |= (uint64_t)(bytes[i] < 0x80) << i;
        wrong_ends += varints_ends(bytes) != expected || varints_ends_portable(bytes) != expected;
        uint64_t sums = varints_sums(expected), n = 0;
        for (unsigned i = 0; i < VARINTS_BLOCK; i++)
            wrong_nth += (expected >> i & 1) && varints_nth(expected, sums, ++n) != i;
        wrong_nth += sums >> 56 != n;
    }
    tap_ok(!wrong_ends, "ends in a block, both ways: %llu wrong", (unsigned long long)wrong_ends);
    tap_ok(!wrong_nth, "the nth end in a block, for each: %llu wrong", (unsigned long long)wrong_nth);
}

/* Every length, cut at every place, with and without bytes after it. */
static void test_single(void)
{
    uint64_t wrong = 0;
    for (int round = 0; round < 20000; round++)
        for (size_t size = 0; size <= 24; size++) {
            uint64_t v = 1, expected = 2;
            uint8_t *bytes = wall - size;
            fill(bytes, size, (unsigned)(round % 257));
            const uint8_t *end = one(bytes, wall, &expected), *found = input_varint(bytes, wall, &v);
            wrong += found != end || (end && v != expected) || input_skip_varint(bytes, wall) != end;
        }
    tap_ok(!wrong, "single integers: %llu wrong", (unsigned long long)wrong);
    uint64_t v;
    tap_ok(!input_varint(NULL, wall, &v) && !input_skip_varint(NULL, wall) && !varints_skip(NULL, wall, 20), "nothing of nothing");
}

/* The key of a frame, or none, by decoding; false if the frame contains an integer of nine bytes, which no key has. */
static bool key_by_decoding(const uint8_t *bytes, uint32_t n, struct jfr_frame_key *key)
{
    const uint8_t *at = bytes;
    uint64_t ignored;
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *next = one(at, bytes + FRAME_KEY_BYTES, &ignored);
        if (!next || next - at == 9)
            return false;
        at = next;
    }
    *key = (struct jfr_frame_key){.size = (uint32_t)(at - bytes)};
    memcpy(key->bytes, bytes, key->size);
    return true;
}

static bool same_key(const struct jfr_frame_key *a, const struct jfr_frame_key *b)
{
    return a->size == b->size && a->bytes[0] == b->bytes[0] && a->bytes[1] == b->bytes[1];
}

/* If there is a key, it is right; and there is one if sixteen bytes contain no run of eight that do not end an integer. */
static void test_frame_keys(void)
{
    uint8_t *bytes = wall - FRAME_KEY_BYTES;
    uint64_t wrong = 0, missed = 0, keys = 0;
    for (int round = 0; round < 200000; round++) {
        struct jfr_frame_key expected = {0}, fast = {0}, portable = {0};
        uint32_t n = 1 + (uint32_t)(next_random() % 8);
        fill(bytes, FRAME_KEY_BYTES, (unsigned)(round % 257));
        uint64_t ends = 0;
        for (int i = 0; i < FRAME_KEY_BYTES; i++)
            ends |= (uint64_t)(bytes[i] < 0x80) << i;
        bool is = key_by_decoding(bytes, n, &expected), long_run = varints_runs(ends | ~0xffffull) != 0;
        bool is_fast = frame_key(bytes, n, &fast), is_portable = frame_key_portable(bytes, n, &portable);
        keys += is;
        wrong += (is_fast && !(is && same_key(&fast, &expected))) || (is_portable && !(is && same_key(&portable, &expected)));
        missed += is && !long_run && !(is_fast && is_portable);
    }
    tap_ok(keys > 10000 && !wrong && !missed, "keys of frames: %llu, %llu wrong, %llu missed", (unsigned long long)keys,
           (unsigned long long)wrong, (unsigned long long)missed);
}

int main(void)
{
    uint8_t *memory = mmap(NULL, 2 * (size_t)PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + PAGE, PAGE, PROT_NONE)) {
        tap_ok(false, "a page that cannot be read");
        return tap_done();
    }
    wall = memory + PAGE;
    test_lengths();
    test_ends();
    test_runs();
    test_bits();
    test_single();
    test_frame_keys();
    return tap_done();
}
