/* The model: interning, names, books, and the tree by name.
 * tier: quick
 * timeout: 20
 * aarch64: yes */
#include "../tap.h"

#include "profile/check.h"
#include "profile/figures/calltree.h"
#include "profile/merge.h"
#include "profile/names.h"
#include "profile/prune.h"
#include "profile_maker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void test_interning(void)
{
    struct profile p;
    maker_init(&p);
    uint32_t a = maker_stack(&p, "app.Main.run:3;app.Work.hot:7"), b = maker_stack(&p, "app.Main.run:3;app.Work.cold:9");
    tap_ok(a == maker_stack(&p, "app.Main.run:3;app.Work.hot:7"), "the same stack has the same id");
    tap_ok(a != b && p.nodes[a].parent == p.nodes[b].parent, "stacks share their beginning");
    tap_ok(p.nodes[a].parent < a && p.nodes[b].parent < b, "parents have smaller ids");
    tap_ok(a != maker_stack(&p, "app.Main.run:3;app.Work.hot:8"), "another line is another frame");
    tap_ok(p.method_count == 3, "but not another method (%u)", p.method_count);
    uint32_t frame = p.nodes[a].frame, method = p.frames[frame].method, same, other;
    profile_frame(&p, method, 7, 0, JFR_FRAME_C2, &same);
    profile_frame(&p, method, 7, 0, JFR_FRAME_INLINED, &other);
    tap_ok(same == frame && other != frame, "the type belongs to the frame");
    profile_frame(&p, method, 7, UINT32_MAX, JFR_FRAME_C2, &other);
    tap_ok(other != frame && p.frames[other].type == JFR_FRAME_C2, "an absurd bci does not spill into the type");
    profile_deinit(&p);
}

static bool label_is(const char *class_name, const char *name, const char *descriptor, const char *wanted)
{
    struct profile p;
    uint32_t words[3], method, frame;
    maker_init(&p);
    profile_string(&p, class_name, strlen(class_name), &words[0]);
    profile_string(&p, name, strlen(name), &words[1]);
    profile_string(&p, descriptor, strlen(descriptor), &words[2]);
    profile_method(&p, words[0], words[1], words[2], &method);
    profile_frame(&p, method, 0, 0, JFR_FRAME_NATIVE, &frame);
    bool same = !strcmp(profile_text(&p, p.frames[frame].label), wanted);
    profile_deinit(&p);
    return same;
}

/* A trie that grows at random places: each (parent, frame) is one node, and stays the same node. */
static void test_trie(void)
{
    enum { NODES = 4000, FRAMES = 5 };
    struct profile p;
    unsigned seed = 1;
    uint32_t id, known[NODES][FRAMES] = {0}, wrong = 0, made = 0;
    profile_init(&p);
    for (int i = 0; i < 8 * NODES; i++) {
        uint32_t parent = (uint32_t)rand_r(&seed) % p.node_count, frame = (uint32_t)rand_r(&seed) % FRAMES;
        if (rand_r(&seed) % 4 == 0)
            parent = p.node_count - 1;
        if (parent >= NODES || (!known[parent][frame] && p.node_count == NODES))
            continue;
        wrong += profile_stack(&p, parent, frame, &id) || p.nodes[id].parent != parent || p.nodes[id].frame != frame;
        wrong += known[parent][frame] ? id != known[parent][frame] : id != p.node_count - 1;
        made += !known[parent][frame];
        known[parent][frame] = id;
    }
    tap_ok(!wrong && made + 1 == p.node_count && p.node_count == NODES, "%u nodes, each made once and found again", made);
    profile_deinit(&p);
}

static uint32_t method_of(struct profile *p, const char *class_name, const char *name, const char *descriptor)
{
    uint32_t method = UINT32_MAX;
    profile_method(p, maker_string(p, class_name), maker_string(p, name), maker_string(p, descriptor), &method);
    return method;
}

