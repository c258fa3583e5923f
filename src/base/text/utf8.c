#include "base/text/utf8.h"

#include <stdbool.h>
#include <string.h>

static bool between(unsigned char c, unsigned char low, unsigned char high)
{
    return c >= low && c <= high;
}

/* Returns the length of a character by its first byte, and the allowed range of its second byte. The range excludes overlong forms and
 * surrogates. */
static size_t shape(unsigned char first, unsigned char *low, unsigned char *high)
{
    *low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    *high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    return first < 0x80 ? 1 : between(first, 0xc2, 0xdf) ? 2 : between(first, 0xe0, 0xef) ? 3 : between(first, 0xf0, 0xf4) ? 4 : 0;
}

size_t utf8_length(const char *s, size_t left)
{
    const unsigned char *u = (const unsigned char *)s;
    unsigned char low, high;
    size_t n = left ? shape(u[0], &low, &high) : 0;
    if (n > left || (n > 1 && !between(u[1], low, high)))
        return 0;
    for (size_t i = 2; i < n; i++)
        if (!between(u[i], 0x80, 0xbf))
            return 0;
    return n;
}

size_t utf8_put(uint32_t c, char out[4])
{
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const uint8_t first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n; --i > 0; c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(first[n] | c);
    return n;
}

size_t utf8_columns(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

/* Whether the character is a control character: C0, DEL, or C1 in its two-byte form. */
static bool is_control(const char *s)
{
    unsigned char c = (unsigned char)s[0];
    return c < 0x20 || c == 0x7f || (c == 0xc2 && (unsigned char)s[1] < 0xa0);
}

void utf8_print(FILE *f, const char *text)
{
    utf8_write(f, text, strlen(text));
}

/* Returns how many bytes at the beginning, a multiple of eight, are ASCII without control characters. Usually it is almost the whole
 * text. */
static size_t plain_length(const char *s, size_t left)
{
    const uint64_t each = 0x0101010101010101u, high = 0x80 * each;
    size_t n = 0;
    for (uint64_t bytes; left - n >= 8; n += 8) {
        memcpy(&bytes, s + n, sizeof bytes);
        uint64_t low = bytes - 0x20 * each, del = (bytes ^ 0x7f * each) - each; /* the high bit is set where a byte borrows */
        if ((bytes | low | del) & high)
            break;
    }
    return n;
}

void utf8_write(FILE *f, const char *text, size_t len)
{
    size_t good = 0; /* characters that may be printed unchanged are written together */
    while (good < len) {
        good += plain_length(text + good, len - good);
        size_t n = utf8_length(text + good, len - good);
        if (good == len)
            break;
        if (n && !is_control(text + good)) {
            good += n;
            continue;
        }
        fwrite(text, 1, good, f);
        fputc('?', f);
        n = good + (n ? n : 1);
        text += n;
        len -= n;
        good = 0;
    }
    fwrite(text, 1, good, f);
}
