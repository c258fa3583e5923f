/* The output for a profile: text, JSON, collapsed stacks, the flame graph's data, and files that are whole or absent.
 * tier: quick
 * timeout: 30
 * aarch64: yes */
#include "../tap.h"

#include "base/time_units.h"
#include "format/collapsed.h"
#include "format/page/flamegraph.h"
#include "format/write/output.h"
#include "format/page/page_tree.h"
#include "format/page/slices.h"
#include "profile/allocated.h"
#include "profile_maker.h"
#include "profile/figures/stats.h"
#include "report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void contains(const char *text, const char *part, const char *what)
{
    if (!tap_ok(strstr(text, part) != NULL, "%s", what))
        tap_note("no '%s' in:\n%s", part, text);
}

static void lacks(const char *text, const char *part, const char *what)
{
    if (!tap_ok(strstr(text, part) == NULL, "%s", what))
        tap_note("'%s' in:\n%s", part, text);
}

static const unsigned all_sections = REPORT_METHODS | REPORT_LINES | REPORT_TREE | REPORT_THREADS | REPORT_BOOKS;

typedef int printer(FILE *out, const struct profile *p, struct stats *s, const struct report_options *o);

static char *printed(const struct profile *p, printer *print, struct report_options o)
{
    char *text;
    size_t size;
    struct stats s;
    FILE *f = open_memstream(&text, &size);
    int rc = stats_compute(&s, p);
    if (!rc)
        rc = print(f, p, &s, &o);
    fclose(f);
    stats_deinit(&s);
    if (rc)
        tap_ok(false, "report: %s", strerror(-rc));
    return text;
}

static void make_example(struct profile *p)
{
    maker_init(p);
    p->interval_ns = 10 * NS_PER_MS;
    /* Samples alternate, so that they are no more certain than independent ones. */
    for (int i = 0; i < 100; i++)
        maker_sample(p,
                     i * 3 % 10 < 7 ? "java.lang.Thread.run:840;demo.Work.run:10;demo.Work.hot:23"
                                    : "java.lang.Thread.run:840;demo.Work.run:11;demo.Work.cold:30",
                     10000000);
}

static void add_books(struct profile *p)
{
    maker_setting(p, "clock", "perf");
    maker_setting(p, "clock_resolution_ns", "1");
    maker_book(p, "cpu", "", 1100000000, 0);
    maker_book(p, "complete", "", NS_PER_S, 100);
    maker_book(p, "truncated", "", 0, 0);
    maker_book(p, "failed", "gc_active", 60000000, 6);
    maker_book(p, "lost", "queue_full", 45000000, 4);
    maker_book(p, "residual", "", -5000000, 0);
    maker_book(p, "own_cost", "", 12000000, 0);
}

static void test_text(void)
{
    struct profile p;
    make_example(&p);
    struct report_options o = {.sections = all_sections, .threshold = 0.01};
    char *text = printed(&p, report_text, o);
    contains(text, "(t 70.0,s 70.0) [60.4..78.1] demo.Work.hot\n", "a hot method with its interval");
    contains(text, "(t 30.0,s 30.0) [21.9..39.6] demo.Work.cold:30\n", "a hot line");
    contains(text, "(t 100.0,s  0.0) demo.Work.run\n(t  70.0,s 70.0) + demo.Work.hot\n", "the tree, a fork moved right");
    contains(text, "main (tid 4711)", "a thread");
    contains(text, "This recording has no books", "no books are said to be none");
    free(text);
    o = (struct report_options){.sections = REPORT_METHODS, .order = STATS_BY_TOTAL};
    text = printed(&p, report_text, o);
    contains(text, "(t 100.0,s  0.0) [96.3..100.0] demo.Work.run\n", "sorted by total, with its interval");
    lacks(text, "Books", "sections that are not asked for are left out");
    free(text);
    o = (struct report_options){.sections = REPORT_METHODS, .order = STATS_BY_TOTAL, .top_set = true, .top = 3};
    text = printed(&p, report_text, o);
    contains(text, "\n1 more method, s 30.0\n", "the rest of one row is in the singular");
    free(text);
    o = (struct report_options){.sections = REPORT_METHODS, .width = 120};
    text = printed(&p, report_text, o);
    contains(text, "(t 70.0,s 70.0) [60.4..78.1] [60.4..78.1] demo.Work.hot\n", "both intervals where there is room");
    free(text);
    o = (struct report_options){.sections = REPORT_METHODS, .width = 40};
    text = printed(&p, report_text, o);
    contains(text, " d.Work.hot\n", "packages are shortened on a narrow terminal");
    free(text);
    profile_deinit(&p);
}

