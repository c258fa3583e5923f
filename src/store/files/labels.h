/* The labels of a recording: names with values, `service` among them.
 *
 * A name is [a-zA-Z_][a-zA-Z0-9_.-]*, a value UTF-8 without control characters; the limits are below. Anything else is refused
 * when it is set, so that it is never stored. Names and values are data, never part of a path. */
#ifndef CANDOR_STORE_FILES_LABELS_H
#define CANDOR_STORE_FILES_LABELS_H

#include "base/buffer.h"
#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { LABELS_MAX = 30, LABEL_NAME_MAX = 128, LABEL_VALUE_MAX = 1024 };

struct label {
    char *name, *value;
};

struct labels { /* zeros = empty; sorted by name */
    struct label list[LABELS_MAX];
    uint32_t count;
};

/* Sets a label; a later value replaces the earlier. 0, -ENOMEM, or -EINVAL with one line. */
int labels_set(struct labels *l, const char *name, size_t name_len, const char *value, size_t value_len, struct error *e);
/* The value, or "" when there is none. */
const char *labels_get(const struct labels *l, const char *name);
/* As "name=value&...", names in order, values percent-encoded: the same labels are the same text. 0 or -ENOMEM. */
int labels_write(const struct labels *l, struct buffer *out);
/* Reads the labels from such a text. 0, -ENOMEM, or -EINVAL with one line. */
int labels_read(struct labels *l, const char *text, size_t len, struct error *e);
void labels_deinit(struct labels *l);

#endif
