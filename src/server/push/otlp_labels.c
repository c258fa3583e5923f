#include "server/push/otlp_labels.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const names[][2] = {{"service.name", "service"}, {"host.name", "host"}, {"service.version", "version"}};
enum { NAMES = sizeof names / sizeof *names };

/* Returns the number of the name in `names`, or NAMES if it is not there. */
static size_t name_of(otlp_text key)
{
    size_t i = 0;
    while (i < NAMES && !otlp_is(key, names[i][0]))
        i++;
    return i;
}

static int take_attribute(struct parts *p, const struct otlp_attribute *a, const char *name, size_t n, struct labels *labels)
{
    char number[32], text[LABEL_NAME_MAX + 32];
    if (a->kind == OTLP_IS_TEXT)
        return parts_label(p, labels, name, n, a->value.bytes, a->value.len);
    if (a->kind == OTLP_IS_NUMBER)
        return parts_label(p, labels, name, n, number, (size_t)snprintf(number, sizeof number, "%" PRId64, (int64_t)a->number));
    snprintf(text, sizeof text, "attribute %.*s", (int)(n < LABEL_NAME_MAX ? n : LABEL_NAME_MAX), name);
    parts_leave_out(p, text);
    return 0;
}

/* Adds some attributes as labels: those with names of ours, or the others. Those with our names are added first, because there may be no
 * room for all others. */
static int take_some(struct parts *p, const struct otlp_tables *t, const struct pb_field *resource, bool ours, struct labels *labels)
{
    int rc = 0;
    struct pb m = pb_message(resource);
    for (struct pb_field f; !rc && pb_next(&m, &f);) {
        if (f.number != OTLP_RESOURCE_ATTRIBUTE)
            continue;
        struct otlp_attribute a = otlp_tables_key_value(t, &f);
        size_t name = name_of(a.key);
        if (ours && name < NAMES)
            rc = take_attribute(p, &a, names[name][1], strlen(names[name][1]), labels);
        else if (!ours && name == NAMES)
            rc = take_attribute(p, &a, a.key.bytes, a.key.len, labels);
    }
    return rc;
}

static int name_unknown(struct labels *labels, struct error *e)
{
    char service[LABEL_VALUE_MAX];
    const char *program = labels_get(labels, "process.executable.name");
    int n = snprintf(service, sizeof service, "unknown_service%s%.500s", *program ? ":" : "", program);
    int rc = labels_set(labels, "service", 7, service, (size_t)n, e);
    return rc == -EINVAL ? labels_set(labels, "service", 7, "unknown_service", 15, e) : rc; /* the text was cut within a character */
}

int otlp_labels(struct parts *p, const struct otlp_tables *t, const struct pb_field *resource, struct labels *labels)
{
    struct error e;
    int rc = take_some(p, t, resource, true, labels);
    bool known = *labels_get(labels, "service");
    rc = rc || known ? rc : labels_set(labels, "service", 7, "?", 1, &e); /* reserves the place of the label */
    rc = rc ? rc : take_some(p, t, resource, false, labels);
    return rc || known ? rc : name_unknown(labels, &e);
}
