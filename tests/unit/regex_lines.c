/* For test_regex_oracle.py: each input line is "w|s PATTERN TEXT" (hexadecimal, "-" = empty). Prints whether the whole text (w), or some
 * part of it (s), matches: 1, 0, or why the pattern is refused. */
#include "regex/regex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void decode(const char *hex, char *out, size_t size)
{
    unsigned byte;
    size_t n = 0;
    for (; *hex != '-' && n + 1 < size && sscanf(hex, "%2x", &byte) == 1; hex += 2)
        out[n++] = (char)byte;
    out[n] = 0;
}

int main(void)
{
    char how[2], hex[2][1024], pattern[512], text[512];
    while (scanf("%1s %1023s %1023s", how, hex[0], hex[1]) == 3) {
        struct regex *r;
        struct error e;
        decode(hex[0], pattern, sizeof pattern);
        decode(hex[1], text, sizeof text);
        int rc = regex_compile(&r, pattern, *how == 'w' ? REGEX_WHOLE : REGEX_SOMEWHERE, &e);
        puts(rc ? e.text : regex_matches(r, text) ? "1" : "0");
        regex_free(r);
    }
    return 0;
}
