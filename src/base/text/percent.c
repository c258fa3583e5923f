/* Values of the control protocol. */
#include "base/text/percent.h"

#include <errno.h>
#include <string.h>

static bool is_safe(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("/._-+:@~", c));
}

void percent_encode(struct buffer *out, const char *text)
{
    for (; *text; text++) {
        if (is_safe(*text))
            buffer_put(out, text, 1);
        else
            buffer_printf(out, "%%%02X", (unsigned char)*text);
    }
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int percent_decode(char *text)
{
    char *out = text;
    for (; *text; text++) {
        if (*text == '%') {
            int high = digit(text[1]), low = high < 0 ? -1 : digit(text[2]);
            if (low < 0 || (!high && !low))
                return -EINVAL;
            *out++ = (char)(high << 4 | low);
            text += 2;
        } else {
            *out++ = *text;
        }
    }
    *out = 0;
    return 0;
}
