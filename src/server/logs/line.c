#include "server/logs/line.h"

#include "base/text/units.h"
#include "base/time_units.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

/* The characters U+0080 to U+009F, which are two bytes, can control a terminal, too. */
const char *line_clean(const char *text, char *out, size_t size)
{
    size_t n = 0;
    for (const unsigned char *c = (const unsigned char *)text; *c && n < size - 1; c++) {
        bool wide = *c == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f;
        out[n++] = *c < ' ' || *c == 0x7f || wide ? '?' : (char)*c;
        c += wide;
    }
    out[n] = 0;
    return out;
}

void line_text(struct line *l, const char *name, const char *text)
{
    char copy[LINE_TEXT_MAX];
    if (*text)
        jsonw_member_text(&l->json, name, line_clean(text, copy, sizeof copy));
}

static void put_time(struct jsonw *j)
{
    uint64_t now = clock_realtime_ns();
    time_t seconds = (time_t)(now / NS_PER_S);
    char text[64];
    struct tm tm;
    size_t n = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", gmtime_r(&seconds, &tm));
    snprintf(text + n, sizeof text - n, ".%03uZ", (unsigned)(now % NS_PER_S / NS_PER_MS));
    jsonw_member_text(j, "time", text);
}

int line_begin(struct line *l)
{
    *l = (struct line){.bytes = NULL};
    l->out = open_memstream(&l->bytes, &l->n);
    if (!l->out)
        return -ENOMEM;
    jsonw_init(&l->json, l->out);
    l->json.html = true; /* also escapes U+2028 and U+2029, at which some readers end a line */
    jsonw_object(&l->json);
    put_time(&l->json);
    return 0;
}

void line_end(struct line *l)
{
    jsonw_object_end(&l->json);
    jsonw_finish(&l->json);
    if (!fclose(l->out))
        return;
    free(l->bytes);
    l->bytes = NULL;
}
