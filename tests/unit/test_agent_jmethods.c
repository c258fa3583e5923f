/* Methods that the JVM has reported: names, ids, lines.
 * tier: quick
 * timeout: 30 */
#include "../tap.h"

#include "agent/hot/record.h"
#include "agent/record/names/jmethods.h"
#include "agent/record/names/names.h"

#include <stdbool.h>
#include <string.h>

static struct jmethods methods;
static struct strtab strings;

static uint32_t add(uintptr_t id, const char *name, const struct java_line *lines, uint32_t count)
{
    return jmethods_add(&methods, id, &(struct java_method){"a.b.C", name, "()V", lines, count}, &strings);
}

static void test_names(void)
{
    uint32_t run = add(0x1000, "run", NULL, 0), stop = add(UINTPTR_MAX, "stop", NULL, 0);
    tap_ok(run == 1 && stop == 2, "ids are dense and begin at 1");
    tap_ok(jmethods_find(&methods, 0x1000) == run && jmethods_find(&methods, UINTPTR_MAX) == stop && !jmethods_find(&methods, 8),
           "a method is found again, another is not");
    tap_ok(add(0x1000, "other", NULL, 0) == run && methods.count == 3, "and stays what it was");
    tap_ok(!strcmp(strtab_text(&strings, jmethods_names(&methods, stop)->name), "stop") &&
               !strcmp(strtab_text(&strings, jmethods_names(&methods, run)->class_name), "a.b.C"),
           "with its names");
    tap_ok(!jmethods_names(&methods, 0) && !jmethods_names(&methods, 3), "what is no id has none");
}

static void test_lines(void)
{
    /* A for loop: its step comes after the body in the code, and before it in the source. */
    const struct java_line lines[] = {{0, 10}, {20, 10}, {4, 11}, {9, 12}, {9, 13}};
    uint32_t id = add(0x2000, "loop", lines, 5);
    tap_ok(jmethods_line(&methods, id, 0) == 10 && jmethods_line(&methods, id, 3) == 10 && jmethods_line(&methods, id, 4) == 11,
           "the line of the nearest entry below");
    tap_ok(jmethods_line(&methods, id, 25) == 10, "though the entries are in no order");
    tap_ok(jmethods_line(&methods, id, 9) == 12 && jmethods_line(&methods, id, 10) == 13,
           "of two entries at one place as HotSpot has it: the first there, the last behind it");
    tap_ok(!jmethods_line(&methods, 1, 5) && !jmethods_line(&methods, 0, 5) && !jmethods_line(&methods, 99, 5), "0 where unknown");
    const struct java_line late[] = {{7, 70}};
    tap_ok(!jmethods_line(&methods, add(0x3000, "late", late, 1), 6), "and before the first entry");
}

static void test_cap(void)
{
    uint32_t last = 0;
    for (uintptr_t id = 1; id < JMETHODS_MAX + 100 && methods.count < JMETHODS_MAX; id++)
        last = add(id << 20, "m", NULL, 0);
    tap_ok(last == JMETHODS_MAX - 1 && !add(5, "one", NULL, 0) && jmethods_find(&methods, 0x1000) == 1,
           "beyond %d there is no room; the others stay", JMETHODS_MAX - 1);
}

static int asked;

static bool tells(uintptr_t method, void (*to)(void *context, const struct java_method *method), void *context)
{
    static const struct java_line lines[] = {{0, 10}, {5, 11}};
    asked++;
    if (method == 0xdead)
        return false;
    to(context, &(struct java_method){"a.b.C", "run", "()V", lines, 2});
    return true;
}

static const char *text(const struct names *n, uint32_t symbol)
{
    return strtab_text(&n->strings, symbol);
}

static void test_frames(void)
{
    struct names n;
    struct jfr_method m;
    struct jfr_frame frames[4];
    bool truncated;
    if (!tap_ok(!names_init(&n), "names"))
        return;
    java_stacks.describe = tells;
    struct jfr_pools pools = names_pools(&n);
    uint64_t words[] = {names_told_frame(&n, (struct java_frame){0x1000, 7}), names_told_frame(&n, (struct java_frame){0x1000, 3}),
                        names_told_frame(&n, (struct java_frame){0x2000, JAVA_BCI_NATIVE}),
                        names_told_frame(&n, (struct java_frame){0xdead, 1})};
    tap_ok(asked == 3, "the JVM is asked once for each method");
    uint32_t stack = stacks_add(&n.stacks, words, 4) << 1;
    tap_ok(pools.stack(pools.context, stack, frames, 4, &truncated) == 4 && !truncated, "a stack of four");
    tap_ok(frames[0].type == JFR_FRAME_JAVA && frames[0].bci == 7 && frames[0].line == 11 && frames[1].line == 10 &&
               frames[0].method == frames[1].method,
           "frames of one method, with their lines");
    tap_ok(frames[2].type == JFR_FRAME_NATIVE && frames[2].method != frames[0].method, "one that is native");
    pools.method(pools.context, frames[0].method, &m);
    tap_ok(!strcmp(text(&n, m.class_name), "a.b.C") && !strcmp(text(&n, m.name), "run") && !strcmp(text(&n, m.descriptor), "()V"),
           "and its names");
    pools.method(pools.context, frames[3].method, &m);
    tap_ok(frames[3].type == JFR_FRAME_FAILED && !strcmp(text(&n, m.class_name), "unloaded") && !*text(&n, m.name),
           "a method that is gone is a frame that says so");
    names_deinit(&n);
}

int main(void)
{
    test_frames();
    jmethods_init(&methods);
    if (strtab_init(&strings))
        return 1;
    test_names();
    test_lines();
    test_cap();
    jmethods_deinit(&methods);
    tap_ok(!methods.list && !jmethods_find(&methods, 0x1000), "nothing is left");
    strtab_deinit(&strings);
    return tap_done();
}
