#include "format/read/lines.h"

#include "base/text/number.h"

#include <ctype.h>
#include <string.h>

struct span lines_from(struct span t, size_t at)
{
    return (struct span){t.bytes + at, t.len - at};
}

size_t lines_blanks(struct span t)
{
    size_t n = 0;
    while (n < t.len && isspace((unsigned char)t.bytes[n]))
        n++;
    return n;
}

size_t lines_word(struct span t)
{
    size_t n = 0;
    while (n < t.len && !isspace((unsigned char)t.bytes[n]))
        n++;
    return n;
}

struct span lines_trim(struct span t)
{
    t = lines_from(t, lines_blanks(t));
    while (t.len && isspace((unsigned char)t.bytes[t.len - 1]))
        t.len--;
    return t;
}

bool lines_next(struct span *text, struct span *line)
{
    if (!text->len)
        return false;
    const char *end = memchr(text->bytes, '\n', text->len);
    size_t n = end ? (size_t)(end - text->bytes) : text->len;
    *line = (struct span){text->bytes, n};
    *text = lines_from(*text, end ? n + 1 : n);
    return true;
}

bool lines_start(struct span t, const char *with)
{
    size_t n = strlen(with);
    return t.len >= n && !memcmp(t.bytes, with, n);
}

const char *lines_find(struct span t, const char *word)
{
    return t.len ? memmem(t.bytes, t.len, word, strlen(word)) : NULL;
}

bool lines_take_sign(struct span *t, char sign)
{
    if (!t->len || *t->bytes != sign)
        return false;
    *t = lines_from(*t, 1);
    return true;
}

bool lines_take_number(struct span *t, uint64_t *number)
{
    const char *at = t->bytes;
    *number = 0;
    if (number_take_before(&at, t->bytes + t->len, 10, number))
        return false;
    *t = lines_from(*t, (size_t)(at - t->bytes));
    return true;
}

bool lines_take_hex(struct span *t, uint64_t *number)
{
    const char *begin = t->bytes + (lines_start(*t, "0x") ? 2 : 0), *at = begin;
    *number = 0;
    if (number_take_before(&at, t->bytes + t->len, 16, number) || at > begin + 16)
        return false;
    *t = lines_from(*t, (size_t)(at - t->bytes));
    return true;
}
