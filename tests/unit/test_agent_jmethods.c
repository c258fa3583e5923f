/* Methods that the JVM has told: names, ids, lines.
 * tier: quick
 * timeout: 30 */
#include "../tap.h"

#include "agent/record/jmethods.h"

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
    /* A for loop: the step, behind the body in the code, stands before it in the source. */
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

int main(void)
{
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
