#include "format/label.h"

#include "base/text/number.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

static int add(struct profile *p, struct profile_label *l, struct system_name_text key, struct system_name_text value, uint32_t *labels)
{
    l->parent = *labels;
    if (profile_string(p, key.bytes, key.len, &l->key) || profile_string(p, value.bytes, value.len, &l->value))
        return -ENOMEM;
    return profile_label(p, l, labels);
}

int label_text(struct profile *p, struct system_name_text key, struct system_name_text value, uint32_t *labels)
{
    struct profile_label l = {0};
    return add(p, &l, key, value, labels);
}

int label_number(struct profile *p, struct system_name_text key, int64_t number, struct system_name_text unit, uint32_t *labels)
{
    char digits[32];
    struct profile_label l = {.number = true};
    int len = snprintf(digits, sizeof digits, "%" PRId64, number);
    if (profile_string(p, unit.bytes, unit.len, &l.unit))
        return -ENOMEM;
    return add(p, &l, key, (struct system_name_text){digits, (size_t)len}, labels);
}

int64_t label_number_of(const struct profile *p, const struct profile_label *l)
{
    return number_signed_or_zero(profile_text(p, l->value));
}