/* base/text/stable_name.h has the rule; this test only checks that it is applied. */
static void test_stable_methods(void)
{
    struct profile p, full, sum;
    maker_init(&p);
    uint32_t one = method_of(&p, "Hot$$Lambda.0x000070a1c8003400", "run", "()V");
    bool same = one == method_of(&p, "Hot$$Lambda$14/0x0000000800c03000", "run", "()V") &&
                one == method_of(&p, "Hot$$Lambda.0x000070a1c8003400", "run", "()V") && one == method_of(&p, "Hot$$Lambda*", "run", "()V");
    tap_ok(same && p.method_count == 1 && one != method_of(&p, "Hot$$Lambda.0x000070a1c8003400", "call", "()V"),
           "classes that are named anew in each run are one");
    tap_ok(method_of(&p, "Hot$1", "run", "()V") != method_of(&p, "Hot$2", "run", "()V"), "anonymous classes of the program are not");
    uint32_t native = method_of(&p, "libdel5120839182312345678", "burn", "()L;");
    tap_ok(native == method_of(&p, "libdel823123456785120", "burn", "()L;") &&
               !strcmp(profile_text(&p, p.methods[native].package), "libdel*"),
           "so is a library under another file's name");
    tap_ok(method_of(&p, "", "[libdel5120839182312345678.so+0x1190]", "") == method_of(&p, "", "[libdel823123456785120.so+0x1190]", ""),
           "and its functions without a name");
    maker_init(&full);
    full.full_names = true;
    one = method_of(&full, "Hot$$Lambda.0x000070a1c8003400", "run", "()V");
    tap_ok(one != method_of(&full, "Hot$$Lambda$14/0x0000000800c03000", "run", "()V") && full.method_count == 2,
           "unless names are to be full");
    maker_sample(&full, "Hot.main;Hot$$Lambda$14/0x0000000800c03000.run", 1);
    profile_init(&sum);
    tap_ok(!profile_merge(&sum, &full) && method_of(&sum, "Hot$$Lambda$15/0x0000000800c03000", "run", "") == sum.method_count - 1,
           "which a sum of such profiles keeps");
    profile_deinit(&sum);
    profile_deinit(&full);
    profile_deinit(&p);
}

static void test_native_labels(void)
{
    tap_ok(label_is("libjvm", "JavaThread::run", "()L;", "JavaThread::run"), "a native function without its library");
    tap_ok(label_is("java.lang.Thread", "yield0", "()V", "java.lang.Thread.yield0"), "a native method with its class");
}

static void name_is(const char *class_name, const char *method, bool failed, const char *wanted)
{
    struct buffer b;
    buffer_init(&b, 1000);
    names_frame(&b, class_name, method, failed);
    buffer_u8(&b, 0);
    tap_ok(!strcmp((char *)b.data, wanted), "name %s", wanted);
    buffer_deinit(&b);
}

static void short_is(const char *label, size_t width, const char *wanted)
{
    struct buffer b;
    buffer_init(&b, 1000);
    names_short(&b, label, width);
    buffer_u8(&b, 0);
    if (!tap_ok(!strcmp((char *)b.data, wanted), "in %zu columns %s", width, wanted))
        tap_note("got %s", (char *)b.data);
    buffer_deinit(&b);
}

static void test_names(void)
{
    name_is("java.util.HashMap", "put", false, "java.util.HashMap.put");
    name_is("", "memcpy", false, "memcpy");
    name_is("", "", false, "[unknown]");
    name_is("not_walkable", "libjvm.so!foo", true, "[not_walkable] libjvm.so!foo");
    name_is("gc_active", "", true, "[gc_active]");
    short_is("java.util.concurrent.ForkJoinPool.scan", 80, "java.util.concurrent.ForkJoinPool.scan");
    short_is("java.util.concurrent.ForkJoinPool.scan", 37, "j.util.concurrent.ForkJoinPool.scan");
    short_is("java.util.concurrent.ForkJoinPool.scan", 10, "j.u.c.ForkJoinPool.scan");
    short_is("Main.main", 3, "Main.main");
    short_is("main.run", 3, "main.run");
    short_is("[no stack] libjvm.so", 3, "[no stack] libjvm.so");
    short_is("", 3, "");
    short_is("A<B<int> >::f", 13, "A<B<int> >::f");
    short_is("A<B<int> >::f", 12, "A<...>::f");
    short_is("A<B<C>, D<E> >::f<&G::h>(int) const", 12, "A<...>::f<...>(int) const");
    short_is("A::operator<<", 3, "A::operator<<");
    short_is("A::operator-><int>", 3, "A::operator-><int>");
    short_is("A<&B::operator->>::f", 3, "A<...>::f");
    short_is("A<B::f", 3, "A<B::f");
    short_is("A<B<C>::f", 3, "A<B<C>::f");
    short_is("a.b.C.<init>", 3, "a.b.C.<init>");
}

