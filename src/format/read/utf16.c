#include "format/read/utf16.h"

#include "base/text/utf8.h"

#include <string.h>

enum { CERTAIN = 4, LOOKED_AT = 256, REPLACEMENT = 0xfffd, MARK = 0xfeff };

static uint32_t unit(const uint8_t *at, enum utf16_order order)
{
    return order == UTF16_BIG ? (uint32_t)(at[0] << 8 | at[1]) : (uint32_t)(at[1] << 8 | at[0]);
}

static bool is_ascii(const uint8_t *bytes, size_t size, enum utf16_order order)
{
    size_t n = size < LOOKED_AT ? size : LOOKED_AT;
    for (size_t i = 0; i + 1 < n; i += 2) {
        uint32_t c = unit(bytes + i, order);
        if (c > '~' || (c < ' ' && c != '\t' && c != '\r' && c != '\n'))
            return false;
    }
    return n / 2 >= CERTAIN;
}

enum utf16_order utf16_order_of(const uint8_t *bytes, size_t size)
{
    if (size >= 2 && unit(bytes, UTF16_LITTLE) == MARK)
        return UTF16_LITTLE;
    if (size >= 2 && unit(bytes, UTF16_BIG) == MARK)
        return UTF16_BIG;
    return is_ascii(bytes, size, UTF16_LITTLE) ? UTF16_LITTLE : is_ascii(bytes, size, UTF16_BIG) ? UTF16_BIG : UTF16_NONE;
}

size_t utf16_mark_of_utf8(const uint8_t *bytes, size_t size)
{
    return size >= 3 && !memcmp(bytes, "\xef\xbb\xbf", 3) ? 3 : 0;
}

void utf16_decode(struct buffer *out, const uint8_t *bytes, size_t size, enum utf16_order order)
{
    size_t at = size >= 2 && unit(bytes, order) == MARK ? 2 : 0;
    for (char text[4]; at + 1 < size && !out->failed; at += 2) {
        uint32_t c = unit(bytes + at, order), low = at + 3 < size ? unit(bytes + at + 2, order) : 0;
        if (c >> 10 == 0xd800 >> 10 && low >> 10 == 0xdc00 >> 10) {
            c = 0x10000 + ((c & 0x3ff) << 10 | (low & 0x3ff));
            at += 2;
        } else if (c >> 11 == 0xd800 >> 11) {
            c = REPLACEMENT;
        }
        buffer_put(out, text, utf8_put(c, text));
    }
}
