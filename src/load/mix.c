#include "load/mix.h"

#include "base/buffer.h"
#include "base/map.h"
#include "base/text/number.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { BODY_MAX = 64 << 20, HEADERS_MAX = 32 << 10 };

void mix_deinit(struct mix *m)
{
    for (uint32_t i = 0; i < m->count; i++) {
        free(m->types[i].path);
        free(m->types[i].headers);
        free(m->types[i].body);
        free(m->types[i].bytes);
        free(m->types[i].call_headers);
    }
    m->count = 0;
}

static bool is_name(const char *text)
{
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");
    return n && !text[n] && n < sizeof(((struct mix_type *)0)->name);
}

static bool is_method(const char *text)
{
    size_t n = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-");
    return n && !text[n] && n < sizeof(((struct mix_type *)0)->method);
}

static bool is_path(const char *text)
{
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c <= ' ' || *c == 0x7f)
            return false;
    return *text == '/' || *text == '*';
}

static int add(struct mix *m, const char *name, double weight, const char *method, const char *path, const char *body, size_t body_len,
               struct error *e)
{
    if (m->count == MIX_TYPES_MAX)
        return error_set(e, -EINVAL, "more than %d types of requests", MIX_TYPES_MAX);
    if (!is_name(name))
        return error_set(e, -EINVAL, "'%.60s' is not a valid name of a request; use letters, digits, '-', '_' and '.'", name);
    for (uint32_t i = 0; i < m->count; i++)
        if (!strcmp(m->types[i].name, name))
            return error_set(e, -EINVAL, "two requests have the name '%.60s'", name);
    if (!(weight > 0 && weight < 1e9))
        return error_set(e, -EINVAL, "the weight of '%.60s' is not a number above 0", name);
    if (!is_method(method))
        return error_set(e, -EINVAL, "'%.40s' of request '%.60s' is not a method like GET or POST", method, name);
    if (!is_path(path))
        return error_set(e, -EINVAL, "'%.80s' of request '%.60s' is not a path like /x", path, name);
    struct mix_type *t = &m->types[m->count++];
    *t = (struct mix_type){
        .weight = weight, .path = strdup(path), .headers = strdup(""), .body = malloc(body_len + 1), .body_len = body_len};
    snprintf(t->name, sizeof t->name, "%s", name);
    snprintf(t->method, sizeof t->method, "%s", method);
    if (!t->path || !t->headers || !t->body)
        return error_set(e, -ENOMEM, "no memory for the requests");
    memcpy(t->body, body, body_len);
    m->weights += weight;
    return 0;
}

int mix_single(struct mix *m, const char *name, const char *method, const char *path, const char *body, size_t body_len, struct error *e)
{
    *m = (struct mix){0};
    return add(m, name, 1, method, path, body, body_len, e);
}

static bool take_weight(char **text, double *weight)
{
    const char *rest = *text;
    bool good = !number_take_real(&rest, -INFINITY, INFINITY, weight);
    *text += rest - *text;
    return good;
}

static int parse_one(struct mix *m, char *text, const char *path, struct error *e)
{
    char *rest = strchr(text, '='), *method = "GET", *body = "";
    double weight = 0;
    if (!rest || (*rest++ = 0, !take_weight(&rest, &weight)) || (*rest && *rest != ':'))
        return error_set(e, -EINVAL, "request '%.60s' needs a weight: NAME=WEIGHT[:METHOD[:PATH[:BODY]]]", text);
    if (*rest) {
        method = rest + 1;
        rest = method + strcspn(method, ":");
    }
    if (*rest) {
        *rest = 0;
        path = rest + 1;
        rest += 1 + strcspn(path, ":");
    }
    if (*rest) {
        *rest = 0;
        body = rest + 1;
    }
    return add(m, text, weight, method, path, body, strlen(body), e);
}

int mix_parse(struct mix *m, const char *text, const char *path, struct error *e)
{
    int rc = 0;
    char *copy = strdup(text), *next = copy;
    *m = (struct mix){0};
    if (!copy)
        return error_set(e, -ENOMEM, "no memory for the requests");
    while (!rc && next && *next)
        rc = parse_one(m, strsep(&next, ","), path, e);
    if (!rc && !m->count)
        rc = error_set(e, -EINVAL, "no request is named");
    free(copy);
    return rc;
}

/* ---- file ---- */

static int read_body(const char *name, struct buffer *b, struct error *e)
{
    FILE *f = fopen(name, "re");
    size_t n;
    uint8_t *room;
    if (!f)
        return error_set(e, -errno, "cannot read %.200s: %s", name, strerror(errno));
    while ((room = buffer_reserve(b, 65536)) && (n = fread(room, 1, 65536, f)) > 0)
        buffer_advance(b, n);
    bool bad = ferror(f);
    fclose(f);
    return bad || b->failed ? error_set(e, -EIO, "cannot read %.200s, or it has more than 64 MB", name) : 0;
}

