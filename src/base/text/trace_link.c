#include "base/text/trace_link.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS = 16 }; /* of 64 bits */

enum place { PLACE_TRACE, PLACE_TRACE64, PLACE_TRACE10, PLACE_SPAN, PLACES };

static const char *const places[PLACES] = {"{trace}", "{trace64}", "{trace10}", "{span}"};

static enum place place_at(const char *text)
{
    for (int i = 0; i < PLACES; i++)
        if (!strncmp(text, places[i], strlen(places[i])))
            return (enum place)i;
    return PLACES;
}

int trace_link_check(const char *template, struct error *e)
{
    bool named = false;
    if (strncmp(template, "http://", 7) && strncmp(template, "https://", 8))
        return error_set(e, -EINVAL, "--trace-link '%.60s' does not begin with http:// or https://", template);
    for (const char *c = template; *c; c++) {
        enum place place = *c == '{' ? place_at(c) : PLACE_SPAN;
        if (place == PLACES || (unsigned char)*c <= ' ' || *c == '"' || *c == '<' || *c == '>')
            return error_set(e, -EINVAL,
                             "--trace-link: '%.20s' is none of {trace}, {trace64}, {trace10}, {span}; encode other signs as %%7B", c);
        named = named || (*c == '{' && place != PLACE_SPAN);
    }
    if (!named || strlen(template) >= TRACE_LINK_MAX / 2)
        return error_set(e, -EINVAL, "--trace-link '%.60s' has no {trace}, or is too long", template);
    return 0;
}

static bool is_hex(const char *id)
{
    return strspn(id, "0123456789abcdefABCDEF") == strlen(id);
}

char *trace_link_write(char *out, size_t size, const char *template, const char *trace, const char *span)
{
    size_t n = 0, len = strlen(trace);
    const char *low = len > DIGITS ? trace + len - DIGITS : trace;
    uint64_t number = 0;
    *out = 0;
    if (!len || !is_hex(trace) || !is_hex(span))
        return out;
    sscanf(low, "%16" SCNx64, &number);
    for (const char *c = template; *c && n + 1 < size;) {
        enum place place = *c == '{' ? place_at(c) : PLACES;
        switch (place) {
        case PLACE_TRACE:
            n += (size_t)snprintf(out + n, size - n, "%s", trace);
            break;
        case PLACE_TRACE64:
            n += (size_t)snprintf(out + n, size - n, "%s", low);
            break;
        case PLACE_TRACE10:
            n += (size_t)snprintf(out + n, size - n, "%" PRIu64, number);
            break;
        case PLACE_SPAN:
            n += (size_t)snprintf(out + n, size - n, "%s", span);
            break;
        case PLACES:
            out[n++] = *c;
            out[n] = 0;
            break;
        }
        c += place == PLACES ? 1 : strlen(places[place]);
    }
    return out;
}