static void test_books(void)
{
    struct profile p;
    make_example(&p);
    add_books(&p);
    maker_setting(&p, "kernel", "excluded");
    profile_add_problem(&p, "warning", "evil \033[31m text");
    char *text = printed(&p, report_text, (struct report_options){.sections = REPORT_BOOKS});
    contains(text, "  CPU                               1.10 s   100.00\n", "the CPU time");
    contains(text, "    complete                        1.00 s    90.91          100\n", "an account");
    contains(text, "      queue_full                   45.0 ms     4.09            4\n", "a reason");
    contains(text, "    residual                      -5.00 ms    -0.45\n", "a negative residual");
    contains(text, "  own cost (within the above)      12.0 ms     1.09\n", "own cost, in its column");
    contains(text, "kernel=excluded", "a setting that limits what is seen");
    contains(text, "warning: evil ?[31m text\n", "problems, harmless to terminals");
    lacks(text, "context switches", "of context switches nothing where none were counted");
    free(text);
    maker_book(&p, "switches", "", 0, 5499);
    text = printed(&p, report_text, (struct report_options){.sections = REPORT_BOOKS});
    lacks(text, "context switches", "nor where they take less than a hundredth");
    free(text);
    maker_book(&p, "switches", "", 0, 33000);
    text = printed(&p, report_text, (struct report_options){.sections = REPORT_BOOKS});
    contains(text, "33,000 context switches the kernel stopped this clock and started it again: some 1.5 to 6.0 % of the CPU time",
             "what they cost");
    free(text);
    profile_deinit(&p);
}

/* Books of clocks by lot: the samples stand for 2 % more CPU time than there was, or for 8 % less. */
static void test_chance(void)
{
    struct profile p, q;
    make_example(&p);
    maker_book(&p, "cpu", "", 1000 * NS_PER_MS, 0);
    maker_book(&p, "complete", "", 1015 * NS_PER_MS, 100);
    maker_book(&p, "unseen", "not_drawn", -20 * (int64_t)NS_PER_MS, 0);
    maker_book(&p, "unseen", "profiler", 5 * NS_PER_MS, 0);
    char *text = printed(&p, report_text, (struct report_options){.sections = REPORT_BOOKS});
    contains(text, "101.5 % of the CPU time is in samples with a stack (2.0 % too much, by chance: clocks by lot); ", "the chance of lots");
    contains(text, "unseen 0.5 %, residual", "is told by itself");
    free(text);
    text = printed(&p, report_text, (struct report_options){.sections = REPORT_BOOKS, .all_books = true});
    contains(text, "the samples stand for 2.0 % more than the CPU time that there was", "and explained below the books");
    free(text);
    profile_deinit(&p);
    make_example(&q);
    maker_book(&q, "cpu", "", 1000 * NS_PER_MS, 0);
    maker_book(&q, "complete", "", 920 * NS_PER_MS, 100);
    maker_book(&q, "unseen", "not_drawn", 80 * NS_PER_MS, 0);
    text = printed(&q, report_text, (struct report_options){.sections = REPORT_BOOKS});
    contains(text, "the samples stand for 8.0 % less than the CPU time that there was", "much of it is shown account by account");
    free(text);
    profile_deinit(&q);
}

static void test_empty(void)
{
    struct profile p;
    maker_init(&p);
    char *text = printed(&p, report_text, (struct report_options){.sections = all_sections});
    contains(text, "Samples   none", "no samples: said");
    lacks(text, "nan", "and nothing divided by them");
    free(text);
    text = printed(&p, report_json, (struct report_options){.sections = all_sections});
    contains(text, "\"methods\": []", "JSON of no samples");
    contains(text, "\"books\": null", "and of no books");
    free(text);
    profile_deinit(&p);
}

