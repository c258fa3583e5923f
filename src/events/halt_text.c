/* Makes texts about halts from their events; halt_site.c makes those from stacks. */
#include "events/halt_parts.h"

#include <errno.h>

uint32_t halt_string(struct halts *h, const char *text, size_t len, int *rc)
{
    if (len > HALT_TEXT_MAX)
        len = HALT_TEXT_MAX;
    uint32_t id = len ? strtab_add(&h->strings, text, len) : 0;
    if (len && !id)
        *rc = -ENOMEM;
    return id;
}

int halt_thread(void *context, struct jfr_value thread, uint32_t *id)
{
    struct jfr_thread_info t;
    char number[JFR_THREAD_NUMBER];
    int rc = 0;
    if (!jfr_thread_of(thread, &t))
        return 0;
    struct jfr_text name = jfr_thread_name(&t, number);
    *id = halt_string(context, name.bytes, name.len, &rc);
    return rc;
}

int halt_context(void *context, struct jfr_value labels, uint32_t *id)
{
    int rc = 0;
    struct jfr_text text = jfr_value_text(labels);
    *id = halt_string(context, text.bytes, text.len, &rc);
    return rc;
}

uint32_t halt_cached(struct halts *h, struct map *known, struct jfr_event *event, const char *field, jfr_make *make, int *rc)
{
    uint32_t id = 0;
    int code = jfr_event_once(event, jfr_type_field(event->type, field), known, make, h, &id);
    *rc = code ? code : *rc;
    return id;
}
