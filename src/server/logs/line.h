/* A line of JSON for a log, which begins with the time. Some of its texts come from clients, and none of them can end the line or the text.
 *
 *   line_begin -> line_text, jsonw_... -> line_end -> bytes, which the caller frees; NULL = no memory */
#ifndef CANDOR_SERVER_LOGS_LINE_H
#define CANDOR_SERVER_LOGS_LINE_H

#include "base/text/jsonw.h"

#include <stddef.h>
#include <stdio.h>

enum { LINE_TEXT_MAX = 8 << 10 }; /* bytes; longer texts are cut */

struct line {
    FILE *out;
    struct jsonw json;
    char *bytes;
    size_t n;
};

int line_begin(struct line *l); /* returns 0 or -ENOMEM */
/* Writes a text, unless it is "". */
void line_text(struct line *l, const char *name, const char *text);
void line_end(struct line *l);

/* Copies a client's text for people: characters that can control a terminal become '?'. The text is cut at size - 1 bytes. Returns out. */
const char *line_clean(const char *text, char *out, size_t size);

#endif