static void test_json(void)
{
    struct profile p;
    make_example(&p);
    add_books(&p);
    maker_sample(&p, "demo.\"</script>.m", 1);
    char *text = printed(&p, report_json, (struct report_options){.sections = all_sections});
    contains(text, "\"name\": \"demo.Work.hot\", \"self\": 700000000, \"self_share\": 0.7, \"self_low\": 0.604", "a method");
    contains(text, "\"failed_ns\": {\"gc_active\": 60000000}", "reasons with time");
    contains(text, "\"residual_ns\": -5000000", "a signed figure");
    contains(text, "demo.\\\"</script>.m", "names are escaped");
    contains(text, "\"execution_samples\": 0", "counts");
    free(text);
    text = printed(&p, report_json, (struct report_options){.sections = REPORT_METHODS, .top_set = true, .top = 1});
    lacks(text, "demo.Work.cold", "--top cuts");
    free(text);
    profile_deinit(&p);
}

static char *collapsed(const struct profile *p, enum collapsed_unit unit, bool threads)
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    int rc = collapsed_write(f, p, unit, threads);
    fclose(f);
    tap_ok(rc == 0, "collapsed stacks");
    return text;
}

static void test_collapsed(void)
{
    struct profile p;
    make_example(&p);
    maker_sample(&p, "odd;na\nme", 4000000);
    char *text = collapsed(&p, COLLAPSED_SAMPLES, false);
    contains(text, "java.lang.Thread.run;demo.Work.run;demo.Work.hot 70\n", "whole samples");
    lacks(text, "odd", "a stack below half a sample is rounded away");
    free(text);
    text = collapsed(&p, COLLAPSED_NS, true);
    contains(text, "main;java.lang.Thread.run;demo.Work.run;demo.Work.cold 300000000\n", "nanoseconds, by thread");
    contains(text, "main;odd;na?me 4000000\n", "a line break in a name does not break the line");
    free(text);
    profile_deinit(&p);
    maker_init(&p);
    p.interval_ns = 10;
    maker_sample(&p, "a", 14);
    maker_sample(&p, "b", 14);
    maker_sample(&p, "c", 13);
    text = collapsed(&p, COLLAPSED_SAMPLES, false);
    tap_ok(!strcmp(text, "a 2\nb 1\nc 1\n"), "4.1 samples are 4, though each stack alone would be 1");
    free(text);
    profile_deinit(&p);
}

static void test_flamegraph(void)
{
    struct profile p;
    make_example(&p);
    maker_sample(&p, "evil</script><b>.x", 1);
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    tap_ok(flamegraph_write(f, &p, "a <title> & more", false) == 0, "a flame graph");
    fclose(f);
    contains(text, "\"title\":\"a \\u003ctitle\\u003e \\u0026 more\"", "its title");
    contains(text, "\"nodes\":{\"count\":6,\"parent\":\"", "its columns, packed");
    contains(text, "\"code\":[]", "no code");
    char effective[64];
    snprintf(effective, sizeof effective, "\"effective_samples\":%.6g,", stats_effective_samples(&p));
    contains(text, effective, "the sample size of the report");
    contains(text, "\"total\":1000000001,", "the total");
    lacks(text, "evil</script>", "no name can leave its element");
    lacks(text, "CANDOR_DATA", "the mark is gone");
    tap_ok(strstr(text, "</html>") != NULL, "the page is whole");
    free(text);
    char name[] = "a.B.c", listing[] = "mov eax, 1\n<total>";
    const struct page_code code = {name, listing};
    struct source_line line = {7, 1, 20, "if (a </script> b)"};
    uint32_t label;
    tap_ok(!profile_string(&p, "a.B.c", strlen("a.B.c"), &label), "a label");
    struct source_method method = {label, "a/B.java", &line, 1, 1, 2};
    const struct sources sources = {&method, 1, 1, 0};
    f = open_memstream(&text, &size);
    struct flamegraph page;
    flamegraph_begin(&page, f);
    tap_ok(flamegraph_add(&page, &p, "with code", false, &(struct page_extras){&code, 1, &sources}) == 0, "a flame graph with code");
    p.kind = PROFILE_WALL;
    tap_ok(flamegraph_add(&page, &p, "a </script> second", false, NULL) == 0, "and another kind");
    flamegraph_add_json(&page, "findings", "{\"a\":\"x < y </script>\"}", sizeof "{\"a\":\"x < y </script>\"}" - 1);
    flamegraph_end(&page);
    fclose(f);
    contains(text, "data-part=\"findings\">{\"a\":\"x \\u003c y \\u003c/script>\"}</script>", "another report, which cannot leave its own");
    contains(text, "</script>\n<script type=\"application/json\" class=\"candor-data\" data-kind=\"wall\" data-title=\"Wall clock\">{",
             "which has an element of its own");
    contains(text, "\"kind\":\"cpu\",\"kind_title\":\"CPU\",\"pid\":", "each says what it is");
    contains(text, "\"title\":\"a \\u003c/script\\u003e second\"", "and cannot leave its element");
    contains(text, "\"a/B.java\",2,[[7,1,20,\"if (a \\u003c/script\\u003e b)\"]]]]",
             "source lines with their costs, which cannot leave it either");
    contains(text, ",\"mov eax, 1\\n\\u003ctotal\\u003e\"]]", "as text that cannot leave its element");
    contains(text, "\"a.B.c\"", "and the method's name");
    free(text);
    profile_deinit(&p);
}

