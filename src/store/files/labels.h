/* The labels of a recording: names with values. One of the names is `service`.
 *
 * A name is [a-zA-Z_][a-zA-Z0-9_.-]*. A value is UTF-8 without control characters. The limits are below. labels_set refuses any other
 * label, so that it is never stored. Names and values are data, and never become part of a path. */
#ifndef CANDOR_STORE_FILES_LABELS_H
#define CANDOR_STORE_FILES_LABELS_H

#include "base/buffer.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LABELS_MAX = 30, LABEL_NAME_MAX = 1024, LABEL_VALUE_MAX = 2048 };

struct label {
    char *name, *value;
};

struct labels { /* zeros = empty; sorted by name */
    struct label list[LABELS_MAX];
    uint32_t count;
};

bool labels_is_name(const char *name, size_t len);
/* Sets a label. A later value replaces an earlier one. Returns 0, -ENOMEM, or -EINVAL with a message in e. */
int labels_set(struct labels *l, const char *name, size_t name_len, const char *value, size_t value_len, struct error *e);
/* Returns the value of a label, or "" if there is none. */
const char *labels_get(const struct labels *l, const char *name);
/* Appends the labels as "name=value&...", sorted by name, with percent-encoded values. Equal labels yield the same text. Returns 0 or
 * -ENOMEM. */
int labels_write(const struct labels *l, struct buffer *out);
/* Reads labels from a text that labels_write has written. Returns 0, -ENOMEM, or -EINVAL with a message in e. */
int labels_read(struct labels *l, const char *text, size_t len, struct error *e);
void labels_deinit(struct labels *l);

#endif
