#include "server/connect/kinds.h"

#include "profile/kinds.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A type for which Pyroscope's clients use another name. All other types become NAME:NAME:UNIT::, with their own name. */
struct named {
    const char *type, *id;
};

/* Types that are not in profile/kinds.h, which has the ids of the kinds of samples. */
static const struct named others[] = {
    {"cpu:samples", "process_cpu:samples:count:cpu:nanoseconds"},       {"alloc_objects:count", "memory:alloc_objects:count:space:bytes"},
    {"inuse_space:bytes", "memory:inuse_space:bytes:space:bytes"},      {"inuse_objects:count", "memory:inuse_objects:count:space:bytes"},
    {"mutex_count:count", "mutex:contentions:count:contentions:count"}, {"mutex_duration:ns", "mutex:delay:nanoseconds:contentions:count"},
    {"block_count:count", "block:contentions:count:contentions:count"}, {"block_duration:ns", "block:delay:nanoseconds:contentions:count"},
    {"goroutine:count", "goroutines:goroutine:count:goroutine:count"},
};

enum { OTHERS = sizeof others / sizeof *others };

/* Returns the i-th type of both lists. Its id is NULL if the kind has none. */
static struct named named_at(size_t i)
{
    return i < OTHERS ? others[i] : (struct named){profile_kinds[i - OTHERS].stored, profile_kinds[i - OTHERS].id};
}

static const char own_ns[] = "ns", their_ns[] = "nanoseconds"; /* all other units have the same name */

/* Replaces a colon within a part ("sched:sched_switch"). It looks like a colon, but does not separate parts. */
static const char other_colon[] = "\xea\x9e\x89";

static void escape(const char *text, size_t len, char *out, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < len && n + sizeof other_colon < size; i++)
        n += (size_t)snprintf(out + n, size - n, text[i] == ':' ? "%s" : "%.1s", text[i] == ':' ? other_colon : text + i);
    out[n] = 0;
}

static void unescape(char *text)
{
    for (char *at; (at = strstr(text, other_colon));) {
        *at = ':';
        memmove(at + 1, at + sizeof other_colon - 1, strlen(at + sizeof other_colon - 1) + 1);
    }
}

static void split(struct kind *k)
{
    const char *at = k->id;
    for (int i = 0; i < KINDS_PARTS; i++) {
        size_t n = strcspn(at, ":");
        snprintf(k->parts[i], sizeof k->parts[i], "%.*s", (int)n, at);
        at += n + (at[n] == ':');
    }
}

void kinds_of_type(const char *type, struct kind *out)
{
    const char *colon = strrchr(type, ':'), *unit = colon ? colon + 1 : "";
    char name[CATALOGUE_TYPE_MAX];
    escape(type, colon ? (size_t)(colon - type) : strlen(type), name, sizeof name);
    unit = strcmp(unit, own_ns) ? unit : their_ns;
    snprintf(out->id, sizeof out->id, "%s:%s:%.60s::", name, name, unit);
    for (size_t i = 0; i < OTHERS + PROFILE_KINDS; i++) {
        struct named one = named_at(i);
        if (one.id && !strcmp(type, one.type))
            snprintf(out->id, sizeof out->id, "%s", one.id);
    }
    split(out);
}

static uint32_t colons_of(const char *id)
{
    uint32_t n = 0;
    for (; *id; id++)
        n += *id == ':';
    return n;
}

int kinds_parse(const char *id, char type[CATALOGUE_TYPE_MAX], struct kind *out, struct error *e)
{
    uint32_t colons = colons_of(id);
    if ((colons != KINDS_PARTS - 1 && colons != KINDS_PARTS) || strlen(id) >= sizeof out->id)
        return error_set(e, -EINVAL, "profile-type-ID must be of the form <name>:<type>:<unit>:<period-type>:<period-unit>(:delta)");
    snprintf(out->id, sizeof out->id, "%s", id);
    if (colons == KINDS_PARTS) /* the suffix ":delta" (counted since the previous profile) makes no difference here */
        *strrchr(out->id, ':') = 0;
    split(out);
    const char *unit = out->parts[2];
    unit = strcmp(unit, their_ns) ? unit : own_ns;
    char name[CATALOGUE_TYPE_MAX];
    snprintf(name, sizeof name, "%s", out->parts[1]);
    unescape(name);
    snprintf(type, CATALOGUE_TYPE_MAX, "%.60s:%.60s", name, unit);
    for (size_t i = 0; i < OTHERS + PROFILE_KINDS; i++) {
        struct named one = named_at(i);
        if (one.id && !strcmp(out->id, one.id))
            snprintf(type, CATALOGUE_TYPE_MAX, "%s", one.type);
    }
    struct kind own;
    kinds_of_type(type, &own);
    if (strcmp(own.id, out->id)) /* another name or period: the store has no such data */
        *type = 0;
    return 0;
}

const char *kinds_label(const struct kind *k, const char *name)
{
    static const char *const names[] = {"__name__", "__type__", "__unit__", "__period_type__", "__period_unit__"};
    for (int i = 0; i < KINDS_PARTS; i++)
        if (!strcmp(name, names[i]))
            return k->parts[i];
    return strcmp(name, "__profile_type__") ? NULL : k->id;
}
