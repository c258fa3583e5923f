#include "jfr/read/once.h"

#include <errno.h>

int jfr_event_once(struct jfr_event *event, const struct jfr_field *f, struct map *made, jfr_make *make, void *context, uint32_t *out)
{
    uint64_t key = jfr_event_key(event, f);
    const uint32_t *known = key ? map_find(made, key) : NULL;
    if (known) {
        *out = *known;
        return 0;
    }
    bool added;
    *out = 0;
    int rc = make(context, jfr_event_value(event, f), out);
    if (rc || !key)
        return rc;
    uint32_t *place = map_add(made, key, &added);
    if (!place)
        return -ENOMEM;
    *place = *out;
    return 0;
}
