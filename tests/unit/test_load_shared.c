/* Stacks that the kinds of sample of a file share: the profile of a kind gets its own ones only, in the order in which it would have read
 * them, and can be extended like any other profile afterwards.
 * tier: quick
 * timeout: 20 */
#include "../tap.h"

#include "profile/load/load_shared.h"

#include <string.h>

enum { CALLS = 3000, STACKS = 200 };

static struct profile from, alone, to;

static uint32_t string(struct profile *p, const char *text)
{
    uint32_t id = 0;
    profile_string(p, text, strlen(text), &id);
    return id;
}

/* Adds a stack of the frames 1, 2, 4, ... up to `number`, leaf first as a reader does: numbers with equal halves share their roots. The
 * names differ in each run, so that methods get stable ones; large lines and offsets do not fit in a short key. */
static uint32_t add_stack(struct profile *p, unsigned number)
{
    uint32_t frames[32], depth = 0, method, stack = 0;
    char name[64];
    for (unsigned n = number; n; n /= 2) {
        snprintf(name, sizeof name, "com.shop.Order%u$$Lambda/0x%016x", n % 37, n);
        profile_method(p, string(p, name), string(p, n % 2 ? "run" : "call"), string(p, "()V"), &method);
        profile_frame(p, method, n % 5 ? (int32_t)n : INT32_MAX, n, (uint8_t)(n % 3), &frames[depth++]);
    }
    while (depth)
        profile_stack(p, stack, frames[--depth], &stack);
    return stack;
}

static bool is_same_text(uint32_t a, uint32_t b)
{
    return !strcmp(profile_text(&alone, a), profile_text(&to, b)) && strtab_len(&alone.strings, a) == strtab_len(&to.strings, b);
}

static bool has_same_methods(void)
{
    bool same = alone.method_count == to.method_count;
    for (uint32_t i = 0; same && i < to.method_count; i++) {
        const struct profile_method *a = &alone.methods[i], *b = &to.methods[i];
        same = is_same_text(a->class_name, b->class_name) && is_same_text(a->name, b->name) && is_same_text(a->descriptor, b->descriptor) &&
               is_same_text(a->package, b->package) && is_same_text(a->label, b->label);
    }
    return same;
}

static bool has_same_frames(void)
{
    bool same = alone.frame_count == to.frame_count;
    for (uint32_t i = 0; same && i < to.frame_count; i++) {
        const struct profile_frame *a = &alone.frames[i], *b = &to.frames[i];
        same = a->method == b->method && a->line == b->line && a->bci == b->bci && a->type == b->type && is_same_text(a->label, b->label);
    }
    return same;
}

static bool has_same_nodes(void)
{
    bool same = alone.node_count == to.node_count;
    for (uint32_t i = 0; same && i < to.node_count; i++)
        same = alone.nodes[i].parent == to.nodes[i].parent && alone.nodes[i].frame == to.nodes[i].frame;
    return same;
}

static bool has_id(struct load_shared *s, uint32_t stack, uint32_t expected)
{
    return !load_shared_note(s, stack) && !load_shared_copy(s) && load_shared_id(s, stack) == expected;
}

/* `from` has the stacks of other kinds, too, and grows while stacks are taken from it. */
static void test_own_stacks(struct load_shared *s)
{
    bool good = true;
    for (unsigned i = 0; i < STACKS; i++) {
        add_stack(&from, 7 * i + 1);
        uint32_t stack = add_stack(&from, i * i % CALLS), expected = add_stack(&alone, i * i % CALLS);
        good = has_id(s, stack, expected) && good;
    }
    tap_ok(good, "each of %d stacks has the id that it has without the others", STACKS);
    tap_ok(from.node_count > to.node_count, "the stacks of others are not copied: %u of %u", to.node_count, from.node_count);
    tap_ok(has_same_methods(), "its %u methods are the same", to.method_count);
    tap_ok(has_same_frames(), "its %u frames are the same", to.frame_count);
    tap_ok(has_same_nodes(), "its %u places in stacks are the same", to.node_count);
}

static void test_extending(void)
{
    bool known = true, added = true;
    uint32_t nodes = to.node_count;
    for (unsigned i = 0; i < STACKS; i++)
        known = add_stack(&to, i * i % CALLS) == add_stack(&alone, i * i % CALLS) && known;
    tap_ok(known && to.node_count == nodes, "stacks that were copied are found again");
    for (unsigned i = 0; i < STACKS; i++)
        added = add_stack(&to, CALLS + i) == add_stack(&alone, CALLS + i) && added;
    tap_ok(added && to.node_count > nodes, "others are added");
}

/* A dictionary has other entries, too, some of which are equal to those that are copied. */
static void test_searching(void)
{
    struct load_shared s = {.to = &to, .from = &from, .searches = true};
    bool good = true;
    uint32_t nodes = to.node_count, stacks[STACKS], expected[STACKS];
    for (unsigned i = 0; i < STACKS; i++) {
        stacks[i] = add_stack(&from, 11 * i);
        expected[i] = add_stack(&alone, 11 * i);
        good = !load_shared_note(&s, stacks[i]) && good;
    }
    good = !load_shared_copy(&s) && good;
    for (unsigned i = 0; i < STACKS; i++)
        good = load_shared_id(&s, stacks[i]) == expected[i] && good;
    tap_ok(good && to.node_count > nodes, "a target with stacks from elsewhere is searched for each stack");
    tap_ok(has_same_methods() && has_same_frames() && has_same_nodes(), "and has none twice");
    load_shared_deinit(&s);
}

int main(void)
{
    struct load_shared s = {.to = &to, .from = &from};
    profile_init(&from);
    profile_init(&alone);
    profile_init(&to);
    test_own_stacks(&s);
    test_extending();
    test_searching();
    tap_ok(has_id(&s, 0, 0), "the root stays the root");
    load_shared_deinit(&s);
    profile_deinit(&from);
    profile_deinit(&alone);
    profile_deinit(&to);
    return tap_done();
}