static void test_page_tree(void)
{
    struct profile after, before;
    struct calltree a, b;
    struct page_tree t;
    maker_init(&after);
    maker_init(&before);
    maker_sample(&after, "m;x;z", 70);
    maker_sample(&after, "m;y", 30);
    maker_sample(&before, "m;gone;deep", 5);
    maker_sample(&before, "m;x", 10);
    maker_sample(&before, "old", 2);
    if (!tap_ok(!calltree_build(&a, &after, false) && !calltree_build(&b, &before, false) && !page_tree_init(&t) &&
                    !page_tree_add(&t, PAGE_AFTER, &after, &a) && !page_tree_add(&t, PAGE_BEFORE, &before, &b) && !page_tree_settle(&t),
                "two profiles in one tree"))
        return;
    static const struct {
        const char *name;
        uint32_t parent;
        uint64_t after, before;
    } expected[] = {{"", 0, 0, 0},   {"m", 0, 0, 0},    {"old", 0, 0, 2}, {"x", 1, 0, 10},
                    {"y", 1, 30, 0}, {"gone", 1, 0, 0}, {"z", 3, 70, 0},  {"deep", 5, 0, 5}};
    bool same = t.count == sizeof expected / sizeof *expected;
    for (uint32_t i = 0; same && i < t.count; i++)
        same = !strcmp(strtab_text(&t.names, t.nodes[i].name), expected[i].name) && t.nodes[i].parent == expected[i].parent &&
               t.nodes[i].self[PAGE_AFTER] == expected[i].after && t.nodes[i].self[PAGE_BEFORE] == expected[i].before;
    tap_ok(same && t.total[PAGE_AFTER] == 100 && t.total[PAGE_BEFORE] == 17,
           "each name once below its parent, level by level, with both weights");
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    const struct page_profile sides[] = {{&before, "old.jfr"}, {&after, "new.jfr"}};
    const struct page_change change = {"x", {-0.25, 0.5}, {0.125, 0.75}, false, true};
    tap_ok(flamegraph_write_diff(f, &sides[0], &sides[1], &change, 1) == 0, "a page of both");
    fclose(f);
    contains(text, "\"title\":\"new.jfr\"", "its title is that of after");
    contains(text, "\"before\":{\"title\":\"old.jfr\",\"kind\":\"cpu\",", "it knows before");
    contains(text, "\"nodes\":{\"count\":8,", "and all nodes");
    contains(text, "\"changes\":[[2,-0.25,0.5,0,0.125,0.75,1,0,0]]", "and what was found of a method");
    free(text);
    page_tree_deinit(&t);
    calltree_deinit(&a);
    calltree_deinit(&b);
    profile_deinit(&after);
    profile_deinit(&before);
}

