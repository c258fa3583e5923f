#include "agent/paths/field_index.h"

bool field_index_find(const struct field_counts *c, int32_t index, uint32_t *class_place, uint32_t *field)
{
    if (index < 0 || (uint32_t)index < c->interfaces)
        return false;
    uint32_t left = (uint32_t)index - c->interfaces;
    for (uint32_t i = c->class_count; i--;) {
        if (left < c->classes[i]) {
            *class_place = i;
            *field = left;
            return true;
        }
        left -= c->classes[i];
    }
    return false;
}
