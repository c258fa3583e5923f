#include "base/json.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void json_init(struct json *j, FILE *out)
{
    *j = (struct json){.out = out};
}

static void new_line(struct json *j)
{
    fputc('\n', j->out);
    for (int i = 0; i < j->depth; i++)
        fputc(' ', j->out);
}

/* What stands before a value or a key. */
static void separate(struct json *j)
{
    if (j->after_key) {
        j->after_key = false;
        return;
    }
    if (j->filled)
        fputc(',', j->out);
    if (j->depth && j->depth <= j->line_depth)
        new_line(j);
    else if (j->filled && j->line_depth)
        fputc(' ', j->out);
    j->filled = true;
}

static void begin(struct json *j, char bracket)
{
    separate(j);
    fputc(bracket, j->out);
    j->depth++;
    j->filled = false;
}

static void end(struct json *j, char bracket)
{
    bool broken = j->filled && j->depth <= j->line_depth;
    j->depth--;
    if (broken)
        new_line(j);
    fputc(bracket, j->out);
    j->filled = true;
}

void json_object(struct json *j)
{
    begin(j, '{');
}

void json_object_end(struct json *j)
{
    end(j, '}');
}

void json_array(struct json *j)
{
    begin(j, '[');
}

void json_array_end(struct json *j)
{
    end(j, ']');
}

void json_key(struct json *j, const char *key)
{
    json_text(j, key);
    fputc(':', j->out);
    if (j->line_depth)
        fputc(' ', j->out);
    j->after_key = true;
}

/* U+2028 and U+2029 end lines in JavaScript: E2 80 A8, E2 80 A9. */
static bool is_line_end(const char *s, size_t n)
{
    return n == 3 && (!memcmp(s, "\xe2\x80\xa8", 3) || !memcmp(s, "\xe2\x80\xa9", 3));
}

static void put_character(struct json *j, const char *s, size_t n)
{
    unsigned char c = (unsigned char)*s;
    if (!n)
        fputs("\\ufffd", j->out);
    else if (c == '"' || c == '\\')
        fprintf(j->out, "\\%c", c);
    else if (c == '\n')
        fputs("\\n", j->out);
    else if (c < 0x20 || c == 0x7f || (j->html && (c == '<' || c == '>' || c == '&')))
        fprintf(j->out, "\\u%04x", c);
    else if (j->html && is_line_end(s, n))
        fprintf(j->out, "\\u202%c", s[2] == '\xa8' ? '8' : '9');
    else
        fwrite(s, 1, n, j->out);
}

void json_string(struct json *j, const char *text, size_t len)
{
    separate(j);
    fputc('"', j->out);
    for (size_t at = 0; at < len;) {
        size_t n = utf8_length(text + at, len - at);
        put_character(j, text + at, n);
        at += n ? n : 1;
    }
    fputc('"', j->out);
}

void json_text(struct json *j, const char *text)
{
    json_string(j, text, strlen(text));
}

void json_text_or_null(struct json *j, const char *text)
{
    if (text && *text)
        json_text(j, text);
    else
        json_null(j);
}

void json_int(struct json *j, int64_t v)
{
    separate(j);
    fprintf(j->out, "%" PRId64, v);
}

void json_uint(struct json *j, uint64_t v)
{
    separate(j);
    fprintf(j->out, "%" PRIu64, v);
}

void json_number(struct json *j, double v)
{
    if (!isfinite(v)) {
        json_null(j);
        return;
    }
    separate(j);
    fprintf(j->out, "%.6g", v);
}

void json_bool(struct json *j, bool v)
{
    separate(j);
    fputs(v ? "true" : "false", j->out);
}

void json_null(struct json *j)
{
    separate(j);
    fputs("null", j->out);
}

void json_finish(struct json *j)
{
    fputc('\n', j->out);
}
