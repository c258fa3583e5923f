#include "store/files/labels.h"

#include "base/text/percent.h"
#include "base/text/utf8.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

bool labels_is_name(const char *s, size_t len)
{
    if (!len || len > LABEL_NAME_MAX || (!isalpha((unsigned char)*s) && *s != '_') || (unsigned char)*s >= 0x80)
        return false;
    for (size_t i = 1; i < len; i++)
        if ((unsigned char)s[i] >= 0x80 || (!isalnum((unsigned char)s[i]) && !memchr("_.-", s[i], 3)))
            return false;
    return true;
}

static bool is_value(const char *s, size_t len)
{
    for (size_t at = 0, n; at < len; at += n) {
        n = utf8_length(s + at, len - at);
        if (!n || (unsigned char)s[at] < 0x20 || s[at] == 0x7f)
            return false;
    }
    return true;
}

static int check(const char *name, size_t name_len, const char *value, size_t value_len, struct error *e)
{
    if (!labels_is_name(name, name_len))
        return error_set(e, -EINVAL, "a label's name is not [a-zA-Z_][a-zA-Z0-9_.-]* of at most %d bytes", LABEL_NAME_MAX);
    if (!value_len || value_len > LABEL_VALUE_MAX)
        return error_set(e, -EINVAL, "label %.*s: its value has %zu bytes; 1 to %d are allowed", (int)name_len, name, value_len,
                         LABEL_VALUE_MAX);
    if (!is_value(value, value_len))
        return error_set(e, -EINVAL, "label %.*s: its value is not UTF-8 without control characters", (int)name_len, name);
    return 0;
}

/* Returns the place of the name in the list, or the place where it belongs. */
static uint32_t place_of(const struct labels *l, const char *name, size_t len, bool *found)
{
    uint32_t i = 0;
    int order = 1;
    for (; i < l->count; i++) {
        order = strncmp(l->list[i].name, name, len);
        order = order ? order : l->list[i].name[len] != 0;
        if (order >= 0)
            break;
    }
    *found = i < l->count && !order;
    return i;
}

int labels_set(struct labels *l, const char *name, size_t name_len, const char *value, size_t value_len, struct error *e)
{
    bool found;
    int rc = check(name, name_len, value, value_len, e);
    if (rc)
        return rc;
    uint32_t i = place_of(l, name, name_len, &found);
    if (!found && l->count == LABELS_MAX)
        return error_set(e, -EINVAL, "more than %d labels", LABELS_MAX);
    char *copy = strndup(value, value_len), *key = found ? NULL : strndup(name, name_len);
    if (!copy || (!found && !key)) {
        free(copy);
        free(key);
        return error_set(e, -ENOMEM, "out of memory");
    }
    if (found) {
        free(l->list[i].value);
        l->list[i].value = copy;
        return 0;
    }
    memmove(&l->list[i + 1], &l->list[i], (l->count - i) * sizeof *l->list);
    l->list[i] = (struct label){key, copy};
    l->count++;
    return 0;
}

const char *labels_get(const struct labels *l, const char *name)
{
    bool found;
    uint32_t i = place_of(l, name, strlen(name), &found);
    return found ? l->list[i].value : "";
}

int labels_write(const struct labels *l, struct buffer *out)
{
    for (uint32_t i = 0; i < l->count; i++) {
        buffer_printf(out, "%s%s=", i ? "&" : "", l->list[i].name);
        percent_encode(out, l->list[i].value);
    }
    return out->failed ? -ENOMEM : 0;
}

int labels_read(struct labels *l, const char *text, size_t len, struct error *e)
{
    int rc = 0;
    char *copy = strndup(text, len), *rest = copy, *pair;
    if (!copy)
        return error_set(e, -ENOMEM, "out of memory");
    while (!rc && (pair = strsep(&rest, "&"))) {
        char *value = strchr(pair, '=');
        if (!value)
            rc = error_set(e, -EINVAL, "a label without a value");
        else if (percent_decode(++value))
            rc = error_set(e, -EINVAL, "a label's value is not encoded rightly");
        else
            rc = labels_set(l, pair, (size_t)(value - 1 - pair), value, strlen(value), e);
    }
    free(copy);
    return rc;
}

void labels_deinit(struct labels *l)
{
    for (uint32_t i = 0; i < l->count; i++) {
        free(l->list[i].name);
        free(l->list[i].value);
    }
    *l = (struct labels){0};
}
