/* What holds objects, read from jdk.OldObjectSample as the JDK writes it, and merged.
 * tier: quick
 * timeout: 60 */
#include "../tap.h"

#include "jfr_craft.h"
#include "profile/figures/leaks.h"
#include "profile/load/load_holders.h"
#include "profile/load/load_jfr.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONG = 10, INT, STRING, CLASS, SYMBOL, OBJECT, REFERENCE, ARRAY, FIELD, ROOT, SYSTEM, KIND, SAMPLE = 100 };
enum { BYTES = 1, NODE, NODES, MAP, MIRROR, LIST_NODE, LIST, THREAD, CLASSES = THREAD };
enum { PRIVATE = 2, STATIC = 8 };

static const struct craft_type types[] = {
    {LONG, "long"},
    {INT, "int"},
    {STRING, "java.lang.String"},
    {CLASS, "java.lang.Class", NULL, {{"name", SYMBOL, .pooled = true}}},
    {SYMBOL, "jdk.types.Symbol", NULL, {{"string", STRING}}},
    {OBJECT,
     "jdk.types.OldObject",
     NULL,
     {{"address", LONG}, {"type", CLASS, .pooled = true}, {"description", STRING}, {"referrer", REFERENCE, .pooled = true}}},
    {REFERENCE,
     "jdk.types.Reference",
     NULL,
     {{"array", ARRAY, .pooled = true}, {"field", FIELD, .pooled = true}, {"object", OBJECT, .pooled = true}, {"skip", INT}}},
    {ARRAY, "jdk.types.OldObjectArray", NULL, {{"size", INT}, {"index", INT}}},
    {FIELD, "jdk.types.OldObjectField", NULL, {{"name", STRING}, {"modifiers", INT}}},
    {ROOT,
     "jdk.types.OldObjectGcRoot",
     NULL,
     {{"description", STRING}, {"system", SYSTEM, .pooled = true}, {"type", KIND, .pooled = true}}},
    {SYSTEM, "jdk.types.OldObjectRootSystem", NULL, {{"system", STRING}}},
    {KIND, "jdk.types.OldObjectRootType", NULL, {{"type", STRING}}},
    {SAMPLE,
     "jdk.OldObjectSample",
     "jdk.jfr.Event",
     {{"startTime", LONG},
      {"objectSize", LONG},
      {"object", OBJECT, .pooled = true},
      {"arrayElements", INT},
      {"root", ROOT, .pooled = true},
      {"path", STRING}}},
};

struct object {
    uint64_t type;
    const char *description;
    uint64_t referrer;
};

struct reference {
    uint64_t array, field, object, skip;
};

/* The pool's key is the index in this table, from 1. */
static const struct object objects[] = {
    {BYTES, "", 1},
    {NODE, "", 2},
    {NODES, "", 3},
    {MAP, "", 4},
    {MIRROR, "Class Name: com.shop.Orders", 0},
    {BYTES, "", 5},
    {NODE, "", 6}, /* 6, 7: another path of the same kind */
    {BYTES, "", 7},
    {LIST_NODE, "", 8},
    {LIST_NODE, "", 9},
    {LIST_NODE, "", 10}, /* 8 to 11: at the end of a list */
    {LIST, "", 11},
    {THREAD, "Thread Name: worker-17", 0}, /* 12, 13 */
    {BYTES, "", 0},                        /* 14: nothing known */
    {BYTES, "", 12},
    {NODE, "", 0},   /* 15, 16: a part */
    {BYTES, "", 13}, /* 17: far away */
    {BYTES, "", 14}, /* 18: a class as an object */
};
static const struct reference references[] = {
    {0, 1, 2, 0},  {1, 0, 3, 0},  {0, 2, 4, 0},  {0, 3, 5, 0},  {0, 1, 7, 0},  {2, 0, 3, 0},  {0, 4, 9, 0},
    {0, 5, 10, 0}, {0, 5, 11, 0}, {0, 6, 12, 0}, {0, 7, 13, 0}, {0, 1, 16, 0}, {0, 3, 5, 40}, {0, 8, 5, 0},
};
static const struct {
    const char *name;
    uint64_t modifiers;
} fields[] = {{"value", 0}, {"table", 0}, {"cache", STATIC | PRIVATE}, {"item", 0},
              {"next", 0},  {"first", 0}, {"work", PRIVATE},           {"<class loader>", 0}};

