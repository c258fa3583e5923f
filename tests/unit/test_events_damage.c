/* How print, summary, scrub and the report on halts handle damaged files: cut at every byte, every bit flipped; plain, and packed with
 * each codec.
 * tier: default
 * timeout: 300 */
#include "events_walk.h"
#include "halts_craft.h"
#include "jfr_craft.h"
#include "jfr_sample.h"
#include "jfr_walk.h"

#include "../half.h"
#include "../tap.h"

#include "compress/pack.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void test_cuts(const uint8_t *bytes, size_t size, const char *name)
{
    int64_t all = events_walk(bytes, size), most = 0;
    int turn = half_turn();
    for (size_t n = turn > 0; n < size; n += turn < 0 ? 1 : 2) {
        uint8_t *copy = malloc(n + 1); /* a separate copy, so that a sanitizer detects a read beyond its end */
        memcpy(copy, bytes, n);
        int64_t events = events_walk(copy, n);
        most = events > most ? events : most;
        free(copy);
    }
    tap_ok(all > 0 && most <= all, "%s: cut at each of %zu bytes%s, %lld events at most", name, size,
           turn < 0 ? "" : " that have their turn", (long long)most);
}

static void test_flips(uint8_t *bytes, size_t size, const char *name)
{
    size_t read = 0;
    int turn = half_turn();
    for (size_t bit = turn > 0; bit < 8 * size; bit += turn < 0 ? 1 : 2) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        read += events_walk(bytes, size) >= 0;
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    tap_ok(read, "%s: each of %zu bits flipped%s, %zu such files still open", name, 8 * size, turn < 0 ? "" : " that have their turn",
           read);
}

static int to_buffer(void *context, const void *bytes, size_t n)
{
    buffer_put(context, bytes, n);
    return 0;
}

static void test_packed(const struct codec *codec, const struct buffer *plain)
{
    struct buffer packed;
    buffer_init(&packed, 1 << 20);
    tap_ok(!pack_bytes(codec, 0, plain->data, plain->len, to_buffer, &packed), "packed with %s", codec->name);
    test_cuts(packed.data, packed.len, codec->name);
    test_flips(packed.data, packed.len, codec->name);
    buffer_deinit(&packed);
}

int main(void)
{
    char path[] = "/tmp/candor-test-events-XXXXXX";
    struct error e;
    struct buffer crafted, halts;
    int fd = mkstemp(path);
    if (fd < 0 || sample_write_small(path, &e))
        tap_ok(false, "a recording is written");
    close(fd);
    struct jfr_bytes small = jfr_bytes_of(path);
    unlink(path);
    buffer_init(&crafted, 1 << 20);
    craft_everything(&crafted);
    buffer_init(&halts, 1 << 20);
    craft_halts_jdk(&halts);
    test_cuts(small.data, small.size, "a recording of ours");
    test_cuts(crafted.data, crafted.len, "a crafted one");
    test_flips(crafted.data, crafted.len, "a crafted one");
    test_cuts(halts.data, halts.len, "one of halts");
    test_flips(halts.data, halts.len, "one of halts");
    for (size_t i = 0; codecs[i]; i++)
        test_packed(codecs[i], &crafted);
    buffer_deinit(&crafted);
    buffer_deinit(&halts);
    free(small.data);
    return tap_done();
}
