#include "server/answers/viewed.h"

#include "base/map.h"
#include "compress/intake.h"
#include "page/recording_page.h"
#include "server/request/question.h"
#include "store/files/envelope.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PATIENCE_S = 30 };

/* Writes the page of an input. sent: what is wrong with it is the client's error, not the server's. */
static void answer(struct http *h, const struct intake *in, const char *name, bool sent)
{
    struct http_writer w;
    struct error e;
    if (http_write_begin(h, &w))
        return;
    int rc = recording_page_write(w.out, in, name, h->server->options->trace_link, &e);
    if (!rc) {
        http_write_end(h, &w, HTTP_OK, "text/html; charset=utf-8");
        return;
    }
    http_write_abandon(&w);
    if (sent && rc != -ENOMEM)
        http_error(h, HTTP_BAD_REQUEST, "%s", e.text);
    else
        question_failed(h, rc, &e);
}

static void answer_input(struct http *h, const void *bytes, size_t n, const char *name, bool sent)
{
    struct intake in;
    struct error e;
    int rc = intake_open_memory(&in, bytes, n, name, &e);
    if (rc && sent && rc != -ENOMEM) {
        http_error(h, HTTP_BAD_REQUEST, "%s", e.text);
    } else if (rc) {
        question_failed(h, rc, &e);
    } else {
        answer(h, &in, name, sent);
        intake_close(&in);
    }
}

/* Waits for a turn. Who asks for several pages does not keep others waiting. */
static void open_and_answer(struct http *h, const void *bytes, size_t n, const char *name, bool sent)
{
    struct server *s = h->server;
    uint64_t owner = hash_bytes(h->token.name, strlen(h->token.name));
    struct error e;
    if (!turns_take(&s->viewers, owner, PATIENCE_S, &s->stop.asked)) {
        http_later(h, HTTP_SERVICE_UNAVAILABLE, "too many pages of recordings are being made");
        return;
    }
    if (http_is_gone(h)) /* it has chosen something else meanwhile */
        question_failed(h, error_set(&e, -EPIPE, "the client is gone"), &e);
    else
        answer_input(h, bytes, n, name, sent);
    turns_give(&s->viewers, owner);
}

void viewed_recording(struct http *h, uint64_t id, const struct envelope *v)
{
    char name[40];
    snprintf(name, sizeof name, "recording %" PRIu64, id);
    open_and_answer(h, v->body, v->size, name, false);
}

void viewed_take(struct http *h, const char *bytes, size_t n)
{
    struct server *s = h->server;
    if (h->message.failed)
        return;
    h->viewed_bytes += n;
    if (atomic_fetch_add_explicit(&s->viewed_bytes, n, memory_order_relaxed) + n <= VIEWED_AT_ONCE * s->limits.max_body) {
        buffer_put(&h->message, bytes, n);
        return;
    }
    buffer_deinit(&h->message);
    viewed_drop(h);
    h->message.failed = true;
}

void viewed_drop(struct http *h)
{
    atomic_fetch_sub_explicit(&h->server->viewed_bytes, h->viewed_bytes, memory_order_relaxed); /* it only counts: it orders nothing */
    h->viewed_bytes = 0;
}

void viewed_sent(struct http *h, const char *body, size_t n)
{
    open_and_answer(h, body, n, "the file", true);
}
