/* Answers with the list of recordings, or with one recording. */
#include "base/text/number.h"
#include "base/text/pattern.h"
#include "base/time_units.h"
#include "server/answers/query.h"
#include "server/answers/viewed.h"
#include "server/request/question.h"
#include "base/text/hex.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LIMIT = 1000, LIMIT_MAX = 100000, NUMBER_DIGITS = 24 };

static void put_labels(struct jsonw *j, const struct labels *l)
{
    jsonw_key(j, "labels");
    jsonw_object(j);
    for (uint32_t i = 0; i < l->count; i++)
        jsonw_member_text(j, l->list[i].name, l->list[i].value);
    jsonw_object_end(j);
}

struct listing {
    const struct store *store;
    const struct store_query *q;
    struct error *error;
    const struct http_writer *writer;
    struct jsonw *json;
    const struct selector *selector;
    const char *type;
    uint32_t left;
    bool more;
};

static bool measures(const struct catalogue_recording *r, const char *type)
{
    for (uint32_t i = 0; i < r->content_count; i++)
        if (!strcmp(r->contents[i].type, type))
            return true;
    return false;
}

static void put_contents(struct jsonw *j, const struct catalogue_recording *r)
{
    jsonw_key(j, "contents");
    jsonw_array(j);
    for (uint32_t i = 0; i < r->content_count; i++) {
        jsonw_object(j);
        jsonw_member_text(j, "type", r->contents[i].type);
        jsonw_member_uint(j, "weight", r->contents[i].weight);
        jsonw_member_uint(j, "samples", r->contents[i].samples);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
}

static int put_recording(void *context, const struct catalogue_recording *r)
{
    struct listing *l = context;
    char digest[2 * ENVELOPE_IDENTITY + 1];
    int rc = store_is_over(l->store, l->q, l->error);
    if (rc)
        return rc;
    if (!selector_matches(l->selector, &r->labels) || (l->type && !measures(r, l->type)))
        return 0;
    if (l->writer->full)
        return 1;
    if (!l->left--) {
        l->more = true;
        return 1;
    }
    hex_put(digest, r->identity, ENVELOPE_IDENTITY);
    jsonw_object(l->json);
    jsonw_member_uint(l->json, "id", r->id);
    jsonw_member_text(l->json, "service", labels_get(&r->labels, "service"));
    put_labels(l->json, &r->labels);
    jsonw_member_uint(l->json, "received", (uint64_t)r->received_ns / NS_PER_S);
    jsonw_key(l->json, "start");
    jsonw_int(l->json, r->first);
    jsonw_key(l->json, "end");
    jsonw_int(l->json, r->last);
    jsonw_member_uint(l->json, "bytes", r->bytes);
    jsonw_member_text_or_null(l->json, "agent", r->agent);
    put_contents(l->json, r);
    jsonw_member_text(l->json, "digest", digest);
    jsonw_key(l->json, "raw");
    jsonw_bool(l->json, r->raw);
    jsonw_object_end(l->json);
    return 0;
}

void query_recordings(struct http *h)
{
    struct question query;
    struct http_writer w;
    struct error e;
    struct listing l = {.store = h->server->store, .q = &query.q, .error = &e, .selector = &query.selector};
    struct store_asking asking = {l.store, &query.q};
    struct catalogue_patience patience = store_patience(&asking);
    struct missing missing = {0};
    int rc = question_init(&query, h);
    rc = rc ? rc : question_number(h, "limit", LIMIT, LIMIT_MAX, &l.left);
    if (!rc && !http_write_begin(h, &w)) {
        l.writer = &w;
        l.json = &w.json;
        l.type = query.q.type;
        jsonw_object(l.json);
        jsonw_key(l.json, "recordings");
        jsonw_array(l.json);
        store_note_unread(h->server->store, &query.q, &missing);
        rc = catalogue_recordings(store_catalogue(h->server->store), query.q.from, query.q.to, &patience, put_recording, &l, &e);
        jsonw_array_end(l.json);
        rc = rc < 0 ? rc : store_forgotten_recordings(h->server->store, &query.q, &missing, &e);
        question_put_complete(l.json, &missing, query.q.type, l.more);
        jsonw_object_end(l.json);
        if (rc < 0) {
            http_write_abandon(&w);
            question_failed(h, rc, &e);
        } else {
            http_write_end(h, &w, HTTP_OK, "application/json");
        }
    }
    question_deinit(&query);
}

static void free_body(void *context)
{
    envelope_close(context);
    free(context);
}

/* Checks that the token may read the recording. To others, a recording of another service is one that does not exist. */
static int allow(struct http *h, uint64_t id, struct error *e)
{
    struct catalogue_recording r = {0};
    bool found;
    int rc = catalogue_get(store_catalogue(h->server->store), id, &r, &found, e);
    if (!rc && (!found || !pattern_matches(h->token.services, labels_get(&r.labels, "service"))))
        rc = error_set(e, -ENOENT, "recording %" PRIu64 ": there is none", id);
    catalogue_recording_deinit(&r);
    return rc;
}

void query_recording(struct http *h, const char *path)
{
    struct envelope *v = calloc(1, sizeof *v);
    struct error e;
    char number[NUMBER_DIGITS];
    size_t digits = strcspn(path, "/");
    uint64_t id;
    bool as_page = !strcmp(path + digits, "/page");
    snprintf(number, sizeof number, "%.*s", (int)digits, path);
    int rc = !v ? -ENOMEM
             : digits >= sizeof number || (path[digits] && !as_page) || number_parse(number, 0, INT64_MAX, &id)
                 ? error_set(&e, -ENOENT, "no such recording")
                 : allow(h, id, &e);
    rc = rc ? rc : store_recording(h->server->store, id, v, &e);
    if (rc) {
        free(v);
        question_failed(h, rc, &e);
        return;
    }
    if (as_page) {
        viewed_recording(h, id, v);
        free_body(v);
        return;
    }
    http_add_text(h, "Content-Disposition", "attachment");
    http_content(h, HTTP_OK, "application/octet-stream", (struct http_content){(const char *)v->body, v->size, free_body, v});
}