static char *next_field(char **at)
{
    char *field = *at + strspn(*at, " \t");
    size_t n = strcspn(field, " \t");
    *at = field + n + (field[n] != 0);
    field[n] = 0;
    return field;
}

static int read_request(struct mix *m, char *line, struct error *e)
{
    double weight;
    char *at = line;
    char *name = next_field(&at), *number = next_field(&at), *method = next_field(&at), *path = next_field(&at);
    at += strspn(at, " \t");
    if (number_parse_real(number, -INFINITY, INFINITY, &weight) || !*path)
        return error_set(e, -EINVAL, "not 'NAME WEIGHT METHOD PATH [BODY | @FILE]'");
    if (*at != '@')
        return add(m, name, weight, method, path, at, strlen(at), e);
    struct buffer b;
    buffer_init(&b, BODY_MAX);
    int rc = read_body(at + 1, &b, e);
    if (!rc)
        rc = add(m, name, weight, method, path, b.data ? (char *)b.data : "", b.len, e);
    buffer_deinit(&b);
    return rc;
}

static int read_header(struct mix *m, const char *line, struct error *e)
{
    const char *colon = strchr(line, ':');
    struct mix_type *t = m->count ? &m->types[m->count - 1] : NULL;
    if (!t || !colon || colon == line)
        return error_set(e, -EINVAL, "an indented line is a header 'Name: value' of the request above it");
    size_t old = strlen(t->headers), more = strlen(line);
    char *grown = old + more < HEADERS_MAX ? realloc(t->headers, old + more + 3) : NULL;
    if (!grown)
        return error_set(e, -ENOMEM, "too many headers");
    memcpy(grown + old, line, more);
    memcpy(grown + old + more, "\r\n", 3);
    t->headers = grown;
    return 0;
}

int mix_read(struct mix *m, const char *file, struct error *e)
{
    FILE *f = fopen(file, "re");
    char *line = NULL;
    size_t cap = 0, number = 0;
    ssize_t n;
    int rc = 0;
    *m = (struct mix){0};
    if (!f)
        return error_set(e, -errno, "cannot read %.200s: %s", file, strerror(errno));
    while (!rc && (n = getline(&line, &cap, f)) > 0) {
        struct error why;
        number++;
        while (n && isspace((unsigned char)line[n - 1]))
            line[--n] = 0;
        size_t indent = strspn(line, " \t");
        if (!line[indent] || line[indent] == '#')
            continue;
        rc = indent ? read_header(m, line + indent, &why) : read_request(m, line, &why);
        if (rc)
            error_set(e, rc, "%.200s, line %zu: %.250s", file, number, why.text);
    }
    if (!rc && (ferror(f) || !m->count))
        rc = error_set(e, -EINVAL, "%.200s names no request", file);
    free(line);
    fclose(f);
    return rc;
}

/* ---- use ---- */

int mix_render(struct mix *m, const char *authority, const char *headers, bool keep_alive)
{
    for (uint32_t i = 0; i < m->count; i++) {
        struct mix_type *t = &m->types[i];
        struct buffer b;
        buffer_init(&b, BODY_MAX + 4 * HEADERS_MAX);
        buffer_printf(&b, "%s %s HTTP/1.1\r\n", t->method, t->path);
        if (!strcasestr(t->headers, "host:") && !strcasestr(headers, "host:"))
            buffer_printf(&b, "Host: %s\r\n", authority);
        buffer_text(&b, headers);
        buffer_text(&b, t->headers);
        if (!keep_alive)
            buffer_text(&b, "Connection: close\r\n");
        if (t->body_len || !strcmp(t->method, "POST") || !strcmp(t->method, "PUT"))
            buffer_printf(&b, "Content-Length: %zu\r\n", t->body_len);
        buffer_text(&b, "\r\n");
        buffer_put(&b, t->body, t->body_len);
        free(t->call_headers);
        if (asprintf(&t->call_headers, "%s%s", headers, t->headers) < 0)
            t->call_headers = NULL;
        t->call = (struct candor_load_call){t->name, t->method, t->path, t->call_headers, {t->body, t->body_len}};
        free(t->bytes);
        t->bytes = b.failed ? NULL : malloc(b.len);
        t->len = b.len;
        if (t->bytes)
            memcpy(t->bytes, b.data, b.len);
        buffer_deinit(&b);
        if (!t->bytes || !t->call_headers)
            return -ENOMEM;
    }
    return 0;
}

uint32_t mix_choose(const struct mix *m, uint64_t n)
{
    double at = (double)(hash_mix(n + 1) >> 11) / 9007199254740992.0 * m->weights; /* 2^53 */
    for (uint32_t i = 0; i + 1 < m->count; i++)
        if ((at -= m->types[i].weight) < 0)
            return i;
    return m->count - 1;
}
