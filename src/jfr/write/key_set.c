#include "jfr/write/key_set.h"

bool key_set_need(struct key_set *s, uint32_t id, uint32_t *key)
{
    bool added;
    *key = 0;
    if (!id)
        return true;
    uint32_t *known = map_add(&s->keys, id, &added);
    if (!known)
        return false;
    *key = *known;
    if (!added)
        return true;
    *key = *known = (uint32_t)s->keys.count;
    return id_set_push(&s->ids, id);
}

void key_set_clear(struct key_set *s)
{
    id_set_clear(&s->ids);
    map_clear(&s->keys);
}

void key_set_deinit(struct key_set *s)
{
    id_set_deinit(&s->ids);
    map_deinit(&s->keys);
}
