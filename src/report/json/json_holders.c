#include "report/json/json_holders.h"

#include <string.h>

static void put_text(struct jsonw *j, const struct profile *p, const char *key, uint32_t string)
{
    jsonw_key(j, key);
    if (string)
        jsonw_string(j, profile_text(p, string), strtab_len(&p->strings, string));
    else
        jsonw_null(j);
}

static void put_steps(struct jsonw *j, const char *path)
{
    jsonw_key(j, "path");
    jsonw_array(j);
    for (const char *end; path; path = end ? end + strlen(HOLDERS_BETWEEN) : NULL) {
        end = strstr(path, HOLDERS_BETWEEN);
        jsonw_string(j, path, end ? (size_t)(end - path) : strlen(path));
    }
    jsonw_array_end(j);
}

static void put_row(struct jsonw *j, const struct profile *p, const struct holder *row)
{
    jsonw_object(j);
    put_text(j, p, "holder", row->holder);
    put_text(j, p, "class", row->class_name);
    put_steps(j, profile_text(p, row->path));
    jsonw_member_uint(j, "objects", row->objects);
    jsonw_member_uint(j, "bytes", row->bytes);
    jsonw_object_end(j);
}

static void put_missing(struct jsonw *j, const struct profile *p, const struct holders_missing *m)
{
    jsonw_object(j);
    put_text(j, p, "reason", m->reason);
    jsonw_member_uint(j, "objects", m->objects);
    jsonw_member_uint(j, "bytes", m->bytes);
    jsonw_object_end(j);
}

void json_holders(struct jsonw *j, const struct profile *p, const struct holders *h)
{
    jsonw_key(j, "holders");
    if (!h || !h->objects) {
        jsonw_null(j);
        return;
    }
    jsonw_object(j);
    jsonw_member_uint(j, "objects", h->objects);
    jsonw_member_uint(j, "bytes", h->bytes);
    jsonw_key(j, "paths");
    jsonw_array(j);
    for (uint32_t i = 0; i < h->count; i++)
        put_row(j, p, &h->rows[i]);
    jsonw_array_end(j);
    jsonw_key(j, "missing");
    jsonw_array(j);
    for (uint32_t i = 0; i < h->missing_count; i++)
        put_missing(j, p, &h->missing[i]);
    jsonw_array_end(j);
    jsonw_object_end(j);
}
