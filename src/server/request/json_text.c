#include "server/request/json_text.h"

#include "base/text/utf8.h"

#include <string.h>

json_t *json_text(const char *text, size_t most)
{
    char out[JSON_TEXT_MAX];
    size_t left = strlen(text), n = 0;
    while (left) {
        size_t length = utf8_length(text, left), step = length ? length : 1;
        if (n + step > most)
            break;
        if (length)
            memcpy(out + n, text, length);
        else
            out[n] = '?';
        n += step;
        text += step;
        left -= step;
    }
    return json_stringn(out, n);
}
