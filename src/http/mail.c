#include "http/mail.h"

#include "http/transport_request.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { STALL_S = 30, TOTAL_S = 120 };

struct body {
    const struct mail_letter *letter;
    size_t at;
};

static size_t give_body(char *out, size_t size, size_t count, void *context)
{
    struct body *b = context;
    size_t left = b->letter->size - b->at, want = size * count < left ? size * count : left;
    memcpy(out, b->letter->bytes + b->at, want);
    b->at += want;
    return want;
}

static size_t ignore(char *bytes, size_t size, size_t count, void *context)
{
    (void)bytes;
    (void)context;
    return size * count;
}

bool mail_is_address(const char *text)
{
    const char *at = strchr(text, '@');
    if (!at || at == text || !at[1] || strchr(at + 1, '@') || strlen(text) > 254)
        return false;
    for (const char *c = text; *c; c++)
        if (!isgraph((unsigned char)*c) || strchr("<>(),;:\\\"[]", *c))
            return false;
    return true;
}

int mail_server_read(const char *text, char *out, size_t size, struct error *e)
{
    bool smtp = !strncmp(text, "smtp://", 7), smtps = !strncmp(text, "smtps://", 8);
    const char *host = text + (smtps ? 8 : 7);
    if ((!smtp && !smtps) || !*host || strpbrk(host, " \t\r\n/?#@") || *host == ':')
        return error_set(e, -EINVAL, "url '%.100s': use smtp://HOST:PORT or smtps://HOST; user and password have keys of their own", text);
    if ((size_t)snprintf(out, size, "%s", text) >= size)
        return error_set(e, -EINVAL, "url is too long");
    return 0;
}

static struct curl_slist *recipients(struct transport *t, const struct mail_letter *letter)
{
    struct curl_slist *list = NULL;
    char text[260];
    for (unsigned i = 0; i < letter->to_count; i++) {
        snprintf(text, sizeof text, "<%s>", letter->to[i]);
        list = t->call.slist_append(list, text);
    }
    return list;
}

int mail_send(struct transport *t, const struct mail_letter *letter, struct error *e)
{
    struct body body = {letter, 0};
    struct curl_slist *to;
    char from[260];
    long status;
    transport_begin(t, letter->url, "", STALL_S);
    snprintf(from, sizeof from, "<%s>", letter->from);
    to = recipients(t, letter);
    t->call.easy_setopt(t->curl, CURLOPT_TIMEOUT, (long)TOTAL_S);
    t->call.easy_setopt(t->curl, CURLOPT_USE_SSL, (long)(letter->open ? CURLUSESSL_TRY : CURLUSESSL_ALL));
    if (*letter->user) {
        t->call.easy_setopt(t->curl, CURLOPT_USERNAME, letter->user);
        t->call.easy_setopt(t->curl, CURLOPT_PASSWORD, letter->password);
    }
    t->call.easy_setopt(t->curl, CURLOPT_MAIL_FROM, from);
    t->call.easy_setopt(t->curl, CURLOPT_MAIL_RCPT, to);
    t->call.easy_setopt(t->curl, CURLOPT_UPLOAD, 1L);
    t->call.easy_setopt(t->curl, CURLOPT_READFUNCTION, give_body);
    t->call.easy_setopt(t->curl, CURLOPT_READDATA, &body);
    t->call.easy_setopt(t->curl, CURLOPT_WRITEFUNCTION, ignore);
    int code = transport_perform(t, &status, e);
    t->call.slist_free_all(to);
    return code;
}
