#include "load/response.h"

#include "base/text/number.h"

#include <string.h>
#include <strings.h>

void response_start(struct response *r, bool to_head)
{
    memset(r, 0, offsetof(struct response, line));
    r->to_head = to_head;
}

static void broken(struct response *r, const char *problem)
{
    r->state = RESPONSE_BROKEN;
    r->problem = problem;
}

/* Reads a number below 2^60 that consists of digits only. */
static bool whole_number(const char *text, unsigned base, uint64_t *out)
{
    return !number_take(&text, base, 0, (UINT64_C(1) << 60) - 1, out) && !*text;
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

static void take_status_line(struct response *r)
{
    const char *s = r->line;
    if (strncmp(s, "HTTP/1.", 7) || (s[7] != '0' && s[7] != '1') || s[8] != ' ' || s[9] < '1' || s[9] > '9' || s[10] < '0' || s[10] > '9' ||
        s[11] < '0' || s[11] > '9' || (s[12] && s[12] != ' ')) {
        broken(r, "the answer is not HTTP/1.1");
        return;
    }
    r->status = (s[9] - '0') * 100 + (s[10] - '0') * 10 + (s[11] - '0');
    r->keep_alive = s[7] == '1';
    r->state = RESPONSE_HEADERS;
}

/* Whether a list "a, b" contains the word. */
static bool lists(const char *list, const char *word)
{
    size_t n = strlen(word);
    while (*(list = list + strspn(list, " \t,"))) {
        size_t len = strcspn(list, ",");
        size_t trimmed = len;
        while (trimmed && (list[trimmed - 1] == ' ' || list[trimmed - 1] == '\t'))
            trimmed--;
        if (trimmed == n && !strncasecmp(list, word, n))
            return true;
        list += len;
    }
    return false;
}

static void take_length(struct response *r, char *value)
{
    uint64_t length = 0;
    size_t n = strcspn(value, " \t");
    if (*skip_blanks(value + n)) {
        broken(r, "the Content-Length is not a number");
        return;
    }
    value[n] = 0;
    if (!whole_number(value, 10, &length))
        broken(r, "the Content-Length is not a number");
    else if (r->has_length && length != r->left)
        broken(r, "two Content-Lengths differ");
    r->has_length = true;
    r->left = length;
}

static void take_header(struct response *r)
{
    char *colon = strchr(r->line, ':');
    if (!colon || colon == r->line) {
        if (r->line[0] != ' ' && r->line[0] != '\t') /* a folded line (an old form) belongs to the line before */
            broken(r, "a header without a colon");
        return;
    }
    size_t name = (size_t)(colon - r->line);
    char *value = colon + 1 + strspn(colon + 1, " \t");
    if (name == 14 && !strncasecmp(r->line, "Content-Length", name))
        take_length(r, value);
    else if (name == 17 && !strncasecmp(r->line, "Transfer-Encoding", name)) {
        r->chunked = lists(value, "chunked");
        r->until_close |= !r->chunked && !lists(value, "identity");
    } else if (name == 10 && !strncasecmp(r->line, "Connection", name)) {
        if (lists(value, "close"))
            r->keep_alive = false;
        else if (lists(value, "keep-alive"))
            r->keep_alive = true;
    }
}

static void begin_body(struct response *r)
{
    if (r->status == 101) {
        broken(r, "the server changes to another protocol");
    } else if (r->status < 200) { /* an interim answer; the final one follows */
        bool to_head = r->to_head;
        uint32_t head_size = r->head_size;
        response_start(r, to_head);
        r->head_size = head_size;
    } else if (r->to_head || r->status == 204 || r->status == 304) {
        r->state = RESPONSE_DONE;
    } else if (r->chunked) {
        r->state = RESPONSE_CHUNK_SIZE;
    } else if (r->has_length && !r->until_close) {
        r->state = r->left ? RESPONSE_BODY : RESPONSE_DONE;
    } else {
        r->keep_alive = false;
        r->state = RESPONSE_UNTIL_CLOSE;
    }
}

static void take_chunk_size(struct response *r)
{
    r->line[strcspn(r->line, "; \t")] = 0;
    if (!whole_number(r->line, 16, &r->left))
        broken(r, "a chunk's size is not a number");
    else
        r->state = r->left ? RESPONSE_CHUNK : RESPONSE_TRAILERS;
}

static void take_line(struct response *r)
{
    if (r->line_len && r->line[r->line_len - 1] == '\r')
        r->line_len--;
    r->line[r->line_len] = 0;
    bool empty = !r->line_len;
    if (memchr(r->line, 0, r->line_len))
        broken(r, "a header with a zero byte");
    else if (r->state == RESPONSE_STATUS_LINE)
        take_status_line(r);
    else if (r->state == RESPONSE_CHUNK_SIZE)
        take_chunk_size(r);
    else if (r->state == RESPONSE_CHUNK_END && !empty)
        broken(r, "a chunk is longer than its header says");
    else if (r->state == RESPONSE_CHUNK_END)
        r->state = RESPONSE_CHUNK_SIZE;
    else if (r->state == RESPONSE_TRAILERS && empty)
        r->state = RESPONSE_DONE;
    else if (r->state == RESPONSE_HEADERS && empty)
        begin_body(r);
    else if (r->state == RESPONSE_HEADERS)
        take_header(r);
    r->line_len = 0;
}

/* Copies bytes up to a line's end to `line`. The line is examined when it is complete. */
static size_t feed_line(struct response *r, const char *bytes, size_t n)
{
    const char *end = memchr(bytes, '\n', n);
    size_t taken = end ? (size_t)(end - bytes) + 1 : n, text = end ? taken - 1 : taken;
    bool in_chunks = r->state == RESPONSE_CHUNK_SIZE || r->state == RESPONSE_CHUNK_END;
    size_t limit = in_chunks ? RESPONSE_CHUNK_LINE_MAX : RESPONSE_LINE_MAX;
    if (r->line_len + text >= limit) {
        broken(r, "a header line is too long");
        return taken;
    }
    if (!in_chunks && (r->head_size += (uint32_t)taken) > RESPONSE_HEAD_MAX) {
        broken(r, "more than 64 KiB of headers");
        return taken;
    }
    memcpy(r->line + r->line_len, bytes, text);
    r->line_len += (uint32_t)text;
    if (end)
        take_line(r);
    return taken;
}

static size_t feed_body(struct response *r, size_t n)
{
    size_t taken = r->state == RESPONSE_UNTIL_CLOSE || n < r->left ? n : (size_t)r->left;
    r->body += taken;
    if (r->state == RESPONSE_UNTIL_CLOSE)
        return taken;
    r->left -= taken;
    if (!r->left)
        r->state = r->state == RESPONSE_CHUNK ? RESPONSE_CHUNK_END : RESPONSE_DONE;
    return taken;
}

size_t response_feed(struct response *r, const char *bytes, size_t n)
{
    size_t taken = 0;
    while (taken < n && r->state != RESPONSE_DONE && r->state != RESPONSE_BROKEN) {
        bool body = r->state == RESPONSE_BODY || r->state == RESPONSE_CHUNK || r->state == RESPONSE_UNTIL_CLOSE;
        taken += body ? feed_body(r, n - taken) : feed_line(r, bytes + taken, n - taken);
    }
    return taken;
}

void response_close(struct response *r)
{
    if (r->state == RESPONSE_UNTIL_CLOSE)
        r->state = RESPONSE_DONE;
    else if (r->state != RESPONSE_DONE)
        broken(r, "the server closed the connection in the middle of an answer");
}
