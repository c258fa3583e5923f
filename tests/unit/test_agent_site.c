/* The place of an allocation, by names: the innermost method that belongs to the program.
 * tier: quick
 * timeout: 20 */
#include "../tap.h"

#include "agent/hot/record.h"
#include "agent/record/names/site.h"

enum { PUT = 1, ADD, ADD_AGAIN, RUN, OTHER };

static struct names names;

static void add(uint32_t id, const char *class_name, const char *name)
{
    names.java[id] =
        (struct jfr_method){.class_name = strtab_add_text(&names.strings, class_name), .name = strtab_add_text(&names.strings, name)};
}

static uint64_t site(uint64_t a, uint64_t b, uint64_t c)
{
    return site_of(&names, (uint64_t[]){a, b, c}, 3);
}

int main(void)
{
    if (!tap_ok(!names_init(&names), "names"))
        return tap_done();
    add(PUT, "java.util.HashMap", "put");
    add(ADD, "com.shop.Orders", "add");
    add(ADD_AGAIN, "com.shop.Orders", "add"); /* loaded by another loader */
    add(RUN, "com.shop.Checkout", "run");
    add(OTHER, "com.shop.Orders", "run");
    uint64_t put = frame_java(JFR_FRAME_C2, PUT, 7), run = frame_java(JFR_FRAME_INTERPRETED, RUN, 3);
    uint64_t added = site(put, frame_java(JFR_FRAME_INTERPRETED, ADD, 5), run);
    tap_ok(added && added == site(frame_java(JFR_FRAME_INTERPRETED, ADD, 9), put, 0), "the innermost method that is not the JDK's");
    tap_ok(added == site(put, frame_java(JFR_FRAME_INLINED, ADD_AGAIN, 1), run), "by its names, compiled or not, of whichever loader");
    tap_ok(added != site(put, frame_java(JFR_FRAME_C1, OTHER, 5), run) && added != site(put, run, run), "another one is another");
    uint64_t native = frame_java(JFR_FRAME_NATIVE, names_pseudo(&names, "libjvm.so", "call_helper"), 0);
    tap_ok(site(native, put, native) == site_of(&names, &put, 1) && site(native, put, native) != site_of(&names, &native, 1),
           "where there is none, the JDK's");
    tap_ok(site(native, native, native) == site_of(&names, &native, 1) && site_of(&names, &native, 1), "or the innermost of all");
    tap_ok(!site_of(&names, NULL, 0), "none of nothing");
    names_deinit(&names);
    return tap_done();
}
