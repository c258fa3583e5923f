#include "server/request/json_file.h"

#include "base/text/utf8.h"
#include "store/files/disk.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

json_t *json_text(const char *text, size_t most)
{
    char out[JSON_TEXT_MAX];
    size_t left = strlen(text), n = 0;
    while (left) {
        size_t length = utf8_length(text, left), step = length ? length : 1;
        if (n + step > most)
            break;
        if (length)
            memcpy(out + n, text, length);
        else
            out[n] = '?';
        n += step;
        text += step;
        left -= step;
    }
    return json_stringn(out, n);
}

const char *json_member_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* ---- lists ---- */

enum { FILE_VERSION = 1 };

static int64_t int_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

int list_file_read(const char *file, const char *key, size_t most, int64_t now, json_t **list, int64_t *next, struct error *e)
{
    uint8_t *bytes = NULL;
    size_t n = 0;
    int rc = disk_read_file(file, most, &bytes, &n, e);
    json_t *json = rc ? NULL : json_loadb((const char *)bytes, n, 0, NULL), *read = json_object_get(json, key);
    free(bytes);
    bool good = json_is_array(read) && int_of(json, "version") == FILE_VERSION && int_of(json, "next") > 0;
    *list = good ? json_incref(read) : json_array();
    *next = good ? int_of(json, "next") : rc ? 1 : now;
    json_decref(json);
    if (!*list)
        return error_set(e, -ENOMEM, "out of memory");
    return rc == -ENOENT ? 0 : rc ? rc : good ? 0 : -EBADMSG;
}

int list_file_write(const char *file, const char *key, json_t *list, int64_t next, struct error *e)
{
    json_t *json = json_pack("{s:i,s:I,s:O}", "version", FILE_VERSION, "next", (json_int_t)next, key, list);
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    int rc = text ? disk_write_synced(file, text, strlen(text), e) : error_set(e, -ENOMEM, "out of memory");
    free(text);
    json_decref(json);
    return rc;
}
