#include "server/request/form.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Reads a parameter of a header, `; name=value` or `; name="value"`. Returns false if the header has no such parameter, or if the value
 * does not fit. */
static bool read_parameter(const char *header, const char *name, char *out, size_t size)
{
    size_t n = strlen(name);
    for (const char *at = strchr(header, ';'); at; at = strchr(at, ';')) {
        at += 1 + strspn(at + 1, " \t");
        if (strncasecmp(at, name, n) || at[n] != '=')
            continue;
        const char *value = at + n + 1;
        bool quoted = *value == '"';
        value += quoted;
        size_t len = strcspn(value, quoted ? "\"" : "; \t");
        if (!len || len >= size || (quoted && value[len] != '"'))
            return false;
        memcpy(out, value, len);
        out[len] = 0;
        return true;
    }
    return false;
}

bool form_begin(struct form *f, const char *type, form_take *take, void *context)
{
    char boundary[FORM_BOUNDARY_MAX + 1];
    *f = (struct form){.take = take, .context = context, .matched = 2}; /* the first delimiter needs no line before it */
    if (!read_parameter(type, "boundary", boundary, sizeof boundary))
        return false;
    f->delimiter_len = (size_t)snprintf(f->delimiter, sizeof f->delimiter, "\r\n--%s", boundary);
    return true;
}

static void give(struct form *f, const char *bytes, size_t n)
{
    if (f->state == FORM_CONTENT && *f->name && n)
        f->take(f->context, f->name, bytes, n);
}

/* Reads content up to the delimiter. The delimiter's first byte occurs nowhere else in it, so after a mismatch only that byte can begin
 * another delimiter. */
static size_t take_content(struct form *f, const char *bytes, size_t n)
{
    size_t plain = 0;
    if (!f->matched) {
        const char *begin = memchr(bytes, '\r', n);
        plain = begin ? (size_t)(begin - bytes) : n;
        give(f, bytes, plain);
        if (plain == n)
            return n;
    }
    if (bytes[plain] != f->delimiter[f->matched]) {
        give(f, f->delimiter, f->matched);
        f->matched = 0;
        return plain; /* this byte is read again */
    }
    if (++f->matched == f->delimiter_len) {
        f->state = FORM_BOUNDARY;
        f->matched = f->line_len = 0;
    }
    return plain + 1;
}

static void end_line(struct form *f)
{
    char *line = f->line;
    line[f->line_len] = 0;
    if (f->state == FORM_BOUNDARY) { /* the rest of the line after a delimiter */
        bool empty = !line[strspn(line, " \t")];
        f->state = empty ? FORM_HEADERS : FORM_BROKEN;
        *f->name = 0;
    } else if (!f->line_len) {
        f->state = FORM_CONTENT;
    } else if (!strncasecmp(line, "Content-Disposition:", 20) && !read_parameter(line, "name", f->name, sizeof f->name)) {
        *f->name = 0;
    }
    f->line_len = 0;
}

static void take_line(struct form *f, char byte)
{
    if (byte == '\n' && f->line_len && f->line[f->line_len - 1] == '\r') {
        f->line_len--;
        end_line(f);
    } else if (f->line_len == FORM_LINE_MAX - 1 || !byte || byte == '\n') {
        f->state = FORM_BROKEN;
    } else {
        f->line[f->line_len++] = byte;
        if (f->state == FORM_BOUNDARY && f->line_len == 2 && !memcmp(f->line, "--", 2))
            f->state = FORM_END;
    }
}

bool form_feed(struct form *f, const char *bytes, size_t n)
{
    for (size_t at = 0; at < n && f->state < FORM_END;) {
        if (f->state == FORM_BEFORE || f->state == FORM_CONTENT)
            at += take_content(f, bytes + at, n - at);
        else
            take_line(f, bytes[at++]);
    }
    return f->state != FORM_BROKEN;
}

bool form_is_complete(const struct form *f)
{
    return f->state == FORM_END;
}
