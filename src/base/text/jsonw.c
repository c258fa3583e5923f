#include "base/text/jsonw.h"

#include "base/text/number.h"
#include "base/text/utf8.h"

#include <math.h>
#include <string.h>

void jsonw_init(struct jsonw *j, FILE *out)
{
    *j = (struct jsonw){.out = out};
}

static void put_bytes(struct jsonw *j, const char *bytes, size_t n)
{
    fwrite_unlocked(bytes, 1, n, j->out);
}

static void put_word(struct jsonw *j, const char *word)
{
    put_bytes(j, word, strlen(word));
}

static void put_digits(struct jsonw *j, uint64_t v)
{
    char digits[20];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + v % 10);
    while (v /= 10);
    put_bytes(j, digits + at, sizeof digits - at);
}

static void put_int(struct jsonw *j, int64_t v)
{
    if (v < 0)
        putc_unlocked('-', j->out);
    put_digits(j, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

static void new_line(struct jsonw *j)
{
    putc_unlocked('\n', j->out);
    for (int i = 0; i < j->depth; i++)
        putc_unlocked(' ', j->out);
}

/* Writes the comma or line break that is needed before a value or a key. */
static void separate(struct jsonw *j)
{
    if (j->after_key) {
        j->after_key = false;
        return;
    }
    if (j->filled)
        putc_unlocked(',', j->out);
    if (j->depth && j->depth <= j->line_depth)
        new_line(j);
    else if (j->filled && j->line_depth)
        putc_unlocked(' ', j->out);
    j->filled = true;
}

static void begin(struct jsonw *j, char bracket)
{
    separate(j);
    putc_unlocked(bracket, j->out);
    j->depth++;
    j->filled = false;
}

static void end(struct jsonw *j, char bracket)
{
    bool broken = j->filled && j->depth <= j->line_depth;
    j->depth--;
    if (broken)
        new_line(j);
    putc_unlocked(bracket, j->out);
    j->filled = true;
}

void jsonw_object(struct jsonw *j)
{
    begin(j, '{');
}

void jsonw_object_end(struct jsonw *j)
{
    end(j, '}');
}

void jsonw_array(struct jsonw *j)
{
    begin(j, '[');
}

void jsonw_array_end(struct jsonw *j)
{
    end(j, ']');
}

void jsonw_key(struct jsonw *j, const char *key)
{
    jsonw_text(j, key);
    putc_unlocked(':', j->out);
    if (j->line_depth)
        putc_unlocked(' ', j->out);
    j->after_key = true;
}

/* Whether the character is U+2028 or U+2029 (E2 80 A8, E2 80 A9), which end lines in JavaScript. */
static bool is_line_end(const char *s, size_t n)
{
    return n == 3 && (!memcmp(s, "\xe2\x80\xa8", 3) || !memcmp(s, "\xe2\x80\xa9", 3));
}

static void put_character(struct jsonw *j, const char *s, size_t n)
{
    unsigned char c = (unsigned char)*s;
    if (!n)
        put_word(j, "\\ufffd");
    else if (c == '"' || c == '\\')
        fprintf(j->out, "\\%c", c);
    else if (c == '\n')
        put_word(j, "\\n");
    else if (c < 0x20 || c == 0x7f || (j->html && (c == '<' || c == '>' || c == '&')))
        fprintf(j->out, "\\u%04x", c);
    else if (j->html && is_line_end(s, n))
        fprintf(j->out, "\\u202%c", s[2] == '\xa8' ? '8' : '9');
    else
        put_bytes(j, s, n);
}

/* Returns the number of characters at the beginning that are written as they are: almost all are. */
static size_t plain_length(const struct jsonw *j, const char *s, size_t len)
{
    size_t n = 0;
    while (n < len && s[n] >= 0x20 && s[n] < 0x7f && s[n] != '"' && s[n] != '\\' &&
           !(j->html && (s[n] == '<' || s[n] == '>' || s[n] == '&')))
        n++;
    return n;
}

void jsonw_string(struct jsonw *j, const char *text, size_t len)
{
    separate(j);
    putc_unlocked('"', j->out);
    for (size_t at = 0; at < len;) {
        size_t plain = plain_length(j, text + at, len - at);
        put_bytes(j, text + at, plain);
        at += plain;
        if (at == len)
            break;
        size_t n = utf8_length(text + at, len - at);
        put_character(j, text + at, n);
        at += n ? n : 1;
    }
    putc_unlocked('"', j->out);
}

void jsonw_text(struct jsonw *j, const char *text)
{
    jsonw_string(j, text, strlen(text));
}

void jsonw_text_or_null(struct jsonw *j, const char *text)
{
    if (text && *text)
        jsonw_text(j, text);
    else
        jsonw_null(j);
}

void jsonw_int(struct jsonw *j, int64_t v)
{
    separate(j);
    put_int(j, v);
}

void jsonw_quoted_int(struct jsonw *j, int64_t v)
{
    separate(j);
    putc_unlocked('"', j->out);
    put_int(j, v);
    putc_unlocked('"', j->out);
}

void jsonw_uint(struct jsonw *j, uint64_t v)
{
    separate(j);
    put_digits(j, v);
}

void jsonw_number(struct jsonw *j, double v)
{
    if (!isfinite(v)) {
        jsonw_null(j);
        return;
    }
    separate(j);
    fprintf(j->out, "%.6g", v);
}

void jsonw_exact(struct jsonw *j, double v, bool single)
{
    char text[40];
    if (!isfinite(v)) {
        jsonw_null(j);
        return;
    }
    separate(j);
    for (int digits = single ? 6 : 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (number_reads_as(text, v, single))
            break;
    }
    put_word(j, text);
    if (!strpbrk(text, ".e"))
        put_word(j, ".0");
}

void jsonw_bool(struct jsonw *j, bool v)
{
    separate(j);
    put_word(j, v ? "true" : "false");
}

void jsonw_null(struct jsonw *j)
{
    separate(j);
    put_word(j, "null");
}

void jsonw_raw(struct jsonw *j, const char *json)
{
    separate(j);
    put_word(j, json);
}

void jsonw_member_text(struct jsonw *j, const char *key, const char *text)
{
    jsonw_key(j, key);
    jsonw_text(j, text);
}

void jsonw_member_text_or_null(struct jsonw *j, const char *key, const char *text)
{
    jsonw_key(j, key);
    jsonw_text_or_null(j, text);
}

void jsonw_member_uint(struct jsonw *j, const char *key, uint64_t v)
{
    jsonw_key(j, key);
    jsonw_uint(j, v);
}

void jsonw_member_number(struct jsonw *j, const char *key, double v)
{
    jsonw_key(j, key);
    jsonw_number(j, v);
}

void jsonw_finish(struct jsonw *j)
{
    putc_unlocked('\n', j->out);
}