/* async-profiler writes successive samples of an idle thread as one event. */
static void test_batch(void)
{
    struct profile p;
    struct calltree tree;
    struct slices s;
    maker_init(&p);
    p.kind = PROFILE_WALL;
    p.interval_ns = NS_PER_MS;
    p.source = maker_string(&p, "profiler.WallClockSample");
    maker_sample(&p, "a;b", 10);
    maker_sample(&p, "a;c", 1);
    p.samples[0].count = 3;
    p.samples[0].time_ns = 5 * NS_PER_S;
    p.samples[1].time_ns = p.samples[0].time_ns + 5 * NS_PER_MS;
    bool good = !calltree_build(&tree, &p, false) && !slices_init(&s, &p, &tree);
    tap_ok(good && s.count == 4 && s.list[0].bucket == 0 && s.list[0].weight == 3 && s.list[1].bucket == 1 && s.list[1].weight == 3 &&
               s.list[2].bucket == 2 && s.list[2].weight == 4 && s.list[3].bucket == 5,
           "a sample that stands for three lasts three intervals");
    slices_deinit(&s);
    p.samples[0].count = 9;
    good = !slices_init(&s, &p, &tree);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s.count; i++)
        sum += s.list[i].weight;
    tap_ok(good && sum == 11 && s.list[s.count - 1].bucket == 5, "but not beyond the end");
    slices_deinit(&s);
    calltree_deinit(&tree);
    profile_deinit(&p);
}

static void test_slices(void)
{
    struct profile p;
    struct calltree tree;
    struct slices s;
    maker_init(&p);
    maker_sample(&p, "a;b", 1);
    maker_sample(&p, "a;c", 2);
    maker_sample_of(&p, "other", "a;b", 4);
    maker_sample(&p, "a;b", 8);
    static const int64_t us[] = {0, 2500, 2400, 900};
    for (int i = 0; i < 4; i++)
        p.samples[i].time_ns = 5 * NS_PER_S + 1000 * us[i];
    bool good = !calltree_build(&tree, &p, false) && !slices_init(&s, &p, &tree);
    tap_ok(good && s.count == 3 && s.buckets == 3 && s.bucket_ns == NS_PER_MS && s.thread_count == 2 && s.list[0].bucket == 0 &&
               s.list[0].weight == 9 && s.list[1].bucket == 2 && s.list[1].weight == 2 && s.list[2].thread == 1 && s.list[2].weight == 4,
           "samples of one place and millisecond are one slice");
    slices_deinit(&s);
    p.kind = PROFILE_WALL;
    good = !slices_init(&s, &p, &tree);
    tap_ok(good && !s.has_states && s.count == 3, "samples of a tool that does not say what threads did have no states");
    slices_deinit(&s);
    p.samples[0].state = JFR_STATE_PARKED;
    p.samples[3].state = JFR_STATE_VM;
    good = !slices_init(&s, &p, &tree);
    tap_ok(good && s.has_states && s.count == 4 && s.list[0].state == SLICE_RUNNING && s.list[0].weight == 8 &&
               s.list[1].state == SLICE_WAITING && s.list[1].weight == 1 && s.list[1].node == s.list[0].node,
           "of the wall clock, samples in different states are different slices");
    slices_deinit(&s);
    p.kind = PROFILE_RUNNING;
    for (int i = 0; i < 300000; i++) {
        maker_sample(&p, "a;b", 1);
        p.samples[p.sample_count - 1].time_ns = 5 * NS_PER_S + i * 10000000LL;
    }
    uint64_t sum = 0;
    good = !slices_init(&s, &p, &tree);
    for (uint32_t i = 0; i < s.count; i++)
        sum += s.list[i].weight;
    tap_ok(good && s.bucket_ns == 20 * NS_PER_MS && s.count <= 200000 && sum == p.weight, "too many slices are made longer: %u of %u ns",
           s.count, (unsigned)s.bucket_ns);
    slices_deinit(&s);
    for (uint32_t i = 0; i < p.sample_count; i++)
        p.samples[i].time_ns = 7;
    tap_ok(!slices_init(&s, &p, &tree) && !s.count, "samples without times have none");
    slices_deinit(&s);
    calltree_deinit(&tree);
    profile_deinit(&p);
}

static bool exists(const char *path)
{
    return !access(path, F_OK);
}

