#include "base/text/pattern.h"

#include "base/text/utf8.h"

#include <stddef.h>
#include <string.h>

static size_t character(const char *text)
{
    size_t n = utf8_length(text, strnlen(text, 4));
    return n ? n : 1;
}

/* Whether one alternative, from p to end, matches. After a difference, the last `*` takes one more byte. No earlier `*` need be tried
 * again, so there is no recursion. */
static bool fits(const char *p, const char *end, const char *text)
{
    const char *star = NULL, *taken = NULL;
    while (*text) {
        if (p < end && *p == '*') {
            star = ++p;
            taken = text;
        } else if (p < end && *p == '?') {
            p++;
            text += character(text);
        } else if (p < end && *p == *text) {
            p++;
            text++;
        } else if (star) {
            p = star;
            text = ++taken;
        } else {
            return false;
        }
    }
    while (p < end && *p == '*')
        p++;
    return p == end;
}

bool pattern_matches(const char *pattern, const char *text)
{
    for (const char *end;; pattern = end + 1) {
        end = pattern + strcspn(pattern, "|");
        if (fits(pattern, end, text))
            return true;
        if (!*end)
            return false;
    }
}

bool pattern_is_any(const char *pattern)
{
    return !strcmp(pattern, "*");
}
