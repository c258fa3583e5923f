#include "http/many.h"

#include "http/transport_request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* CURLOPT_QUICK_EXIT, which headers before 7.87 lack. A library that does not know it ignores it. */
#define QUICK_EXIT ((CURLoption)(CURLOPTTYPE_LONG + 322))

struct request {
    struct transport *transport;
    void *context;
    struct buffer body;
    struct request *next;
};

struct many {
    struct transport *first; /* sends nothing: it keeps the library */
    CURLM *multi;
    struct request *running;
    struct {
        __typeof__(&curl_multi_init) init;
        __typeof__(&curl_multi_cleanup) cleanup;
        __typeof__(&curl_multi_add_handle) add;
        __typeof__(&curl_multi_remove_handle) remove;
        __typeof__(&curl_multi_perform) perform;
        __typeof__(&curl_multi_poll) poll;
        __typeof__(&curl_multi_wakeup) wakeup;
        __typeof__(&curl_multi_info_read) info_read;
    } call;
};

/* These functions are newer than those that all need (transport.c), so only this file asks for them. */
static int find_functions(struct many *m, struct error *e)
{
    const struct transport_function functions[] = {
        {"curl_multi_init", &m->call.init},       {"curl_multi_cleanup", &m->call.cleanup},
        {"curl_multi_add_handle", &m->call.add},  {"curl_multi_remove_handle", &m->call.remove},
        {"curl_multi_perform", &m->call.perform}, {"curl_multi_poll", &m->call.poll},
        {"curl_multi_wakeup", &m->call.wakeup},   {"curl_multi_info_read", &m->call.info_read},
    };
    return transport_find(m->first, functions, sizeof functions / sizeof *functions, e);
}

struct many *many_new(struct error *e)
{
    struct many *m = calloc(1, sizeof *m);
    if (!m) {
        error_set(e, -ENOMEM, "out of memory");
        return NULL;
    }
    m->first = transport_new("", NULL, e);
    if (m->first && !find_functions(m, e)) {
        m->multi = m->call.init();
        if (m->multi)
            return m;
        error_set(e, -ENOMEM, "libcurl has no memory");
    }
    many_free(m);
    return NULL;
}

static void request_free(struct request *r)
{
    if (r->transport)
        transport_abandon(r->transport);
    transport_free(r->transport);
    buffer_deinit(&r->body);
    free(r);
}

void many_free(struct many *m)
{
    if (!m)
        return;
    for (struct request *r = m->running, *next; r; r = next) {
        next = r->next;
        m->call.remove(m->multi, r->transport->curl);
        request_free(r);
    }
    if (m->multi)
        m->call.cleanup(m->multi);
    transport_free(m->first);
    free(m);
}

static size_t take_body(char *bytes, size_t size, size_t count, void *context)
{
    struct buffer *body = context;
    buffer_put(body, bytes, size * count);
    return body->failed ? 0 : size * count;
}

static void set_options(struct transport *t, const struct many_letter *letter, struct request *r)
{
    transport_use_certificate(t, letter->certificate, letter->key);
    transport_begin(t, letter->url, letter->token, letter->timeout_s);
    t->call.easy_setopt(t->curl, CURLOPT_TIMEOUT, letter->timeout_s);
    t->call.easy_setopt(t->curl, QUICK_EXIT, 1L); /* its end waits for no name that is still being resolved; all others would wait, too */
    t->call.easy_setopt(t->curl, CURLOPT_WRITEFUNCTION, take_body);
    t->call.easy_setopt(t->curl, CURLOPT_WRITEDATA, &r->body);
    t->call.easy_setopt(t->curl, CURLOPT_HTTPHEADER, t->headers);
    if (*letter->user) {
        t->call.easy_setopt(t->curl, CURLOPT_USERNAME, letter->user);
        t->call.easy_setopt(t->curl, CURLOPT_PASSWORD, letter->password);
    }
}

int many_begin(struct many *m, const struct many_letter *letter, void *context, struct error *e)
{
    struct request *r = calloc(1, sizeof *r);
    if (!r)
        return error_set(e, -ENOMEM, "out of memory");
    r->context = context;
    buffer_init(&r->body, letter->most);
    r->transport = transport_new(letter->ca, NULL, e);
    if (!r->transport) {
        request_free(r);
        return -ENOMEM;
    }
    set_options(r->transport, letter, r);
    if (m->call.add(m->multi, r->transport->curl)) {
        request_free(r);
        return error_set(e, -ENOMEM, "libcurl has no memory");
    }
    r->next = m->running;
    m->running = r;
    return 0;
}

void many_wait(struct many *m, int ms)
{
    int running;
    m->call.perform(m->multi, &running);
    m->call.poll(m->multi, NULL, 0, ms, NULL);
    m->call.perform(m->multi, &running);
}

void many_wake(struct many *m)
{
    m->call.wakeup(m->multi);
}

static struct request *unlink_request(struct many *m, const CURL *curl)
{
    struct request **at = &m->running;
    while ((*at)->transport->curl != curl)
        at = &(*at)->next;
    struct request *r = *at;
    *at = r->next;
    return r;
}

bool many_take(struct many *m, struct many_end *out)
{
    int rest;
    CURLMsg *message = m->call.info_read(m->multi, &rest);
    if (!message)
        return false;
    CURLcode rc = message->data.result; /* the message ends with the next call */
    struct request *r = unlink_request(m, message->easy_handle);
    m->call.remove(m->multi, r->transport->curl);
    *out = (struct many_end){.context = r->context};
    out->code = transport_end(r->transport, rc, &out->status, &out->error);
    if (r->body.failed)
        out->code = error_set(&out->error, buffer_code(&r->body), r->body.full ? "the answer is too large" : "out of memory");
    out->body = r->body;
    r->body = (struct buffer){0};
    request_free(r);
    return true;
}
