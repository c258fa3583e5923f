#include "emit/labels.h"

#include "base/text/percent.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int emit_labels_read(struct emit_labels *l, const char *query, struct error *e)
{
    *l = (struct emit_labels){.text = strdup(query)};
    if (!l->text)
        return error_set(e, -ENOMEM, "out of memory");
    char *rest = l->text;
    for (char *pair; (pair = strsep(&rest, "&"));) {
        char *value = strchr(pair, '=');
        if (!*pair)
            continue;
        if (!value || l->count == EMIT_LABELS_MAX || (*value++ = 0, percent_decode(pair) || percent_decode(value)))
            return error_set(e, -EINVAL, "the labels of the recording cannot be read");
        l->names[l->count] = pair;
        l->values[l->count++] = value;
    }
    return 0;
}

void emit_labels_free(struct emit_labels *l)
{
    free(l->text);
    *l = (struct emit_labels){0};
}

const char *emit_label_otlp(const char *name)
{
    static const char *const names[][2] = {{"service", "service.name"}, {"host", "host.name"}, {"version", "service.version"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i][0]))
            return names[i][1];
    return name;
}

/* Returns Pyroscope's name of a label. Such names have only letters, digits and '_'. */
const char *emit_label_pyroscope(const char *name, char room[64])
{
    if (!strcmp(name, "service"))
        return "service_name";
    snprintf(room, 64, "%s", name);
    for (char *c = room; *c; c++)
        *c = *c == '.' || *c == '-' ? '_' : *c;
    return room;
}
