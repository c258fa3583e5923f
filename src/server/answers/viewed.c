#include "server/answers/viewed.h"

#include "compress/intake.h"
#include "page/recording_page.h"
#include "server/request/question.h"
#include "store/files/envelope.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

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

static void open_and_answer(struct http *h, const void *bytes, size_t n, const char *name, bool sent)
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

void viewed_recording(struct http *h, uint64_t id, const struct envelope *v)
{
    char name[40];
    snprintf(name, sizeof name, "recording %" PRIu64, id);
    open_and_answer(h, v->body, v->size, name, false);
}

void viewed_sent(struct http *h, const char *body, size_t n)
{
    open_and_answer(h, body, n, "the file", true);
}
