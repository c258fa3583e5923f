#include "format/page/column.h"

#include "base/buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

static size_t base64(char *to, const uint8_t *from, size_t len)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *start = to;
    for (size_t i = 0; i < len; i += 3) {
        size_t rest = len - i;
        uint32_t bits = (uint32_t)from[i] << 16 | (rest > 1 ? (uint32_t)from[i + 1] << 8 : 0) | (rest > 2 ? from[i + 2] : 0);
        *to++ = digits[bits >> 18];
        *to++ = digits[bits >> 12 & 63];
        *to++ = rest > 1 ? digits[bits >> 6 & 63] : '=';
        *to++ = rest > 2 ? digits[bits & 63] : '=';
    }
    return (size_t)(to - start);
}

static int put_text(struct jsonw *j, const char *key, const struct buffer *varints)
{
    uLongf size = compressBound(varints->len);
    uint8_t *deflated = malloc(size);
    char *text = malloc((size + 2) / 3 * 4);
    int rc = deflated && text && compress(deflated, &size, varints->data, varints->len) == Z_OK ? 0 : -ENOMEM;
    if (!rc) {
        jsonw_key(j, key);
        jsonw_string(j, text, base64(text, deflated, size));
    }
    free(deflated);
    free(text);
    return rc;
}

int column_write(struct jsonw *j, const char *key, column_value *value, const void *rows, uint32_t count, enum column_order order)
{
    struct buffer varints;
    buffer_init(&varints, SIZE_MAX);
    uint64_t before = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t v = value(rows, i);
        buffer_varint(&varints, v - before);
        before = order == COLUMN_ASCENDING ? v : 0;
    }
    int rc = varints.failed ? -ENOMEM : put_text(j, key, &varints);
    buffer_deinit(&varints);
    return rc;
}