static void test_threads(void)
{
    struct profile p;
    uint32_t a, b, c, d, name = 0, other = 0;
    maker_init(&p);
    profile_string(&p, "worker-1", 8, &name);
    profile_string(&p, "renamed", 7, &other);
    profile_thread(&p, name, 10, 7, &a);
    profile_thread(&p, other, 10, 7, &b);
    tap_ok(a == b && p.threads[a].name == other, "a Java thread that is renamed is one thread, by its last name");
    profile_thread(&p, name, 11, 0, &c);
    profile_thread(&p, other, 11, 0, &d);
    tap_ok(c != d, "an id that the kernel used again is another thread");
    profile_thread(&p, name, 7, 10, &d);
    tap_ok(d != a, "ids of the two kinds are not mixed up");
    profile_deinit(&p);
}

static void test_limits(void)
{
    struct profile p;
    maker_init(&p);
    uint32_t stack = maker_stack(&p, "A.b");
    struct profile_sample huge = {.weight = (1ull << 62) - 1, .stack = stack}, one = {.weight = 1, .stack = stack};
    tap_ok(profile_add_sample(&p, &huge) == 0 && profile_add_sample(&p, &one) == -ERANGE, "weights cannot overflow");
    tap_ok(p.sample_count == 1 && p.weight == huge.weight, "a sample that is refused leaves no trace");
    for (int i = 0; i < 300; i++)
        profile_add_problem(&p, "warning", "number %d", i);
    profile_add_problem(&p, "warning", "number %d", 1);
    tap_ok(p.problem_count == 100, "problems are bounded");
    profile_deinit(&p);
}

static void test_books(void)
{
    struct profile p;
    maker_init(&p);
    maker_book(&p, "cpu", "", 1000000, 0);
    maker_book(&p, "complete", "", 1, 1);
    maker_book(&p, "complete", "", 600000, 6);
    maker_book(&p, "failed", "gc_active", 300000, 3);
    maker_book(&p, "residual", "", 100000, 0);
    tap_ok(p.book_count == 4 && profile_book(&p, "complete", "")->count == 6, "the last line of an account counts");
    tap_ok(!profile_book(&p, "failed", "") && profile_book(&p, "failed", "gc_active"), "reasons are lines of their own");
    maker_sample(&p, "A.b", 600000);
    maker_sample(&p, "A.c", 300000);
    tap_ok(profile_check(&p) == 0 && p.problem_count == 0, "books that close, with all their samples");
    maker_book(&p, "lost", "queue_full", 50000, 1);
    profile_check(&p);
    tap_ok(p.problem_count == 1 && strstr(profile_text(&p, p.problems[0].text), "do not balance"), "books that do not close");
    maker_book(&p, "lost", "queue_full", 0, 0);
    maker_sample(&p, "A.c", 300000);
    p.problem_count = 0;
    profile_check(&p);
    tap_ok(p.problem_count == 1 && strstr(profile_text(&p, p.problems[0].text), "is incomplete"), "samples that differ");
    profile_deinit(&p);
}

