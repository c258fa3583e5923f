#include "format/write/value_type.h"

const char *value_type_name(const struct profile *p)
{
    if (*profile_text(p, p->value))
        return profile_text(p, p->value);
    if (p->unit == PROFILE_UNIT_SAMPLES)
        return "samples";
    if (p->kind == PROFILE_WALL)
        return "wall";
    if (p->kind == PROFILE_LOCK)
        return "lock";
    if (p->kind == PROFILE_HOLDER)
        return "holder";
    return p->kind == PROFILE_WAITING ? "waiting" : profile_is_safepoint(p) ? "wall" : "cpu";
}

const char *value_type_unit(const struct profile *p)
{
    return p->unit == PROFILE_UNIT_NS ? "nanoseconds" : p->unit == PROFILE_UNIT_SAMPLES ? "count" : profile_unit_word(p);
}
