#include "daemon/rules/labels.h"

#include "base/text/utf8.h"
#include "http/address.h"

#include <stdio.h>
#include <string.h>

/* Whether a well-formed character of n bytes is C0, DEL or C1. Such characters may appear neither in labels nor on a terminal. */
static bool is_control(const char *c, size_t n)
{
    unsigned char first = (unsigned char)c[0];
    return n == 1 ? first < 0x20 || first == 0x7f : n == 2 && first == 0xc2 && (unsigned char)c[1] < 0xa0;
}

char *labels_clean(const char *value, char *out)
{
    size_t left = strlen(value), o = 0;
    while (left) {
        size_t n = utf8_length(value, left);
        bool good = n && !is_control(value, n);
        n = n ? n : 1;
        if (o + (good ? n : 1) > LABEL_MAX)
            break;
        if (good)
            memcpy(out + o, value, n);
        else
            out[o] = '_';
        o += good ? n : 1;
        value += n;
        left -= n;
    }
    out[o] = 0;
    return out;
}

/* Returns the value of a key in OTEL_RESOURCE_ATTRIBUTES, for example of service.name in "a=b,service.name=shop". */
static const char *attribute(struct facts *f, const char *key, char *out, size_t size)
{
    const char *list = facts_variable(f, "OTEL_RESOURCE_ATTRIBUTES");
    size_t n = strlen(key);
    for (; list && *list; list += strcspn(list, ","), list += *list == ',') {
        list += strspn(list, " ");
        if (!strncmp(list, key, n) && list[n] == '=') {
            snprintf(out, size, "%.*s", (int)strcspn(list + n + 1, ","), list + n + 1);
            return out;
        }
    }
    return NULL;
}

struct source {
    enum { VARIABLE, PROPERTY, ATTRIBUTE } kind;
    const char *name;
};

static bool take_first(struct facts *f, const struct source *sources, char *out)
{
    for (; sources->name; sources++) {
        char space[1024];
        const char *value = sources->kind == VARIABLE   ? facts_variable(f, sources->name)
                            : sources->kind == PROPERTY ? facts_property(f, sources->name)
                                                        : attribute(f, sources->name, space, sizeof space);
        if (value && *labels_clean(value, out))
            return true;
    }
    return false;
}

void labels_of(struct labels *l, struct facts *f, const struct rule *rule)
{
    static const struct source services[] = {{VARIABLE, "OTEL_SERVICE_NAME"},
                                             {PROPERTY, "otel.service.name"},
                                             {ATTRIBUTE, "service.name"},
                                             {VARIABLE, "DD_SERVICE"},
                                             {PROPERTY, "dd.service"},
                                             {PROPERTY, "service.name"},
                                             {PROPERTY, "spring.application.name"},
                                             {VARIABLE, "SPRING_APPLICATION_NAME"},
                                             {0}};
    static const struct source versions[] = {
        {ATTRIBUTE, "service.version"}, {VARIABLE, "DD_VERSION"}, {PROPERTY, "dd.version"}, {PROPERTY, "service.version"}, {0}};
    char brief[256];
    *l = (struct labels){0};
    if (rule && *rule->service)
        labels_clean(rule->service, l->service);
    else if (!take_first(f, services, l->service) && !*labels_clean(jvm_brief_name(&f->jvm, brief, sizeof brief), l->service))
        labels_clean("java", l->service);
    if (rule && *rule->version)
        labels_clean(rule->version, l->version);
    else
        take_first(f, versions, l->version);
}

static void put(struct buffer *out, const char *name, const char *value)
{
    char clean[LABEL_MAX + 1];
    if (!*labels_clean(value, clean))
        return;
    buffer_printf(out, "%s%s=", out->len ? "&" : "", name);
    address_escape(out, clean);
}

void labels_query(struct buffer *out, const struct labels *l, const char *host, const struct rule *rule)
{
    put(out, "service", l->service);
    put(out, "host", host);
    put(out, "version", l->version);
    for (int i = 0; rule && i < rule->label_count; i++)
        put(out, rule->labels[i].name, rule->labels[i].value);
}