static void test_output(void)
{
    char dir[] = "/tmp/candor-test-XXXXXX", path[64], link_path[64];
    struct output o;
    struct error e;
    if (!tap_ok(mkdtemp(dir) != NULL, "a directory"))
        return;
    snprintf(path, sizeof path, "%s/out", dir);
    snprintf(link_path, sizeof link_path, "%s/link", dir);
    tap_ok(output_open(&o, path, &e) == 0 && !exists(path), "nothing under the name while it is written");
    fputs("one", o.file);
    tap_ok(output_close(&o, &e) == 0 && exists(path), "then the whole file");
    tap_ok(output_open(&o, path, &e) == 0, "over an earlier file");
    fputs("half", o.file);
    output_abandon(&o);
    struct stat st;
    tap_ok(!stat(path, &st) && st.st_size == 3, "which stays when the new one is given up");
    chmod(path, 0640);
    tap_ok(!symlink("out", link_path) && !output_open(&o, link_path, &e), "through a link");
    fputs("through", o.file);
    output_close(&o, &e);
    tap_ok(!lstat(link_path, &st) && S_ISLNK(st.st_mode) && !stat(path, &st) && st.st_size == 7, "the target is replaced");
    tap_ok((st.st_mode & 0777) == 0640, "the mode stays");
    tap_ok(output_open(&o, "/nonexistent/x", &e) == -ENOENT && strstr(e.text, "/nonexistent/x"), "no such directory");
    tap_ok(output_open(&o, dir, &e) == -EISDIR, "a directory");
    tap_ok(output_open(&o, "/dev/full", &e) == 0, "a device is written directly");
    for (int i = 0; i < 100000; i++)
        fputc('x', o.file);
    tap_ok(output_close(&o, &e) == -ENOSPC && strstr(e.text, "No space left"), "disk full is said: %s", e.text);
    tap_ok(exists("/dev/full"), "and the device is still there");
    unlink(link_path);
    unlink(path);
    tap_ok(rmdir(dir) == 0, "no temporary file is left");
}

/* Eight looks, one a second, and a class that has forty more objects at each look. */
static void make_live(struct profile *p)
{
    const int64_t start = INT64_C(1700000000) * NS_PER_S;
    maker_init(p);
    p->kind = PROFILE_LIVE;
    p->unit = PROFILE_UNIT_BYTES;
    p->start_ns = start;
    p->duration_ns = 8 * NS_PER_S;
    maker_setting(p, "event", "alloc,live");
    maker_setting(p, "live_old_collections", "counted");
    maker_setting(p, "live_max", "1024");
    maker_book(p, "live_watched_bytes", "", 320 << 20, 320);
    maker_book(p, "live_dead_bytes", "", 7 << 20, 7);
    p->live_sets = calloc(8, sizeof *p->live_sets);
    p->objects = calloc(320, sizeof *p->objects);
    p->live_set_count = p->live_set_cap = 8;
    p->object_count = p->object_cap = 320;
    for (int i = 0; i < 8; i++)
        p->live_sets[i] = (struct profile_live_set){.time_ns = start + (i + 1) * NS_PER_S,
                                                    .collections = (uint64_t)i + 1,
                                                    .old_collections = (uint64_t)i + 1,
                                                    .old_before = (uint64_t)i,
                                                    .heap_used = (uint64_t)(50 + 10 * i) << 20,
                                                    .objects = (uint64_t)(i + 1) * 40,
                                                    .bytes = (uint64_t)(i + 1) * 40 << 20,
                                                    .error = 3 << 20};
    for (int i = 0; i < 320; i++) {
        struct profile_sample s = {.time_ns = start + i * NS_PER_S / 40,
                                   .weight = 1 << 20,
                                   .count = 1,
                                   .stack = maker_stack(p, "com.shop.Service.add:7;java.util.HashMap.put:612")};
        allocated_label(p, "[B", 2, &s.labels);
        profile_add_sample(p, &s);
        p->objects[i] = (struct profile_object){.sample = s, .told_ns = start + 8 * NS_PER_S, .size = 1000, .is_alive = true};
    }
}

