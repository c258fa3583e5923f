/* The virtual threads that a chunk names: their texts, one number each, and what happens if there are too many.
 * tier: quick
 * timeout: 30 */
#include "../tap.h"

#include "agent/hot/record.h"
#include "agent/record/names/virtuals.h"

#include <string.h>

static struct virtuals table;

static uint32_t add(uint64_t id, const void *bytes, uint32_t len, unsigned coder)
{
    uint64_t words[RECORD_VIRTUAL_MAX] = {id, record_name(len, coder)};
    memcpy(words + 2, bytes, len);
    return virtuals_add(&table, words, 2 + (len + 7) / 8);
}

static bool is(uint32_t number, uint64_t id, const char *name)
{
    const char *found;
    struct virtual_thread t = virtuals_get(&table, number, &found);
    bool good = t.java_id == id && t.name_len == strlen(name) && !memcmp(found, name, t.name_len);
    if (!good)
        tap_note("%llu '%.*s'", (unsigned long long)t.java_id, (int)t.name_len, found);
    return good;
}

static void test_names(void)
{
    static const uint16_t wide[] = {'z', 0xe9, 0x20ac, 0xd83d, 0xde00, 0xd800, 'a', 0xdc00};
    uint64_t nobody = 0, alone = 77;
    virtuals_init(&table);
    tap_ok(is(add(30, "worker-1", 8, 0), 30, "worker-1"), "a name of eight bytes");
    tap_ok(is(add(31, "caf\xe9", 4, 0), 31, "caf\xc3\xa9"), "Latin-1 becomes UTF-8");
    tap_ok(is(add(32, wide, sizeof wide, 1), 32,
              "z\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbd"
              "a\xef\xbf\xbd"),
           "UTF-16 too, and lonely halves are no characters");
    tap_ok(is(add(33, "", 0, 0), 33, ""), "no name");
    tap_ok(add(30, "other", 5, 0) == add(30, "", 0, 0) && is(add(30, "", 0, 0), 30, "worker-1"), "the first name stays");
    uint32_t number = virtuals_add(&table, &alone, 1);
    tap_ok(is(number, 77, "") && add(77, "late", 4, 0) == number && is(number, 77, "late"), "a name that comes later");
    virtuals_new_chunk(&table);
    tap_ok(is(virtuals_add(&table, &alone, 1), 77, "late") && is(add(30, "renamed", 7, 0), 30, "renamed"),
           "in the next chunk a thread without a name has its former one");
    virtuals_new_chunk(&table);
    virtuals_new_chunk(&table);
    tap_ok(is(virtuals_add(&table, &alone, 1), 77, ""), "but none from long ago");
    tap_ok(is(virtuals_add(&table, &nobody, 1), 0, "[unknown virtual thread]"), "nobody knows who");
    virtuals_deinit(&table);
}

static void test_bound(void)
{
    bool dense = true;
    virtuals_init(&table);
    for (int chunk = 0; chunk < 2; chunk++) {
        uint32_t first = add(1, "t", 1, 0);
        for (uint64_t id = 2; id <= VIRTUALS_MAX; id++)
            dense = dense && add(id, "t", 1, 0) == first + id - 1;
        uint32_t rest = add(VIRTUALS_MAX + 1, "late", 4, 0);
        tap_ok(dense && is(rest, 0, "[more virtual threads]") && add(VIRTUALS_MAX + 2, "late", 4, 0) == rest,
               "chunk %d: those beyond %d are one", chunk, VIRTUALS_MAX);
        tap_ok(is(add(VIRTUALS_MAX, "t", 1, 0), VIRTUALS_MAX, "t"), "who is known stays known");
        tap_ok(table.beyond == 2u * (unsigned)(chunk + 1), "and what fell to them is counted: %llu", (unsigned long long)table.beyond);
        virtuals_new_chunk(&table);
    }
    virtuals_deinit(&table);
}

int main(void)
{
    test_names();
    test_bound();
    return tap_done();
}
