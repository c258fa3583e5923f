#include "format/write/value_type.h"

const char *value_type_name(const struct profile *p)
{
    if (*profile_text(p, p->value))
        return profile_text(p, p->value);
    if (p->unit == PROFILE_UNIT_SAMPLES)
        return "samples";
    return profile_kinds[p->kind == PROFILE_RUNNING && profile_is_safepoint(p) ? PROFILE_WALL : p->kind].word;
}

const char *value_type_period(const struct profile *p)
{
    return profile_kinds[p->kind == PROFILE_WALL ? PROFILE_WALL : PROFILE_RUNNING].word;
}

const char *value_type_unit(const struct profile *p)
{
    return p->unit == PROFILE_UNIT_NS ? "nanoseconds" : p->unit == PROFILE_UNIT_SAMPLES ? "count" : profile_unit_word(p);
}
