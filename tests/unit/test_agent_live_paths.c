/* The collector's search for the holders of objects, in an artificial heap: what the recording says about it.
 * tier: quick
 * timeout: 60 */
#include "../tap.h"

#include "agent/collect/live/paths.h"
#include "agent/trigger/jvm/heap_walks.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "fake_heap.h"
#include "profile/figures/leaks.h"
#include "profile/load/load_jfr.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OBJECTS = 300, VALUE = 1, TABLE, CACHE };

static struct fake_heap heap;
static uint32_t orders, map, table, objects[OBJECTS];
static int opened, closed, walks;
static bool refuses;
static char file[64];

/* ---- the JVM ---- */

static void make_heap(void)
{
    fake_heap_init(&heap);
    orders = fake_heap_object(&heap);
    map = fake_heap_object(&heap);
    table = fake_heap_object(&heap);
    heap.is_class[orders] = true;
    fake_heap_refer(&heap, orders, map, PATH_STATIC_FIELD, CACHE);
    fake_heap_refer(&heap, map, table, PATH_FIELD, TABLE);
    for (uint32_t i = 0; i < OBJECTS; i++) {
        uint32_t node = fake_heap_object(&heap);
        objects[i] = fake_heap_object(&heap);
        fake_heap_refer(&heap, table, node, PATH_ELEMENT, (int32_t)i);
        fake_heap_refer(&heap, node, objects[i], PATH_FIELD, VALUE);
    }
    fake_heap_ready(&heap);
}

static uint64_t used(void)
{
    return 1 << 20;
}

static bool open_heap(struct path_search *s, const uintptr_t *references)
{
    uint32_t samples[PATH_SAMPLES_MAX];
    for (uint32_t i = 0; i < s->samples; i++)
        samples[i] = (uint32_t)references[i];
    fake_heap_tag(&heap, samples, s->samples);
    opened++;
    return true;
}

static bool walk(struct path_search *s)
{
    walks++;
    if (!refuses)
        fake_heap_walk(&heap, s);
    return !refuses;
}

static bool classify(struct path_search *s)
{
    fake_heap_classify(&heap, s);
    return true;
}

static const char *class_of(uint32_t object)
{
    if (object == orders)
        return "java.lang.Class";
    if (object == map)
        return "java.util.HashMap";
    if (object == table)
        return "[Ljava.util.HashMap$Node;";
    return (object - table) % 2 ? "java.util.HashMap$Node" : "[B";
}

static void name(struct path_search *s, struct strtab *strings)
{
    static const char *const fields[] = {[VALUE] = "value", [TABLE] = "table", [CACHE] = "cache"};
    for (uint32_t n = 1; n <= s->node_count; n++) {
        uint32_t object = fake_heap_at(&heap, n);
        if (!s->nodes[n].is_on_path)
            continue;
        s->nodes[n].class_name = strtab_add_text(strings, class_of(object));
        if (object == orders)
            s->nodes[n].description = strtab_add_text(strings, "Class Name: com.shop.Orders");
    }
    for (uint32_t e = 1; e <= s->edge_count; e++) {
        if (!s->edges[e].is_on_path || s->edges[e].kind == PATH_ELEMENT)
            continue;
        s->edges[e].is_static = s->edges[e].kind == PATH_STATIC_FIELD;
        s->edges[e].field_name = strtab_add_text(strings, fields[s->edges[e].index]);
    }
}

static void close_heap(void)
{
    closed++;
}

/* ---- a recording ---- */

static void write_set(struct recording *r, uint64_t budget_ns)
{
    struct paths_object list[OBJECTS];
    for (uint32_t i = 0; i < OBJECTS; i++)
        list[i] = (struct paths_object){.reference = objects[i], .group = 1, .born_ns = r->start_ticks + i, .bytes = 100};
    if (budget_ns)
        paths_search(r, list, OBJECTS, budget_ns, 0);
    uint64_t now = clock_monotonic_ns();
    for (uint32_t i = 0; i < OBJECTS; i++) {
        struct jfr_old_object o = {.ticks = now,
                                   .class_name = strtab_add_text(&r->names.strings, "[B"),
                                   .born_ticks = r->start_ticks + i,
                                   .size = 16,
                                   .weight = 100,
                                   .outcome = strtab_add_text(&r->names.strings, "complete")};
        if (budget_ns)
            paths_describe(i, &o);
        jfr_write_old_object(r->writer, &o);
    }
    paths_write(r->writer, jfr_write_book_line, now);
}

