#include "profile/kinds.h"

#include <stddef.h>
#include <string.h>

#define INFO(symbol, word, basis, event, unit, value, stored, id, title, whole, methods, lines, none, lack, command, help)                 \
    [PROFILE_##symbol] = {                                                                                                                 \
        word, event, value, stored, id, title, whole, methods, lines, none, lack, command, PROFILE_BY_##basis, PROFILE_UNIT_##unit},

const struct profile_kind_info profile_kinds[PROFILE_KINDS] = {PROFILE_KIND_ROWS(INFO)};

#define SOURCE(symbol, kinds, first, second) {kinds, first, second},

const struct profile_source profile_sources[] = {{0, "", NULL}, PROFILE_SOURCE_ROWS(SOURCE)};

bool profile_kind_named(const char *word, enum profile_kind *kind)
{
    for (int i = 0; i < PROFILE_KINDS; i++)
        if (!strcmp(profile_kinds[i].word, word)) {
            *kind = (enum profile_kind)i;
            return true;
        }
    return false;
}

bool profile_kind_first(unsigned kinds, enum profile_kind *kind)
{
    *kind = kinds ? (enum profile_kind)__builtin_ctz(kinds) : PROFILE_RUNNING;
    return kinds;
}

static bool is_type(const char *type, const char *event_type)
{
    return type && !strcmp(type, event_type);
}

unsigned profile_kinds_of(const char *event_type)
{
    static const char old[] = "com.oracle.";
    unsigned kinds = 0;
    if (!strncmp(event_type, old, sizeof old - 1))
        event_type += sizeof old - 1;
    for (size_t i = 1; i < sizeof profile_sources / sizeof *profile_sources; i++)
        if (is_type(profile_sources[i].first, event_type) || is_type(profile_sources[i].second, event_type))
            kinds |= profile_sources[i].kinds;
    return kinds;
}

bool profile_kind_comes_from(enum profile_kind kind, const char *event_type)
{
    for (size_t i = 1; i < sizeof profile_sources / sizeof *profile_sources; i++)
        if (profile_sources[i].kinds & 1u << kind && !strcmp(profile_sources[i].first, event_type))
            return true;
    return false;
}
