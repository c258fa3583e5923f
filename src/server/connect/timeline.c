#include "server/connect/timeline.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POINTS_MAX = 11000, NAMES_MAX = LABELS_MAX };

int timeline_check(struct call *c)
{
    const struct asked *a = &c->asked;
    if (!(a->step >= 0.001) || a->step > 1e9)
        return error_set(&c->error, -EINVAL, "step must be at least 0.001, in seconds");
    for (uint32_t i = 0; i < a->group_by.count; i++)
        for (uint32_t k = 0; k < i || i >= NAMES_MAX; k++)
            if (i >= NAMES_MAX || !strcmp(a->group_by.list[i], a->group_by.list[k]))
                return error_set(&c->error, -EINVAL, "group_by: more than %d names, or one of them twice", NAMES_MAX);
    if (a->limit < 0)
        return error_set(&c->error, -EINVAL, "limit must not be negative");
    return 0;
}

/* Writes the labels to split by for the store. service_name becomes our name for it. A label that describes the profile type has one value,
 * so it splits nothing. */
int timeline_by(struct call *c, struct buffer *by)
{
    const struct asked_texts *names = &c->asked.group_by;
    for (uint32_t i = 0; i < names->count; i++) {
        if (i)
            buffer_u8(by, STORE_BY_SEPARATOR);
        buffer_text(by, series_is_service(names->list[i]) ? "service" : names->list[i]);
    }
    buffer_u8(by, 0);
    return by->failed ? error_set(&c->error, -EINVAL, "group_by is too long") : 0;
}

void timeline_put_labels(struct call *c, const char *values)
{
    const struct asked_texts *names = &c->asked.group_by;
    char text[LABEL_VALUE_MAX + 1], type[CATALOGUE_TYPE_MAX];
    struct kind kind;
    kinds_parse(asked_last(&c->asked.profile_type), type, &kind, &c->error);
    wire_list(&c->wire, "labels");
    for (uint32_t i = 0; i < names->count; i++) {
        size_t n = strcspn(values, (char[]){STORE_BY_SEPARATOR, 0});
        const char *of_kind = kinds_label(&kind, names->list[i]);
        snprintf(text, sizeof text, "%.*s", (int)n, values);
        values += n + (values[n] != 0);
        if (!of_kind && !*text)
            continue;
        wire_message(&c->wire, 1, NULL);
        wire_text(&c->wire, 1, "name", names->list[i]);
        wire_text(&c->wire, 2, "value", of_kind ? of_kind : text);
        wire_message_end(&c->wire, 1);
    }
    wire_list_end(&c->wire);
}

/* Points are at multiples of the step since the epoch, so that they do not move when the range does. */
int timeline_range(struct call *c, struct store_query *q, int64_t *step)
{
    int64_t s = *step = (int64_t)ceil(c->asked.step), first = q->from / s * s;
    q->from = first;
    q->to = (q->to + s - 1) / s * s;
    if ((q->to - q->from) / s > POINTS_MAX)
        return error_set(&c->error, -EINVAL, "more than %d points; make the step longer", POINTS_MAX);
    return 0;
}

int64_t timeline_end_ms(const struct store_query *q, int64_t step, int64_t k)
{
    return (q->from + (k + 1) * step) * 1000;
}
