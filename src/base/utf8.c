#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

static bool between(unsigned char c, unsigned char low, unsigned char high)
{
    return c >= low && c <= high;
}

/* Length by the first byte, and the range of the second one that keeps out overlong forms and surrogates. */
static size_t shape(unsigned char first, unsigned char *low, unsigned char *high)
{
    *low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    *high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    return first < 0x80                 ? 1
           : between(first, 0xc2, 0xdf) ? 2
           : between(first, 0xe0, 0xef) ? 3
           : between(first, 0xf0, 0xf4) ? 4
                                        : 0;
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

size_t utf8_columns(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

/* C0, DEL, and C1 in its two-byte form. */
static bool is_control(const char *s)
{
    unsigned char c = (unsigned char)s[0];
    return c < 0x20 || c == 0x7f || (c == 0xc2 && (unsigned char)s[1] < 0xa0);
}

void utf8_print(FILE *f, const char *text)
{
    for (size_t left = strlen(text), n; left; text += n, left -= n) {
        n = utf8_length(text, left);
        if (!n || is_control(text))
            fputc('?', f);
        else
            fwrite(text, 1, n, f);
        n = n ? n : 1;
    }
}
