#include "agent/record/names/site.h"

#include "agent/hot/record.h"
#include "base/agreed/jdk_names.h"

static bool is_java(uint64_t frame)
{
    enum jfr_frame_type type = frame_type(frame);
    return type <= JFR_FRAME_INLINED || (type >= JFR_FRAME_C1_APPROXIMATE && type <= JFR_FRAME_JAVA);
}

static uint64_t number_of(const struct jfr_method *m)
{
    return (uint64_t)m->class_name << 32 | m->name;
}

uint64_t site_of(struct names *n, const uint64_t *frames, size_t count)
{
    uint64_t any = 0, java = 0;
    for (size_t i = 0; i < count; i++) {
        struct jfr_method m = names_method(n, frame_method(frames[i]));
        any = any ? any : number_of(&m);
        if (!is_java(frames[i]))
            continue;
        if (!jdk_name(strtab_text(&n->strings, m.class_name)))
            return number_of(&m);
        java = java ? java : number_of(&m);
    }
    return java ? java : any;
}