static void test_calltree(void)
{
    struct profile p;
    struct calltree t;
    maker_init(&p);
    maker_sample(&p, "A.run:1;B.cold:2", 10);
    maker_sample(&p, "A.run:2;B.hot:3", 20);
    maker_sample(&p, "A.run:1;B.hot:4", 30);
    maker_sample(&p, "A.run:1;B.hot:4;A.run:1", 5);
    tap_ok(calltree_build(&t, &p, false) == 0 && t.count == 5, "frames that differ in line only are one node");
    const struct calltree_node *run = &t.nodes[1], *hot = &t.nodes[2];
    tap_ok(t.nodes[0].total == 65 && t.nodes[0].child_count == 1, "the root holds all");
    tap_ok(run->total == 65 && run->self == 0 && run->child_count == 2 && run->first == 2, "a node and its children");
    tap_ok(!strcmp(profile_text(&p, hot->label), "B.hot") && hot->total == 55 && hot->self == 50, "heaviest child first");
    tap_ok(hot->self_samples == 2 && t.nodes[4].parent == 2 && t.nodes[4].self == 5, "a recursion is a node of its own");
    bool ordered = true;
    for (uint32_t i = 1; i < t.count; i++)
        ordered &= t.nodes[i].parent < i;
    tap_ok(ordered, "parents stand before their children");
    calltree_deinit(&t);
    tap_ok(calltree_build(&t, &p, true) == 0 && t.count == 6 && t.nodes[1].total == 65 &&
               !strcmp(profile_text(&p, t.nodes[1].label), "main"),
           "by thread");
    calltree_deinit(&t);
    profile_deinit(&p);
    maker_init(&p);
    tap_ok(calltree_build(&t, &p, false) == 0 && t.count == 1 && t.nodes[0].total == 0, "no samples: only the root");
    calltree_deinit(&t);
    profile_deinit(&p);
}

static void test_types(void)
{
    struct profile p;
    struct calltree t;
    maker_init(&p);
    maker_sample(&p, "Interpreted|A.run", 10);
    maker_sample(&p, "Inlined|A.run;Native|memcpy", 11);
    calltree_build(&t, &p, false);
    tap_ok(t.count == 3 && t.nodes[1].type == JFR_FRAME_INLINED && t.nodes[2].type == JFR_FRAME_NATIVE,
           "a node has the type of most of its weight");
    tap_ok(!strcmp(profile_type_name(JFR_FRAME_INLINED), "Inlined") && !strcmp(profile_type_name(200), "Other"), "types have names");
    calltree_deinit(&t);
    profile_deinit(&p);
}

