#include "server/request/head.h"

#include "base/array.h"
#include "base/text/number.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define LENGTH_MAX UINT64_C(999999999999999999)

/* ---- the end of the head ---- */

long head_find(const char *bytes, size_t n, size_t *seen, const char **problem)
{
    for (size_t i = *seen; i < n; i++) {
        unsigned char c = (unsigned char)bytes[i], before = i ? (unsigned char)bytes[i - 1] : 0;
        if ((before == '\r') != (c == '\n'))
            *problem = c == '\n' ? "a line ends without a carriage return" : "a carriage return within a line";
        else if ((c < ' ' && c != '\t' && c != '\r' && c != '\n') || c == 0x7f)
            *problem = "a control character in the head";
        else if (i == 1 && c == '\n')
            *problem = "an empty line in place of the request line";
        else if (c == '\n' && i >= 3 && bytes[i - 2] == '\n')
            return (long)i + 1;
        else
            continue;
        return -EINVAL;
    }
    *seen = n;
    return 0;
}

/* ---- characters ---- */

static bool is_token(const char *text)
{
    const char *c = text;
    while (*c && (isalnum((unsigned char)*c) || strchr("!#$%&'*+-.^_`|~", *c)))
        c++;
    return !*c && c > text;
}

/* Decodes in place. Returns the length, or -EINVAL if a %XX is malformed. */
static long decode(char *text, bool plus)
{
    char *out = text;
    for (const char *in = text; *in; in++) {
        if (*in == '%') {
            int high = number_hex_digit(in[1]), low = high < 0 ? -1 : number_hex_digit(in[2]);
            if (low < 0)
                return -EINVAL;
            *out++ = (char)(high << 4 | low);
            in += 2;
        } else {
            *out++ = plus && *in == '+' ? ' ' : *in;
        }
    }
    *out = 0;
    return out - text;
}

/* ---- the request line ---- */

static const char *read_parameters(struct head *head, char *rest)
{
    while (rest && *rest) {
        char *name = strsep(&rest, "&"), *value = strchr(name, '=');
        if (!*name)
            continue;
        if (value)
            *value++ = 0;
        else
            value = name + strlen(name);
        long name_len = decode(name, true), len = decode(value, true);
        if (name_len < 0 || len < 0 || strlen(name) != (size_t)name_len)
            return "a parameter is not percent-encoded";
        if (head->parameter_count == HEAD_FIELDS_MAX || ARRAY_GROW(head->parameters, head->parameter_cap, head->parameter_count))
            return "too many parameters";
        head->parameters[head->parameter_count++] = (struct head_field){name, value, (size_t)len};
    }
    return NULL;
}

/* Reads the target: "/path?a=b", or the same after "http://host". In the second case, the host must be that of the header Host, and *host
 * is set to it. Returns the problem, or NULL. */
static const char *read_target(struct head *head, char *target, const char **host)
{
    char *scheme = strstr(target, "://");
    if (*target != '/' && scheme && (!strncasecmp(target, "http:", 5) || !strncasecmp(target, "https:", 6))) {
        char *authority = scheme + 3;
        target = strchr(authority, '/');
        if (!target)
            return "the target has no path";
        memmove(authority - 1, authority, (size_t)(target - authority)); /* makes room for the zero byte */
        target[-1] = 0;
        *host = authority - 1;
    }
    char *query = strchr(target, '?');
    if (query)
        *query++ = 0;
    long len = *target == '/' || !strcmp(target, "*") ? decode(target, false) : -EINVAL;
    if (len < 0 || strlen(target) != (size_t)len)
        return "the target is not a path";
    head->path = target;
    return read_parameters(head, query);
}

static unsigned read_version(struct head *head, const char *version, const char **problem)
{
    *problem = "the version is not HTTP/1.1";
    if (strncmp(version, "HTTP/", 5) || !isdigit((unsigned char)version[5]) || version[6] != '.' || !isdigit((unsigned char)version[7]) ||
        version[8])
        return 400;
    if (version[5] != '1' || version[7] > '1')
        return 505;
    *problem = NULL;
    head->old = version[7] == '0';
    return 0;
}

static unsigned read_request_line(struct head *head, char *line, const char **host, const char **problem)
{
    char *method = strsep(&line, " "), *target = strsep(&line, " ");
    if (!line || strchr(line, ' ') || strpbrk(target, "\t#") || !is_token(method)) {
        *problem = "the request line is not METHOD TARGET VERSION";
        return 400;
    }
    head->method = method;
    unsigned status = read_version(head, line, problem);
    if (!status && (*problem = read_target(head, target, host)))
        status = 400;
    return status;
}

/* ---- headers ---- */

static unsigned read_header(struct head *head, char *line, const char **problem)
{
    char *colon = strchr(line, ':');
    if (colon)
        *colon = 0;
    if (*line == ' ' || *line == '\t')
        *problem = "a header goes on in the next line";
    else if (!colon || !is_token(line))
        *problem = "invalid header name; is there a space before the colon?";
    if (*problem)
        return 400;
    char *value = colon + 1 + strspn(colon + 1, " \t"), *end = value + strlen(value);
    while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    *end = 0;
    *problem = "too many headers";
    if (head->header_count == HEAD_FIELDS_MAX || ARRAY_GROW(head->headers, head->header_cap, head->header_count))
        return 431;
    *problem = NULL;
    head->headers[head->header_count++] = (struct head_field){line, value, (size_t)(end - value)};
    return 0;
}