static void test_live(void)
{
    struct profile p;
    struct leaks l;
    make_live(&p);
    if (!tap_ok(!leaks_find(&l, &p) && l.count == 1, "live objects that grow"))
        return;
    struct report_options o = {.sections = REPORT_METHODS | REPORT_BOOKS, .leaks = &l};
    char *text = printed(&p, report_text, o);
    contains(text, "byte[] of com.shop.Service.add", "the candidate by class and the program's own method");
    contains(text, "java.util.HashMap.put < com.shop.Service.add", "and how it came there");
    contains(text, "grew by 240 MiB", "with what it grew by, from the second look to the last");
    contains(text, "heap after collections: 50.0 MiB at first, 120 MiB at the end, +35.2 GiB an hour", "the heap");
    contains(text, "found dead", "the books");
    lacks(text, "may be garbage", "and no doubt, since old objects were collected");
    free(text);
    l.proof = LEAKS_NO_OLD_COLLECTION;
    text = printed(&p, report_text, o);
    contains(text, "may be garbage", "which there is where they were not");
    free(text);
    static const struct {
        double chance;
        const char *wanted;
    } bounds[] = {{1.4e-9, "p <= 2e-09\n"}, {2e-9, "p <= 2e-09\n"}, {9.5e-9, "p <= 1e-08\n"}, {0, "p <= 1e-99\n"}};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        l.rows[0].chance = bounds[i].chance;
        text = printed(&p, report_text, o);
        contains(text, bounds[i].wanted, "a bound is never rounded down");
        free(text);
    }
    text = printed(&p, report_json, o);
    contains(text, "\"site\": \"com.shop.Service.add\"", "the same as JSON");
    contains(text, "\"proof\": \"no old collection\"", "with the doubt");
    contains(text, "\"heap_used\": 125829120", "and what collections left");
    free(text);
    maker_book(&p, "paths_walked", "", 30000000, 1);
    maker_book(&p, "paths_stopped", "", 0, 0);
    text = printed(&p, report_text, o);
    contains(text, "walked once, in 30.0 ms; all threads were stopped for ? by",
             "a walk for paths, where the JVM does not count safepoints");
    free(text);
    text = printed(&p, report_json, o);
    contains(text, "\"walked_ns\": 30000000, \"stopped_ns\": null", "what nobody counted is not 0");
    free(text);
    leaks_deinit(&l);
    p.live_sets[1].time_ns = p.live_sets[0].time_ns + 1;
    p.live_sets[2].time_ns = p.live_sets[0].time_ns + 2;
    p.live_sets[1].heap_used = p.live_sets[2].heap_used = UINT64_MAX / 4;
    p.live_set_count = 3;
    text = printed(&p, report_text, o);
    contains(text, "4194304 TiB at the end, +9094947 TiB an hour", "a heap that cannot be true grows by the most that can be said");
    free(text);
    l.is_too_short = true;
    text = printed(&p, report_text, o);
    contains(text, "Too few collections", "too few looks are said");
    free(text);
    p.live_set_count = 0;
    text = printed(&p, report_text, o);
    contains(text, "by the objects' own size", "what the JDK has recorded weighs that");
    free(text);
    p.merged = 2;
    text = printed(&p, report_text, o);
    contains(text, "of several recordings together", "but not what was put together of several");
    free(text);
    profile_deinit(&p);
}

/* Whatever a recording contains, the terminal gets no control sequences. */
static void test_hostile(void)
{
    static const char evil[] = "\033[2J";
    static const enum profile_kind kinds[] = {PROFILE_RUNNING, PROFILE_LOCK, PROFILE_ALLOC, PROFILE_LIVE};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct profile p;
        make_example(&p);
        p.kind = kinds[i];
        p.value = maker_string(&p, evil);
        maker_book(&p, "events", "", 100, 0);
        maker_book(&p, "events_failed", evil, 40, 4);
        maker_book(&p, "alloc_bytes", "", 100, 1);
        maker_book(&p, "alloc_lost_bytes", evil, 100, 1);
        maker_book(&p, "live_watched_bytes", "", 100, 1);
        maker_setting(&p, "lock_rate", evil);
        maker_setting(&p, "alloc_rate", evil);
        maker_setting(&p, "live_max", evil);
        char *text = printed(&p, report_text, (struct report_options){.sections = all_sections});
        lacks(text, "\033", "no control character of a recording reaches a terminal");
        contains(text, "?[2J", "what stands in its place is shown");
        if (kinds[i] == PROFILE_RUNNING)
            contains(text, "      ?[2J                                   40    40.00            4\n", "in its column");
        free(text);
        profile_deinit(&p);
    }
}

int main(void)
{
    test_live();
    test_hostile();
    test_text();
    test_books();
    test_chance();
    test_empty();
    test_json();
    test_collapsed();
    test_flamegraph();
    test_page_tree();
    test_slices();
    test_batch();
    test_output();
    return tap_done();
}
