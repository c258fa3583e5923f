/* Constant pools: each key gives the first entry that had it, whatever the keys are, and no other key gives an entry.
 * tier: quick
 * timeout: 20
 * aarch64: yes */
#include "jfr_craft.h"

#include "../tap.h"
#include "jfr/read/reader.h"
#include "jfr/read/reader_internal.h"

enum { P_INT = 10, P_EVENT, P_BOX, ENTRIES = 6000, ABSENT = 7 };

/* Four checkpoints contain the entries of a pool. The third has so few that the table of the first two has room for them; the last has
 * as many as are there already. */
enum { CHECKPOINTS = 4, OPENED = 2 };
static const unsigned begins[CHECKPOINTS + 1] = {0, 1000, 1500, 1600, ENTRIES};

/* The keys of a pool. The value of entry i is i + 1. */
struct keys {
    const char *what;
    uint64_t first, step; /* key of entry 0; distance from each key to the next */
    uint64_t again;       /* key of the last entry of the second checkpoint, if not 0 */
    uint64_t last;        /* the same for the last checkpoint */
    uint64_t absent[ABSENT];
};

static const struct keys cases[] = {
    {"counted from 1", 1, 1, 0, 0, {0, ENTRIES + 1, 2 * ENTRIES, 1 << 14, UINT64_MAX, 1ull << 32 | 1, 1ull << 63}},
    {"counted from far on", 1ull << 40, 1, 0, 0, {0, 1, (1ull << 40) - 1, (1ull << 40) + ENTRIES, 1ull << 41, UINT64_MAX, 5}},
    {"counted, with gaps", 100, 2, 0, 0, {99, 101, 103, 100 + 2 * ENTRIES, 0, UINT64_MAX, 1 << 14}},
    {"counted down", 1 << 20, UINT64_MAX, 0, 0, {(1 << 20) + 1, (1 << 20) - ENTRIES, 0, 1, UINT64_MAX, 2, 3}},
    {"far apart", 1, 0x10001, 0, 0, {0, 2, 0x10001, 0x10003, 1ull << 63, UINT64_MAX, 3}},
    {"up to the largest", UINT64_MAX - ENTRIES + 1, 1, 0, 0, {0, 1, UINT64_MAX - ENTRIES, 1ull << 63, 2, 3, 4}},
    {"the largest and the smallest", UINT64_MAX - 5, 1, 0, 0, {ENTRIES - 6, UINT64_MAX - 6, 1ull << 63, 1 << 20, 1 << 30, 9999, 99999}},
    {"counted, and one again", 1, 1, 7, 0, {0, ENTRIES + 1, 1 << 14, UINT64_MAX, 1 << 20, 1 << 21, 1 << 22}},
    {"far apart, and one again", 1, 0x10001, 1 + 0x10001 * 3, 0, {0, 2, 0x10001, 0x10003, UINT64_MAX, 3, 4}},
    {"counted, but the last one", 1, 1, 0, 1ull << 50, {0, ENTRIES + 1, ENTRIES, 1 << 14, UINT64_MAX, (1ull << 50) + 1, (1ull << 50) - 1}},
    {"counted, but the last one, below", 1000, 1, 0, 999, {0, 998, 1000 + ENTRIES, 1 << 14, UINT64_MAX, 1 << 20, 1 << 21}},
};

static uint64_t key_of(const struct keys *k, uint64_t i)
{
    if (k->again && i == begins[2] - 1)
        return k->again;
    return k->last && i == ENTRIES - 1 ? k->last : k->first + i * k->step;
}

static void put_entries(struct buffer *b, const struct keys *k, unsigned checkpoint)
{
    size_t event = craft_pool(b, P_BOX, begins[checkpoint + 1] - begins[checkpoint]);
    for (unsigned i = begins[checkpoint]; i < begins[checkpoint + 1]; i++) {
        buffer_varint(b, key_of(k, i));
        buffer_varint(b, i + 1);
    }
    craft_event_end(b, event);
}

/* Of the first `count` entries, how many are not found by their key. */
static unsigned wrong(struct jfr_chunk *chunk, const struct keys *k, unsigned count)
{
    const struct jfr_type *type = jfr_chunk_type(chunk, "test.Box");
    unsigned bad = 0;
    for (unsigned i = 0; i < count; i++) {
        int64_t found = jfr_value_int(jfr_value_member(jfr_pool_get(chunk, type, key_of(k, i)), "value")), first = i + 1;
        if (k->again && key_of(k, i) == k->again)
            first = (int64_t)((k->again - k->first) / k->step) + 1;
        bad += found != first;
    }
    return bad;
}

static unsigned found_absent(struct jfr_chunk *chunk, const struct keys *k)
{
    const struct jfr_type *type = jfr_chunk_type(chunk, "test.Box");
    unsigned found = 0;
    for (unsigned i = 0; i < ABSENT; i++)
        found += !jfr_value_none(jfr_pool_get(chunk, type, k->absent[i]));
    return found;
}

/* grows: when the chunk is opened, it ends after the second checkpoint; the other checkpoints are then read one by one. */
static void test_keys(const struct keys *k, bool grows)
{
    static const struct craft_type types[] = {{P_INT, "int"}, {P_EVENT, "E", "jdk.jfr.Event"}, {P_BOX, "test.Box", "", {{"value", P_INT}}}};
    struct buffer b;
    struct jfr_problems problems = {0};
    struct jfr_file *file = NULL;
    struct jfr_chunk *chunk = NULL;
    buffer_init(&b, 1 << 20);
    size_t start = craft_begin(&b, types, sizeof types / sizeof *types);
    size_t ends[CHECKPOINTS];
    for (unsigned i = 0; i < CHECKPOINTS; i++) {
        put_entries(&b, k, i);
        ends[i] = b.len;
        if (i + 1 == (grows ? OPENED : CHECKPOINTS))
            craft_end(&b, start);
    }
    bool opened = !jfr_file_open_memory(&file, b.data, b.len, "crafted", &problems, NULL) &&
                  !jfr_chunk_open(&chunk, file, 0, &problems, NULL) && chunk;
    unsigned there = begins[grows ? OPENED : CHECKPOINTS];
    tap_ok(opened && !wrong(chunk, k, there), "keys %s%s", k->what, grows ? ", of a chunk that will grow" : "");
    for (unsigned i = OPENED; opened && grows && i < CHECKPOINTS; i++)
        tap_ok(!jfr_chunk_extend(chunk, ends[i] - start) && !wrong(chunk, k, begins[i + 1]), "... and has grown");
    tap_ok(opened && !found_absent(chunk, k), "... and no others");
    jfr_chunk_close(chunk);
    jfr_file_close(file);
    buffer_deinit(&b);
}

int main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_keys(&cases[i], false);
        test_keys(&cases[i], true);
    }
    return tap_done();
}
