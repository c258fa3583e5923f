#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

/* Replaces control characters by '?'. A message may quote a damaged file, or the text of a stranger, and control characters could
 * control the terminal. */
static void one_line(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c; c++)
        if (*c < ' ' || *c == 0x7f)
            *c = '?';
}

int error_set(struct error *e, int code, const char *format, ...)
{
    if (e) {
        va_list args;
        va_start(args, format);
        vsnprintf(e->text, sizeof e->text, format, args);
        va_end(args);
        one_line(e->text);
    }
    return code;
}