static void test_processes(void)
{
    static const char *const cases[][2] = {
        {"org.x.Main --port 80", "org.x.Main"},
        {"Main", "Main"},
        {"/opt/app.jar", "app.jar"},
        {"/opt/my app.jar x.jar -v", "my app.jar"},
        {"lib/app.jar a/b", "app.jar"},
        {"mod.x/com.x.Main a", "com.x.Main"},
        {"/opt/.jars/x y", "x"},
        {"a/", "a/"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buffer b;
        buffer_init(&b, 256);
        names_process(&b, cases[i][0]);
        tap_ok(b.len == strlen(cases[i][1]) && !memcmp(b.data, cases[i][1], b.len), "the process '%s' is '%s'", cases[i][0], cases[i][1]);
        buffer_deinit(&b);
    }
}

/* ---- pruning ---- */

static const uint64_t *sorted_by;

static int heavier(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    if (sorted_by[a] != sorted_by[b])
        return sorted_by[a] > sorted_by[b] ? -1 : 1;
    return (a > b) - (a < b);
}

static void grow_at_random(struct profile *p, unsigned *seed, uint32_t nodes)
{
    uint32_t stack;
    maker_stack(p, "A.root");
    for (uint32_t i = 0; i < nodes; i++)
        profile_stack(p, (uint32_t)rand_r(seed) % p->node_count, p->nodes[1].frame, &stack);
    char name[32];
    for (uint32_t i = 0; i < nodes; i++) {
        snprintf(name, sizeof name, "A.m%u", i % 40);
        uint32_t one = maker_stack(p, name);
        profile_stack(p, (uint32_t)rand_r(seed) % p->node_count, p->nodes[one].frame, &stack);
        struct profile_sample sample = {.weight = (uint64_t)rand_r(seed) % 4 << rand_r(seed) % 40, .stack = stack, .count = 1};
        profile_add_sample(p, &sample);
    }
}

/* The first rows in the order of weight, then number. */
static bool chosen_rightly(const uint64_t *totals, uint32_t nodes, uint32_t keep)
{
    bool *kept = calloc(nodes, sizeof *kept), *expected = calloc(nodes, sizeof *expected);
    uint32_t *order = calloc(nodes, sizeof *order), n = 0;
    for (uint32_t i = 1; i < nodes; i++)
        if (totals[i])
            order[n++] = i;
    sorted_by = totals;
    qsort(order, n, sizeof *order, heavier);
    for (uint32_t i = 0; i < n && i < keep; i++)
        expected[order[i]] = true;
    bool right = prune_choose(totals, nodes, keep, kept) == (n > keep ? n - keep : 0) && !memcmp(kept, expected, nodes * sizeof *kept);
    free(kept);
    free(expected);
    free(order);
    return right;
}

static uint64_t weight_at_marks(const struct profile *p)
{
    uint64_t weight = 0;
    for (uint32_t i = 0; i < p->sample_count; i++) {
        uint32_t stack = p->samples[i].stack;
        if (stack && !strcmp(profile_text(p, p->frames[p->nodes[stack].frame].label), "[pruned]"))
            weight += p->samples[i].weight;
    }
    return weight;
}

static void test_prune(void)
{
    unsigned seed = 20261123;
    bool chosen = true, sums = true;
    for (int round_ = 0; round_ < 200; round_++) {
        struct profile p;
        struct pruned out = {0};
        maker_init(&p);
        grow_at_random(&p, &seed, 100);
        uint64_t *totals = calloc(p.node_count, sizeof *totals), whole = p.weight;
        for (uint32_t i = 0; i < p.sample_count; i++)
            totals[p.samples[i].stack] += p.samples[i].weight;
        for (uint32_t i = p.node_count - 1; i > 0; i--)
            totals[p.nodes[i].parent] += totals[i];
        for (uint32_t keep = 1; keep < 250; keep += 7)
            chosen = chosen && chosen_rightly(totals, p.node_count, keep);
        free(totals);
        for (uint32_t keep = 60; keep > 10; keep -= 20) {
            sums = sums && !profile_prune(&p, keep, &out) && out.weight == weight_at_marks(&p);
            uint64_t sum = 0;
            for (uint32_t i = 0; i < p.sample_count; i++)
                sum += p.samples[i].weight;
            sums = sums && sum == whole && p.weight == whole;
        }
        profile_deinit(&p);
    }
    tap_ok(chosen, "pruning keeps the heaviest nodes, of equal ones the first");
    tap_ok(sums, "what it cuts off is what stands on its marks, however often, and the sum stays");
}

static void test_merged_books(void)
{
    struct profile sum, one;
    profile_init(&sum);
    for (int64_t i = 1; i <= 2; i++) {
        profile_init(&one);
        maker_book(&one, "lost", "queue_full", 3 * i, 1);
        maker_book(&one, "wall_rounds", "", 30 / i, 10);
        maker_book(&one, "alloc_longest_interval", "", 5 * i, 0);
        tap_ok(!profile_merge(&sum, &one), "recording %d is merged", (int)i);
        profile_deinit(&one);
    }
    tap_ok(profile_book(&sum, "lost", "queue_full")->ns == 9 && profile_book(&sum, "lost", "queue_full")->count == 2, "accounts add up");
    tap_ok(profile_book(&sum, "wall_rounds", "")->ns == 30 && profile_book(&sum, "wall_rounds", "")->count == 20 &&
               profile_book(&sum, "alloc_longest_interval", "")->ns == 10,
           "of the longest of each, the longest");
    profile_deinit(&sum);
}

int main(void)
{
    test_interning();
    test_trie();
    test_names();
    test_processes();
    test_native_labels();
    test_stable_methods();
    test_threads();
    test_limits();
    test_books();
    test_merged_books();
    test_calltree();
    test_types();
    test_prune();
    return tap_done();
}