static const char *only(const struct head *head, const char *name, unsigned *count)
{
    const char *value = NULL;
    *count = 0;
    for (uint32_t i = 0; i < head->header_count; i++)
        if (!strcasecmp(head->headers[i].name, name) && !(*count)++)
            value = head->headers[i].value;
    return value;
}

static const char *read_length(struct head *head, const char *text)
{
    switch (number_parse(text, 0, LENGTH_MAX, &head->length)) {
    case NUMBER_GOOD:
        return NULL;
    case NUMBER_LARGE:
        return "Content-Length is too large";
    default:
        return "Content-Length is not a number";
    }
}

/* Determines where the body ends. Returns the problem, or NULL. */
static const char *read_framing(struct head *head)
{
    unsigned lengths, codings, contents;
    const char *length = only(head, "Content-Length", &lengths), *coding = only(head, "Transfer-Encoding", &codings);
    const char *content = only(head, "Content-Encoding", &contents);
    if (codings && head->old)
        return "Transfer-Encoding: HTTP/1.0 does not have it";
    if (codings && strcasecmp(coding, "chunked"))
        return "Transfer-Encoding: only chunked is supported";
    if (lengths > 1)
        return "more than one Content-Length";
    if (codings > 1)
        return "more than one Transfer-Encoding";
    if (lengths && codings)
        return "both Content-Length and Transfer-Encoding";
    if (contents > 1 || (contents && strcasecmp(content, "identity") && strcasecmp(content, "gzip")))
        return "Content-Encoding: only gzip is supported";
    head->chunked = codings;
    head->packed = contents && !strcasecmp(content, "gzip");
    return lengths ? read_length(head, length) : NULL;
}

static const char *check_host(const struct head *head, const char *target_host)
{
    unsigned count;
    const char *host = only(head, "Host", &count);
    if (count > 1)
        return "more than one Host";
    if (!count && !head->old)
        return "Host is missing";
    if (target_host && (!host || strcasecmp(host, target_host)))
        return "the target and Host name different servers";
    return NULL;
}

static const char *read_expect(struct head *head)
{
    unsigned count;
    const char *expect = only(head, "Expect", &count);
    if (count > 1 || (count && strcasecmp(expect, "100-continue")))
        return "Expect: only 100-continue is known";
    head->expects = count && !head->old;
    return NULL;
}

/* Reads the header Connection. "close" takes precedence over "keep-alive". With HTTP/1.0, the connection is closed unless the header says
 * otherwise. */
static void read_connection(struct head *head)
{
    bool close = false, keep = false;
    for (uint32_t i = 0; i < head->header_count; i++) {
        if (strcasecmp(head->headers[i].name, "Connection"))
            continue;
        size_t n;
        for (const char *word = head->headers[i].value; *word; word += n) {
            word += strspn(word, ", \t");
            n = strcspn(word, ", \t");
            close = close || (n == 5 && !strncasecmp(word, "close", n));
            keep = keep || (n == 10 && !strncasecmp(word, "keep-alive", n));
        }
    }
    head->keep_alive = !close && (keep || !head->old);
}

/* ---- the whole head ---- */

/* Returns the next line, and replaces its end by a zero byte. head_find has checked that every line has an end. */
static char *next_line(char **rest)
{
    char *line = *rest, *end = strstr(line, "\r\n");
    *end = 0;
    *rest = end + 2;
    return line;
}

unsigned head_parse(struct head *head, const char *bytes, size_t n, const char **problem)
{
    const char *host = NULL;
    *head = (struct head){.method = "", .path = ""};
    *problem = NULL;
    head->text = malloc(n + 1);
    if (!head->text) {
        *problem = "out of memory";
        return 503;
    }
    memcpy(head->text, bytes, n);
    head->text[n] = 0;
    char *rest = head->text;
    unsigned status = read_request_line(head, next_line(&rest), &host, problem);
    for (char *line; !status && *(line = next_line(&rest));)
        status = read_header(head, line, problem);
    if (status)
        return status;
    *problem = read_framing(head);
    *problem = *problem ? *problem : check_host(head, host);
    *problem = *problem ? *problem : read_expect(head);
    read_connection(head);
    return *problem ? 400 : 0;
}

void head_free(struct head *head)
{
    free(head->text);
    free(head->headers);
    free(head->parameters);
    *head = (struct head){.method = "", .path = ""};
}

const char *head_header(const struct head *head, const char *name)
{
    unsigned count;
    return only(head, name, &count);
}

const struct head_field *head_parameter(const struct head *head, const char *name)
{
    for (uint32_t i = 0; i < head->parameter_count; i++)
        if (!strcmp(head->parameters[i].name, name))
            return &head->parameters[i];
    return NULL;
}
