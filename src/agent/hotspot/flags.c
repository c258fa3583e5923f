#include "agent/hotspot/flags.h"

#include "agent/hotspot/vmstructs.h"

#include <string.h>

struct flag_table {
    const char *flags;
    uint64_t count, size;
    struct vm_field name, address, origin;
};

enum { ORIGIN_BITS = 15, ORIGIN_DEFAULT = 0 };

/* Opens the table of flags. The type was called Flag up to JDK 9. */
static bool find_table(const struct vmstructs *v, const char *type, struct flag_table *t)
{
    const char *const *flags = vmstructs_static(v, type, "flags");
    const size_t *count = vmstructs_static(v, type, "numFlags");
    if (!flags || !count || !vmstructs_sizeof(v, type, &t->size) || !vmstructs_field(v, type, "_name", &t->name) ||
        !vmstructs_field(v, type, "_addr", &t->address))
        return false;
    vmstructs_field(v, type, "_flags", &t->origin);
    t->flags = *flags;
    t->count = *count;
    return true;
}

static const char *find_entry(const struct flag_table *t, const char *name)
{
    for (uint64_t i = 0; i < t->count; i++) {
        const char *flag = t->flags + i * t->size;
        const char *const *found = (const char *const *)(flag + t->name.offset);
        if (*found && !strcmp(*found, name))
            return flag;
    }
    return NULL;
}

/* Returns the address of a boolean flag's value, or NULL. *set: whether the operator has set it. */
static volatile bool *find_flag(void *libjvm, const char *name, bool *set)
{
    struct vmstructs v;
    struct flag_table t;
    if (!vmstructs_open(&v, libjvm) || !(find_table(&v, "JVMFlag", &t) || find_table(&v, "Flag", &t)))
        return NULL;
    const char *flag = find_entry(&t, name);
    if (!flag)
        return NULL;
    if (set)
        *set = t.origin.width && (*(const uint32_t *)(flag + t.origin.offset) & ORIGIN_BITS) != ORIGIN_DEFAULT;
    return *(volatile bool *const *)(flag + t.address.offset);
}

bool flags_turn_on(void *libjvm, const char *name)
{
    volatile bool *flag = find_flag(libjvm, name, NULL);
    if (flag)
        *flag = true;
    return flag != NULL;
}

bool flags_get(void *libjvm, const char *name, bool otherwise)
{
    const volatile bool *flag = find_flag(libjvm, name, NULL);
    return flag ? *flag : otherwise;
}

bool flags_operator_turned_on(void *libjvm, const char *name)
{
    bool set = false;
    const volatile bool *flag = find_flag(libjvm, name, &set);
    return flag && set && *flag;
}
