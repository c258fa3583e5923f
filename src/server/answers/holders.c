#include "server/answers/holders.h"

#include "base/text/jsonw.h"
#include "server/request/question.h"

struct listing {
    struct http_writer *writer;
    struct quotas *quotas;
};

static void put_scopes(struct jsonw *j, unsigned scopes)
{
    jsonw_key(j, "scopes");
    jsonw_array(j);
    for (unsigned scope = 1; scope <= TOKEN_ALL; scope <<= 1)
        if (scopes & scope)
            jsonw_text(j, token_scope_word((enum token_scope)scope));
    jsonw_array_end(j);
}

/* Writes the limits that the token's line has. */
static void put_limits(struct jsonw *j, const struct quota_limits *limits)
{
    jsonw_key(j, "limits");
    jsonw_object(j);
    for (int i = 0; i < QUOTAS; i++)
        if (limits->most[i] && limits->most[i] != QUOTA_NONE)
            jsonw_member_uint(j, quotas_option((enum quota)i), limits->most[i]);
    jsonw_object_end(j);
}

static int put_token(void *context, const struct token *token)
{
    struct listing *l = context;
    struct jsonw *j = &l->writer->json;
    struct quota_use use = quotas_use(l->quotas, token->name);
    jsonw_object(j);
    jsonw_member_text(j, "name", token->name);
    jsonw_member_text(j, "kind", token_kind_word(token->kind));
    put_scopes(j, token->scopes);
    jsonw_member_text(j, "services", token->services);
    put_limits(j, &token->limits);
    jsonw_member_uint(j, "requests", use.requests);
    jsonw_member_uint(j, "bytes", use.bytes);
    jsonw_key(j, "last_used");
    if (use.last_s)
        jsonw_uint(j, use.last_s);
    else
        jsonw_null(j);
    jsonw_object_end(j);
    return l->writer->full;
}

void holders_answer(struct http *h)
{
    struct http_writer w;
    struct listing l = {&w, h->server->quotas};
    if (http_write_begin(h, &w))
        return;
    jsonw_object(&w.json);
    jsonw_key(&w.json, "required");
    jsonw_bool(&w.json, h->server->options->token_file != NULL);
    jsonw_key(&w.json, "tokens");
    jsonw_array(&w.json);
    int rc = tokens_each(&h->server->tokens, put_token, &l);
    jsonw_array_end(&w.json);
    jsonw_object_end(&w.json);
    if (rc) {
        struct error e;
        error_set(&e, rc, "out of memory");
        http_write_abandon(&w);
        question_failed(h, rc, &e);
    } else {
        http_write_end(h, &w, HTTP_OK, "application/json");
    }
}