static void put_names(struct buffer *b, unsigned type, const char *const *names, size_t count)
{
    size_t pool = craft_pool(b, type, count);
    for (size_t i = 0; i < count; i++) {
        buffer_varint(b, i + 1);
        craft_text(b, names[i]);
    }
    craft_event_end(b, pool);
}

static void put_classes(struct buffer *b)
{
    static const char *const names[] = {"[B",
                                        "java/util/HashMap$Node",
                                        "[Ljava/util/HashMap$Node;",
                                        "java/util/HashMap",
                                        "java/lang/Class",
                                        "java/util/LinkedList$Node",
                                        "java/util/LinkedList",
                                        "com/shop/Worker"};
    put_names(b, SYMBOL, names, CLASSES);
    size_t pool = craft_pool(b, CLASS, CLASSES);
    for (uint64_t i = 1; i <= CLASSES; i++) {
        buffer_varint(b, i);
        buffer_varint(b, i);
    }
    craft_event_end(b, pool);
}

static void put_objects(struct buffer *b)
{
    size_t pool = craft_pool(b, OBJECT, sizeof objects / sizeof *objects);
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        buffer_varint(b, i + 1);
        buffer_varint(b, 0x1000 + i);
        buffer_varint(b, objects[i].type);
        craft_text(b, objects[i].description);
        buffer_varint(b, objects[i].referrer);
    }
    craft_event_end(b, pool);
}

static void put_references(struct buffer *b)
{
    size_t pool = craft_pool(b, REFERENCE, sizeof references / sizeof *references);
    for (size_t i = 0; i < sizeof references / sizeof *references; i++) {
        buffer_varint(b, i + 1);
        buffer_varint(b, references[i].array);
        buffer_varint(b, references[i].field);
        buffer_varint(b, references[i].object);
        buffer_varint(b, references[i].skip);
    }
    craft_event_end(b, pool);
    pool = craft_pool(b, ARRAY, 2);
    for (uint64_t i = 1; i <= 2; i++) {
        buffer_varint(b, i);
        buffer_varint(b, 64);
        buffer_varint(b, 10 * i);
    }
    craft_event_end(b, pool);
    pool = craft_pool(b, FIELD, sizeof fields / sizeof *fields);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        buffer_varint(b, i + 1);
        craft_text(b, fields[i].name);
        buffer_varint(b, fields[i].modifiers);
    }
    craft_event_end(b, pool);
}

static void put_roots(struct buffer *b)
{
    static const char *const systems[] = {"Class Loader Data", "Threads"}, *const kinds[] = {"<unknown>", "Stack Variable"};
    put_names(b, SYSTEM, systems, 2);
    put_names(b, KIND, kinds, 2);
    size_t pool = craft_pool(b, ROOT, 2);
    for (uint64_t i = 1; i <= 2; i++) {
        buffer_varint(b, i);
        craft_text(b, i == 1 ? "" : "Thread Name: worker-17");
        buffer_varint(b, i);
        buffer_varint(b, i);
    }
    craft_event_end(b, pool);
}

static void put_sample(struct buffer *b, uint64_t size, uint64_t object, uint64_t root, const char *path)
{
    size_t event = craft_event(b, SAMPLE);
    buffer_varint(b, CRAFT_START_TICKS + 5);
    buffer_varint(b, size);
    buffer_varint(b, object);
    buffer_varint(b, 0);
    buffer_varint(b, root);
    craft_text(b, path);
    craft_event_end(b, event);
}

static void craft(struct buffer *b)
{
    size_t chunk = craft_begin(b, types, sizeof types / sizeof *types);
    put_sample(b, 100, 1, 1, "found");
    put_sample(b, 200, 6, 1, "");
    put_sample(b, 250, 8, 2, "found");
    put_sample(b, 10, 14, 0, "budget");
    put_sample(b, 50, 15, 0, "budget");
    put_sample(b, 20, 17, 1, "");
    put_sample(b, 7, 14, 2, "");
    put_sample(b, 1, 14, 0, "");
    put_sample(b, 3, 18, 1, "");
    put_classes(b);
    put_objects(b);
    put_references(b);
    put_roots(b);
    craft_end(b, chunk);
}

