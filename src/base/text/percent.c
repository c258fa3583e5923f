/* Encodes and decodes values of the control protocol. */
#include "base/text/percent.h"

#include "base/text/number.h"

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

int percent_decode(char *text)
{
    char *out = text;
    for (; *text; text++) {
        if (*text == '%') {
            int high = number_hex_digit(text[1]), low = high < 0 ? -1 : number_hex_digit(text[2]);
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