/* One set for each budget. */
static bool record(const uint64_t *budgets, int count)
{
    struct recording r;
    struct keep keep = {0};
    struct error e;
    uint64_t bytes;
    unlink(file);
    if (recording_open(&r, file, -1, 0, &keep, 0, &e)) {
        tap_note("%s", e.text);
        return false;
    }
    opened = closed = walks = 0;
    for (int i = 0; i < count; i++) {
        write_set(&r, budgets[i]);
        recording_flush(&r);
        usleep(10000); /* times in the file are rounded */
    }
    int rc = recording_close(&r, &bytes, &e);
    paths_stop();
    return !rc;
}

static bool load(struct profile *p, struct leaks *l)
{
    struct error e = {""};
    profile_init(p);
    p->kind = PROFILE_LIVE;
    bool good = !profile_load_jfr(p, file, &e) && !leaks_find(l, p);
    if (!good)
        tap_note("%s", e.text);
    return good;
}

static bool says(const struct profile *p, const char *words)
{
    for (uint32_t i = 0; i < p->problem_count; i++)
        if (strstr(profile_text(p, p->problems[i].text), words))
            return true;
    return false;
}

static uint32_t missing(const struct profile *p, const struct holders *h, const char *reason)
{
    for (uint32_t i = 0; i < h->missing_count; i++)
        if (!strcmp(profile_text(p, h->missing[i].reason), reason))
            return h->missing[i].objects;
    return 0;
}

static void test_found(const uint64_t *budgets, int count, const char *about)
{
    static const char wanted[] =
        "java.util.HashMap$Node.value <- java.util.HashMap$Node[] [] <- java.util.HashMap.table <- com.shop.Orders.cache (static)";
    struct profile p;
    struct leaks l = {0};
    bool good = record(budgets, count) && load(&p, &l);
    tap_ok(good, "%s: a recording is made", about);
    if (!good)
        return;
    const struct holders *h = &l.holders;
    tap_ok(h->count == 1 && !strcmp(profile_text(&p, h->rows[0].path), wanted) && h->rows[0].objects == PATH_SAMPLES_MAX,
           "%s: all that were searched for have their path: %u of %u", about, h->count ? h->rows[0].objects : 0, h->objects);
    tap_ok(missing(&p, h, "not_chosen") == OBJECTS - PATH_SAMPLES_MAX && h->missing_count == 1, "%s: the others were not", about);
    const struct profile_book *walked = profile_book(&p, "paths_walked", "");
    tap_ok(walked && walked->count == (uint64_t)walks && walks == 4 * count && opened == count && closed == count,
           "%s: four walks each are booked, and all tags are gone (%d)", about, walks);
    tap_ok(says(&p, "paths: found for 256 of 256 objects, by 4 walks"), "%s: and the log tells of it", about);
    leaks_deinit(&l);
    profile_deinit(&p);
}

static void test_none(uint64_t budget, const char *reason, const char *log)
{
    struct profile p;
    struct leaks l = {0};
    bool good = record(&budget, 1) && load(&p, &l);
    tap_ok(good, "%s: a recording is made", reason);
    if (!good)
        return;
    const struct holders *h = &l.holders;
    tap_ok(!h->count && missing(&p, h, reason) == PATH_SAMPLES_MAX && missing(&p, h, "not_chosen") == OBJECTS - PATH_SAMPLES_MAX,
           "%s: there is no path, and that is why", reason);
    tap_ok(opened == closed && says(&p, log), "%s: and the log says so (%d walks)", reason, walks);
    leaks_deinit(&l);
    profile_deinit(&p);
}

static void test_unasked(void)
{
    const uint64_t nothing = 0;
    struct profile p;
    struct leaks l = {0};
    bool good = record(&nothing, 1) && load(&p, &l);
    tap_ok(good && !l.holders.objects && !opened && !profile_book(&p, "paths_walked", "") && p.sample_count == OBJECTS,
           "nobody is searched for unless that is asked");
    leaks_deinit(&l);
    profile_deinit(&p);
}

int main(void)
{
    const uint64_t enough[] = {20 * NS_PER_S, 20 * NS_PER_S};
    snprintf(file, sizeof file, "/tmp/candor-live-paths-%d.jfr", (int)getpid());
    heap_walks = (struct heap_walks){used, open_heap, walk, classify, name, close_heap};
    make_heap();
    test_found(enough, 1, "once");
    test_found(enough, 2, "twice into one chunk");
    test_none(1000, "budget", "--paths");
    refuses = true;
    test_none(enough[0], "failed", "paths: found for 0 of 256 objects");
    test_unasked();
    unlink(file);
    return tap_done();
}