/* A ring of maps whose keys have long names, seen from many places. Each path goes around until it is too long, or begins at the map
 * whose holder is not known, after as many steps as fit. */
enum { RING = 20, NAME_BYTES = 3000, AROUND = 10, ENDING = 6000 };

static void put_long_names(struct buffer *b)
{
    static char name[NAME_BYTES + 1];
    size_t pool = craft_pool(b, SYMBOL, RING);
    for (uint64_t i = 1; i <= RING; i++) {
        memset(name, (int)('a' + i), NAME_BYTES);
        buffer_varint(b, i);
        craft_text(b, name);
    }
    craft_event_end(b, pool);
    pool = craft_pool(b, CLASS, RING);
    for (uint64_t i = 1; i <= RING; i++) {
        buffer_varint(b, i);
        buffer_varint(b, i);
    }
    craft_event_end(b, pool);
}

/* The objects 1 to RING are held by the next one, the last of them by the first. 2 * RING is held by nothing, and the objects before it
 * by the next one. */
static void craft_rings(struct buffer *b)
{
    size_t chunk = craft_begin(b, types, sizeof types / sizeof *types);
    for (int i = 0; i < AROUND; i++)
        put_sample(b, 1, 1, 0, "budget");
    for (int i = 0; i < ENDING; i++)
        put_sample(b, 1, RING + 1, 0, HOLDERS_FOUND);
    put_long_names(b);
    size_t pool = craft_pool(b, OBJECT, 2 * RING);
    for (uint64_t i = 1; i <= 2 * RING; i++) {
        buffer_varint(b, i);
        buffer_varint(b, i);
        buffer_varint(b, (i - 1) % RING + 1);
        craft_text(b, "");
        buffer_varint(b, i == 2 * RING ? 0 : i);
    }
    craft_event_end(b, pool);
    pool = craft_pool(b, REFERENCE, 2 * RING - 1);
    for (uint64_t i = 1; i < 2 * RING; i++) {
        buffer_varint(b, i);
        buffer_varint(b, 0);
        buffer_varint(b, 1);
        buffer_varint(b, i == RING ? 1 : i + 1);
        buffer_varint(b, 0);
    }
    craft_event_end(b, pool);
    pool = craft_pool(b, FIELD, 1);
    buffer_varint(b, 1);
    craft_text(b, "key");
    buffer_varint(b, 0);
    craft_event_end(b, pool);
    craft_end(b, chunk);
}

static bool load(struct profile *p, void (*write_chunk)(struct buffer *))
{
    char path[] = "/tmp/candor-holders-XXXXXX";
    struct buffer b;
    struct error e = {""};
    buffer_init(&b, 1 << 20);
    write_chunk(&b);
    int fd = mkstemp(path);
    profile_init(p);
    p->kind = PROFILE_LIVE;
    bool good = !b.failed && fd >= 0 && write(fd, b.data, b.len) == (ssize_t)b.len && !profile_load_jfr(p, path, &e);
    if (!good)
        tap_note("%s", e.text);
    buffer_deinit(&b);
    close(fd);
    unlink(path);
    return good;
}

static void row_is(const struct profile *p, const struct holders *h, uint32_t i, const char *holder, const char *path, uint32_t count,
                   uint64_t bytes, const char *about)
{
    static const struct holder none;
    const struct holder *row = i < h->count ? &h->rows[i] : &none;
    bool good = !strcmp(profile_text(p, row->class_name), "byte[]") && !strcmp(profile_text(p, row->holder), holder) &&
                !strcmp(profile_text(p, row->path), path) && row->objects == count && row->bytes == bytes;
    tap_ok(good, "%s", about);
    if (!good)
        tap_note("%s: %s, %u objects, %llu bytes", profile_text(p, row->holder), profile_text(p, row->path), (unsigned)row->objects,
                 (unsigned long long)row->bytes);
}

static bool sum_is(const struct holders_sum *sum, uint32_t row, uint32_t paths, uint32_t number, uint64_t bytes)
{
    return sum->row == row && sum->paths == paths && sum->objects == number && sum->bytes == bytes;
}

