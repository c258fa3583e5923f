/* Paths to objects, written and read: each object, and each way in which one is held, is in a chunk exactly once.
 * tier: quick
 * timeout: 20 */
#include "../tap.h"

#include "base/time_units.h"
#include "jfr/read/reader.h"
#include "jfr/write/writer.h"
#include "profile/figures/leaks.h"
#include "profile/load/load_jfr.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TICK = NS_PER_S };
enum { NONE, BYTES, NODE, NODES, MAP, MIRROR, VALUE, TABLE, CACHE, ORDERS, THREAD_CLASS, THREAD_NAME, LOCALS, FOUND, BUDGET, COMPLETE };

static const char *const symbols[] = {
    "",       "[B",      "java.util.HashMap$Node",      "[Ljava.util.HashMap$Node;", "java.util.HashMap",     "java.lang.Class", "value",
    "table",  "cache",   "Class Name: com.shop.Orders", "java.lang.Thread",          "Thread Name: worker-3", "locals",          "found",
    "budget", "complete"};

/* Ids from 1. Two samples (1, 2) are held by separate nodes (3, 4) in one table (5) of a map (6), which a class holds (7); one (8) is
 * held by a thread (9). */
static const struct jfr_held_object held[] = {
    {.class_name = BYTES, .holder = 3, .field = VALUE},
    {.class_name = BYTES, .holder = 4, .field = VALUE},
    {.class_name = NODE, .holder = 5, .is_element = true, .array_size = 64, .array_index = 11},
    {.class_name = NODE, .holder = 5, .is_element = true, .array_size = 64, .array_index = 12},
    {.class_name = NODES, .holder = 6, .field = TABLE},
    {.class_name = MAP, .holder = 7, .field = CACHE, .modifiers = 8},
    {.class_name = MIRROR, .description = ORDERS, .root_system = "Class Loader Data", .root_type = "<unknown>"},
    {.class_name = BYTES, .holder = 9, .field = LOCALS},
    {.class_name = THREAD_CLASS, .description = THREAD_NAME, .root_system = "Threads", .root_type = "", .root_description = THREAD_NAME},
};

static size_t stack_of(void *context, uint32_t id, struct jfr_frame *frames, size_t max, bool *truncated)
{
    return 0;
}

static void method_of(void *context, uint32_t id, struct jfr_method *method)
{
}

static void thread_of(void *context, uint32_t id, struct jfr_thread *thread)
{
}

static const char *symbol_of(void *context, uint32_t id, size_t *len)
{
    *len = strlen(symbols[id]);
    return symbols[id];
}

static void held_by(void *context, uint32_t id, struct jfr_held_object *out)
{
    *out = held[id - 1];
}

static void put(struct jfr_writer *w, uint64_t ticks, uint32_t object, uint32_t root, uint64_t bytes, uint32_t path)
{
    jfr_write_old_object(w, &(struct jfr_old_object){.ticks = ticks,
                                                     .class_name = BYTES,
                                                     .born_ticks = 5,
                                                     .size = 16,
                                                     .weight = bytes,
                                                     .outcome = COMPLETE,
                                                     .path = path,
                                                     .object = object,
                                                     .has_holder = object && root,
                                                     .root = root,
                                                     .elements = -1});
}

static void put_all(struct jfr_writer *w, uint64_t ticks)
{
    put(w, ticks, 1, 7, 100, FOUND);
    put(w, ticks, 2, 7, 200, FOUND);
    put(w, ticks, 8, 9, 50, FOUND);
    put(w, ticks, 0, 0, 10, BUDGET);
    put(w, ticks, 0, 0, 1, NONE);
}

static bool write_file(const char *path)
{
    const struct jfr_pools pools = {
        .stack = stack_of, .method = method_of, .thread = thread_of, .symbol = symbol_of, .held_object = held_by};
    const struct jfr_writer_options options = {.ticks_per_second = TICK, .start_ticks = 1, .start_epoch_ns = TICK};
    struct jfr_writer *w;
    struct error e;
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || jfr_writer_new(&w, fd, &options, &pools, &e))
        return false;
    put_all(w, 1000);
    jfr_writer_flush(w, 1001, &e);
    put_all(w, 2000); /* the chunk contains everything to which they refer */
    jfr_writer_rotate(w, 2001, TICK + 2000, &e);
    put_all(w, 3000); /* this one not yet */
    return !jfr_writer_close(w, 3001, &e);
}

/* The number of pool entries in the file, in all chunks. */
static uint32_t count_entries(const char *path, const char *type, uint32_t most)
{
    struct jfr_file *f;
    struct jfr_chunk *c;
    struct error e;
    uint32_t count = 0;
    if (jfr_file_open(&f, path, NULL, &e))
        return 0;
    for (uint32_t i = 0; i < jfr_file_chunks(f); i++) {
        if (jfr_chunk_open(&c, f, i, NULL, &e) || !c)
            continue;
        for (uint32_t key = 1; key <= most; key++)
            count += !jfr_value_none(jfr_pool_get(c, jfr_chunk_type(c, type), key));
        jfr_chunk_close(c);
    }
    jfr_file_close(f);
    return count;
}

static void test_pools(const char *path)
{
    enum { CHUNKS = 2, MOST = 20 };
    tap_ok(count_entries(path, "jdk.types.OldObject", MOST) == 6 * CHUNKS, "what holds is there, in each chunk: %u objects",
           count_entries(path, "jdk.types.OldObject", MOST));
    tap_ok(count_entries(path, "jdk.types.Reference", MOST) == 7 * CHUNKS, "and each of their references");
    tap_ok(count_entries(path, "jdk.types.OldObjectArray", MOST) == 2 * CHUNKS &&
               count_entries(path, "jdk.types.OldObjectField", MOST) == 5 * CHUNKS,
           "by elements and fields");
    tap_ok(count_entries(path, "jdk.types.OldObjectGcRoot", MOST) == 2 * CHUNKS, "and the roots");
}

static void test_read(const char *path)
{
    struct profile p;
    struct leaks l;
    struct error e = {""};
    profile_init(&p);
    p.kind = PROFILE_LIVE;
    bool good = !profile_load_jfr(&p, path, &e) && !leaks_find(&l, &p);
    tap_ok(good, "the file is read %s", e.text);
    if (!good)
        return;
    const struct holders *h = &l.holders;
    tap_ok(p.sample_count == 5 && h->objects == 4 && h->bytes == 360 && h->count == 2, "the last set counts");
    tap_ok(h->count == 2 && h->rows[0].objects == 2 && h->rows[0].bytes == 300 &&
               !strcmp(profile_text(&p, h->rows[0].path), "java.util.HashMap$Node.value <- java.util.HashMap$Node[] [] <- "
                                                          "java.util.HashMap.table <- com.shop.Orders.cache (static)"),
           "two have one path");
    tap_ok(h->count == 2 && !strcmp(profile_text(&p, h->rows[1].path), "java.lang.Thread.locals <- [Threads, Thread Name: worker-*]"),
           "one is a thread's");
    tap_ok(h->missing_count == 1 && h->missing[0].objects == 1 && !strcmp(profile_text(&p, h->missing[0].reason), "budget"),
           "and one has none, with the reason");
    leaks_deinit(&l);
    profile_deinit(&p);
}

int main(void)
{
    char path[] = "/tmp/candor-paths-XXXXXX";
    int fd = mkstemp(path);
    bool written = fd >= 0 && write_file(path);
    tap_ok(written, "a recording is written");
    if (written) {
        test_pools(path);
        test_read(path);
    }
    close(fd);
    unlink(path);
    return tap_done();
}
