#include "server/request/framing.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

struct head {
    unsigned hosts, lengths, transfers, expects;
    const char *problem; /* NULL = none so far */
};

static bool is_name(const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!isalnum((unsigned char)name[i]) && (!name[i] || !strchr("!#$%&'*+-.^_`|~", name[i])))
            return false;
    return len > 0;
}

static bool is_value(const char *value, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (((unsigned char)value[i] < ' ' && value[i] != '\t') || value[i] == 0x7f)
            return false;
    return true;
}

static bool is_text(const char *value, size_t len, const char *text)
{
    return len == strlen(text) && !strncasecmp(value, text, len);
}

static enum MHD_Result look(void *context, enum MHD_ValueKind kind, const char *name, size_t name_len, const char *value,
                            size_t value_len)
{
    struct head *head = context;
    value = value ? value : "";
    if (!is_name(name, name_len))
        head->problem = "invalid header name; is there a space before the colon?";
    else if (!is_value(value, value_len))
        head->problem = "a header has a control character";
    else if (is_text(name, name_len, "Host"))
        head->hosts++;
    else if (is_text(name, name_len, "Content-Length"))
        head->lengths++;
    else if (is_text(name, name_len, "Transfer-Encoding")) {
        head->transfers++;
        if (!is_text(value, value_len, "chunked"))
            head->problem = "Transfer-Encoding: only chunked is supported";
    } else if (is_text(name, name_len, "Content-Encoding")) {
        if (!is_text(value, value_len, "identity"))
            head->problem = "Content-Encoding: not supported; send a compressed recording as it is, without this header";
    } else if (is_text(name, name_len, "Expect") && !is_text(value, value_len, "100-continue"))
        head->problem = "Expect: only 100-continue is known";
    return head->problem ? MHD_NO : MHD_YES;
}

bool framing_check(struct http *h)
{
    struct head head = {0};
    MHD_get_connection_values_n(h->connection, MHD_HEADER_KIND, look, &head);
    if (!head.problem && head.hosts > 1)
        head.problem = "more than one Host";
    else if (!head.problem && head.lengths > 1)
        head.problem = "more than one Content-Length";
    else if (!head.problem && head.transfers > 1)
        head.problem = "more than one Transfer-Encoding";
    else if (!head.problem && head.lengths && head.transfers)
        head.problem = "both Content-Length and Transfer-Encoding";
    if (!head.problem)
        return true;
    http_close(h);
    http_error(h, MHD_HTTP_BAD_REQUEST, "malformed request: %s", head.problem);
    return false;
}