static bool is_unread(const struct profile *p, const struct holders *h, uint32_t number)
{
    return h->missing_count == 1 && h->missing[0].objects == number && !strcmp(profile_text(p, h->missing[0].reason), HOLDERS_UNREAD);
}

/* A small file that expands to very much. */
static void test_bounds(void)
{
    struct profile p;
    struct leaks l;
    bool good = load(&p, craft_rings) && !leaks_find(&l, &p);
    tap_ok(good, "a file of 120 KB is read that would be 300 MB");
    if (!good)
        return;
    const struct holders *h = &l.holders;
    const uint64_t one = (RING - 1) * (NAME_BYTES + strlen(".key"));
    const uint64_t around = AROUND * (LOAD_HOLDERS_PATH_BYTES + NAME_BYTES + strlen(".key")); /* at most */
    tap_ok(h->objects == AROUND + ENDING && h->count == 1, "every object is reported, and there is one path");
    tap_ok(h->count == 1 && strlen(profile_text(&p, h->rows[0].path)) == one + (RING - 2) * strlen(HOLDERS_BETWEEN),
           "which is as long as it is");
    uint64_t told = h->count ? h->rows[0].objects : 0;
    tap_ok(told <= LOAD_HOLDERS_FILE_BYTES / one && told + 1 >= (LOAD_HOLDERS_FILE_BYTES - around) / one,
           "of %u objects, as far as a recording's paths are read", (unsigned)told);
    tap_ok(is_unread(&p, h, (uint32_t)(AROUND + ENDING - told)), "the others are said to be unread, as are paths without end");
    leaks_deinit(&l);
    profile_deinit(&p);
}

static void test_paths(void)
{
    struct profile p;
    struct leaks l;
    bool good = load(&p, craft) && !leaks_find(&l, &p);
    tap_ok(good, "samples are read");
    if (!good)
        return;
    const struct holders *h = &l.holders;
    tap_ok(h->objects == 8 && h->bytes == 640 && h->count == 6, "eight objects are reported, and two share a path");
    row_is(&p, h, 0, "com.shop.Orders.cache (static)",
           "java.util.HashMap$Node.value <- java.util.HashMap$Node[] [] <- java.util.HashMap.table <- com.shop.Orders.cache (static)", 2,
           300, "a static field holds by itself, whatever the places in the array");
    row_is(&p, h, 1, "com.shop.Worker.work [Threads, Stack Variable, Thread Name: worker-*]",
           "java.util.LinkedList$Node.item <- java.util.LinkedList$Node.next (repeated) <- java.util.LinkedList.first <- "
           "com.shop.Worker.work <- [Threads, Stack Variable, Thread Name: worker-*]",
           1, 250, "a field by its root; a list is told once, a thread without its number");
    row_is(&p, h, 2, "", "java.util.HashMap$Node.value", 1, 50, "a part of a path has no holder");
    row_is(&p, h, 3, "com.shop.Orders.cache (static)", "... <- com.shop.Orders.cache (static)", 1, 20, "what was left out is said");
    row_is(&p, h, 4, "[Threads, Stack Variable, Thread Name: worker-*]", "[Threads, Stack Variable, Thread Name: worker-*]", 1, 7,
           "what a root refers to by itself");
    row_is(&p, h, 5, "com.shop.Orders.class.<class loader> [Class Loader Data]",
           "com.shop.Orders.class.<class loader> <- [Class Loader Data]", 1, 3, "what refers from a class and is no static field");
    tap_ok(h->sum_count == 5 && sum_is(&h->sums[0], 0, 2, 3, 320) && sum_is(&h->sums[1], 1, 1, 1, 250) &&
               sum_is(&h->sums[2], 2, 1, 1, 50) && sum_is(&h->sums[3], 4, 1, 1, 7) && sum_is(&h->sums[4], 5, 1, 1, 3),
           "what one holds by two paths is summed up");
    tap_ok(h->missing_count == 1 && h->missing[0].objects == 2 && h->missing[0].bytes == 60 &&
               !strcmp(profile_text(&p, h->missing[0].reason), "budget"),
           "and why others have none");
    leaks_deinit(&l);
    profile_deinit(&p);
}

int main(void)
{
    test_paths();
    test_bounds();
    return tap_done();
}
