#include "server/answers/receive.h"

#include "base/text/units.h"
#include "format/read/formats.h"
#include "server/answers/ingest.h"
#include "server/push/push.h"
#include "server/request/arrival.h"
#include "server/request/form.h"
#include "server/request/times.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>

#define FORM_MAX ((uint64_t)INGEST_PART_MAX * INGEST_PARTS + ((uint64_t)1 << 16)) /* limit for the other parts of a form */

struct receive {
    enum receive_kind kind;
    struct envelope_writer writer;
    struct envelope_note note;
    gnutls_hash_hd_t digest;
    struct form *form;         /* NULL: the body itself is the recording or the message */
    struct ingest_parts parts; /* other fields of the form */
    int rc;                    /* code of the first error so far */
    struct error error;
    bool counted;               /* the end of this recording was counted */
    uint64_t came;              /* bytes of the body */
    struct quota_charge charge; /* bytes that were taken from the limits of the token */
};

/* ---- the end of a request ---- */

static enum protocol protocol_of(const struct http *h, enum receive_kind kind)
{
    static const enum protocol others[] = {
        [RECEIVE_RECORDING] = BY_RECORDINGS, [RECEIVE_INGEST] = BY_INGEST, [RECEIVE_FORWARDED] = BY_FORWARDED};
    return kind == RECEIVE_MESSAGE ? push_protocol(h->path) : others[kind];
}

/* Counts the end of a recording, once. A message that fails as a whole counts as one recording; otherwise, each recording in it is counted
 * separately. */
static void end(struct http *h, enum refusal how, uint64_t bytes)
{
    bool message = h->receive->kind == RECEIVE_MESSAGE;
    if (!h->receive->counted && message)
        counters_received(&h->server->counters, protocol_of(h, RECEIVE_MESSAGE));
    if (!h->receive->counted)
        counters_ended(&h->server->counters, how, bytes);
    h->receive->counted = true;
}

static void answer_refusal(struct http *h, int rc, const char *text)
{
    if (quotas_refused(rc)) {
        http_add_retry(h, quotas_retry_s(rc));
        http_error(h, HTTP_TOO_MANY_REQUESTS, "%s", text);
        return;
    }
    switch (rc) {
    case -EKEYREJECTED:
        http_error(h, HTTP_FORBIDDEN, "%s", text);
        break;
    case -EINVAL:
    case -E2BIG:
    case -ERANGE:
        http_error(h, HTTP_BAD_REQUEST, "%s", text);
        break;
    case -EPROTONOSUPPORT:
        http_error(h, HTTP_UNSUPPORTED_MEDIA_TYPE, "%s", text);
        break;
    case -EFBIG:
        http_error(h, HTTP_CONTENT_TOO_LARGE, "%s", text);
        break;
    case -ENOMEM:
        http_later(h, HTTP_SERVICE_UNAVAILABLE, "out of memory");
        break;
    case -EBUSY:
        http_later(h, HTTP_TOO_MANY_REQUESTS, text);
        break;
    case -EBADMSG:
        http_error(h, HTTP_INTERNAL_SERVER_ERROR, "%s", text);
        break;
    default: /* the disk is full, read-only, or broken */
        http_later(h, HTTP_SERVICE_UNAVAILABLE, text);
    }
}

static void refuse(struct http *h, int rc, const char *text)
{
    end(h, arrival_refusal(rc), 0);
    if (h->receive->kind == RECEIVE_MESSAGE)
        push_refuse(h, rc, text);
    else
        answer_refusal(h, rc, text);
}

/* ---- the head of the request ---- */

static int set_label(struct receive *r, const char *name, size_t name_len, const char *value, size_t value_len)
{
    if (name_len > 6 && !strncmp(name, "label.", 6)) {
        name += 6;
        name_len -= 6;
    }
    return labels_set(&r->note.labels, name, name_len, value, value_len, &r->error);
}

static int set_time(struct receive *r, const char *text, int64_t *ns)
{
    if (times_parse(text, r->note.received_ns, ns) || *ns <= 0)
        return error_set(&r->error, -EINVAL, "'%.40s' is not a time; write seconds since the epoch, or 2026-11-22T16:41:00Z", text);
    return 0;
}

static int set_format(struct receive *r, const char *text)
{
    const char *format = formats_named(text);
    if (!format)
        return error_set(&r->error, -EINVAL, "format '%.40s' is none of " FORMATS_READ, text);
    snprintf(r->note.format, sizeof r->note.format, "%s", format);
    return 0;
}

static int take_parameter(struct receive *r, const struct head_field *p)
{
    if (!strcmp(p->name, "from"))
        return set_time(r, p->value, &r->note.from_ns);
    if (!strcmp(p->name, "until"))
        return set_time(r, p->value, &r->note.until_ns);
    if (!strcmp(p->name, "format"))
        return set_format(r, p->value);
    return set_label(r, p->name, strlen(p->name), p->value, p->value_len);
}

/* Takes the label from a header "X-Candor-Label: name=value". */
static int take_header(struct receive *r, const struct head_field *header)
{
    const char *value = header->value, *equals = strchr(value, '=');
    if (strcasecmp(header->name, "X-Candor-Label"))
        return 0;
    if (!equals)
        return error_set(&r->error, -EINVAL, "X-Candor-Label is not name=value");
    return set_label(r, value, (size_t)(equals - value), equals + 1, header->value_len - (size_t)(equals + 1 - value));
}

static int take_key(struct http *h, struct receive *r)
{
    const char *key = http_header(h, "Idempotency-Key");
    size_t len = key ? strlen(key) : 0;
    if (len > ENVELOPE_KEY_MAX)
        return error_set(&r->error, -EINVAL, "Idempotency-Key has more than %d bytes", ENVELOPE_KEY_MAX);
    for (size_t i = 0; i < len; i++)
        if (key[i] < 0x21 || key[i] > 0x7e)
            return error_set(&r->error, -EINVAL, "Idempotency-Key must have visible ASCII characters only");
    snprintf(r->note.key, sizeof r->note.key, "%s", key ? key : "");
    return 0;
}

/* Whether the head of the request has the labels; otherwise the body has them. */
static bool has_labels(enum receive_kind kind)
{
    return kind == RECEIVE_RECORDING || kind == RECEIVE_INGEST;
}

static int read_head(struct http *h, struct receive *r)
{
    if (!has_labels(r->kind))
        return 0;
    if (r->kind == RECEIVE_INGEST) {
        arrival_limit_profile(h->server, &r->note);
        return ingest_read(h, &r->note, &r->error);
    }
    int rc = 0;
    for (uint32_t i = 0; !rc && i < h->head.parameter_count; i++)
        rc = take_parameter(r, &h->head.parameters[i]);
    for (uint32_t i = 0; !rc && i < h->head.header_count; i++)
        rc = take_header(r, &h->head.headers[i]);
    if (!rc && !*labels_get(&r->note.labels, "service"))
        rc = error_set(&r->error, -EINVAL, "the label service is missing: POST /v1/recordings?service=NAME");
    return rc ? rc : take_key(h, r);
}

/* Refuses what has just waited for a thread for long. Clients take turns, so a client that sends little is not refused because others
 * send much. */
static int check_wait(struct http *h, struct receive *r)
{
    if (h->queued_ns <= h->server->limits.send_wait_ns)
        return 0;
    return error_set(&r->error, -EBUSY, "more recordings arrive than the server can store: this one waited longer than --max-send-wait");
}

/* The most bytes that are written to the disk. */
static uint64_t most_of(const struct http *h, const struct receive *r)
{
    return h->server->limits.max_body + (r->kind == RECEIVE_FORWARDED ? ENVELOPE_MORE : 0);
}

static int check_length(struct http *h, struct receive *r)
{
    if (h->head.length > most_of(h, r) + (r->form ? FORM_MAX : 0))
        return error_set(&r->error, -EFBIG, "more than --max-body, %" PRIu64 " bytes", (uint64_t)h->server->limits.max_body);
    return 0;
}

/* Takes bytes from the limits of the token. */
static int take_bytes(struct http *h, struct receive *r, uint64_t bytes)
{
    const struct token *t = &h->token;
    return *t->name && bytes ? quotas_take_bytes(h->server->quotas, t->name, &t->limits, bytes, &r->charge, &r->error) : 0;
}

static void put(struct http *h, const char *bytes, size_t n)
{
    struct receive *r = h->receive;
    if (!r->rc && r->writer.size + n > most_of(h, r))
        r->rc = error_set(&r->error, -EFBIG, "more than --max-body, %" PRIu64 " bytes", (uint64_t)h->server->limits.max_body);
    if (!r->rc)
        r->rc = envelope_put(&r->writer, bytes, n, &r->error);
    if (!r->rc)
        gnutls_hash(r->digest, bytes, n);
}

static void take_field(void *context, const char *name, const char *bytes, size_t n)
{
    struct http *h = context;
    if (!strcmp(name, "jfr") || !strcmp(name, "profile"))
        put(h, bytes, n);
    else
        ingest_take(&h->receive->parts, name, bytes, n);
}

/* Prepares to read the body as a form. Returns 0 or a code. */
static int begin_form(struct http *h, struct receive *r, const char *type)
{
    r->form = calloc(1, sizeof *r->form);
    if (!r->form)
        return -ENOMEM;
    if (!form_begin(r->form, type, take_field, h))
        return error_set(&r->error, -EINVAL, "Content-Type: the boundary of the form is missing, or longer than %d bytes",
                         FORM_BOUNDARY_MAX);
    return 0;
}

enum receive_kind receive_kind(const char *path)
{
    if (push_protocol(path) != PROTOCOLS)
        return RECEIVE_MESSAGE;
    if (!strcmp(path, "/ingest") || !strcmp(path, "/pyroscope/ingest"))
        return RECEIVE_INGEST;
    if (!strcmp(path, "/v1/recordings/forwarded"))
        return RECEIVE_FORWARDED;
    return strcmp(path, "/v1/recordings") ? RECEIVE_NOTHING : RECEIVE_RECORDING;
}

void receive_not_allowed(struct http *h, enum receive_kind kind)
{
    counters_received(&h->server->counters, protocol_of(h, kind));
    counters_ended(&h->server->counters, h->status == HTTP_TOO_MANY_REQUESTS ? REFUSED_LIMIT : REFUSED_NOT_ALLOWED, 0);
}

static bool is_form(const struct http *h, enum receive_kind kind)
{
    const char *type = http_header(h, "Content-Type");
    return kind == RECEIVE_INGEST && type && !strncasecmp(type, "multipart/form-data", strlen("multipart/form-data"));
}

int receive_begin(struct http *h, enum receive_kind kind)
{
    struct receive *r = h->receive = calloc(1, sizeof *r);
    if (!r || kind != RECEIVE_MESSAGE)
        counters_received(&h->server->counters, protocol_of(h, kind));
    if (!r) {
        counters_ended(&h->server->counters, REFUSED_MEMORY, 0);
        http_later(h, HTTP_SERVICE_UNAVAILABLE, "out of memory");
        return -ENOMEM;
    }
    r->kind = kind;
    r->writer.fd = -1;
    r->note.received_ns = (int64_t)clock_realtime_ns();
    ingest_parts_init(&r->parts);
    if (kind == RECEIVE_MESSAGE && push_begin(h)) {
        end(h, REFUSED_FORMAT, 0);
        return -EINVAL;
    }
    int rc = check_wait(h, r);
    rc = rc ? rc : read_head(h, r);
    if (!rc && is_form(h, kind))
        rc = begin_form(h, r, http_header(h, "Content-Type"));
    if (rc == -EINVAL) {
        end(h, REFUSED_LABELS, 0);
        http_error(h, HTTP_BAD_REQUEST, "%s", r->error.text);
        return rc;
    }
    if (!rc && has_labels(kind))
        rc = arrival_allow(h->server, &h->token, &r->note.labels, &r->error); /* again when it is stored; but why receive it */
    rc = rc ? rc : check_length(h, r);
    rc = rc ? rc : take_bytes(h, r, h->head.length);
    rc = rc ? rc : arrival_begin(h->server, &r->writer, &r->error);
    if (!rc && gnutls_hash_init(&r->digest, GNUTLS_DIG_SHA256))
        rc = -ENOMEM;
    if (rc)
        refuse(h, rc, r->error.text);
    return rc;
}

/* ---- the body ---- */

void receive_some(struct http *h, const char *bytes, size_t n)
{
    struct receive *r = h->receive;
    r->came += n;
    if (!r->rc && r->came > r->charge.bytes) /* the head has not said how many bytes come */
        r->rc = take_bytes(h, r, n);
    if (!r->form)
        put(h, bytes, n);
    else if (!form_feed(r->form, bytes, n) && !r->rc)
        r->rc = error_set(&r->error, -EINVAL, "its multipart body is malformed");
}

static void answer(struct http *h, const struct store_added *added, const char *left_out)
{
    struct http_writer w;
    if (http_write_begin(h, &w))
        return;
    bool pending = !h->server->store; /* another server will keep it */
    jsonw_object(&w.json);
    if (!pending)
        jsonw_member_uint(&w.json, "id", added->id);
    jsonw_key(&w.json, "duplicate");
    jsonw_bool(&w.json, added->duplicate);
    if (pending) {
        jsonw_key(&w.json, "pending");
        jsonw_bool(&w.json, true);
    }
    if (*left_out)
        jsonw_member_text(&w.json, "left_out", left_out);
    jsonw_object_end(&w.json);
    http_write_end(h, &w, HTTP_OK, "application/json");
}

/* Uses the other fields of the form. Returns 0 or a code. */
static int end_form(struct receive *r)
{
    if (!form_is_complete(r->form))
        return error_set(&r->error, -EINVAL, "its multipart body has no end");
    if (!r->writer.size)
        return error_set(&r->error, -EINVAL, "its multipart body has no field jfr or profile");
    return ingest_use(&r->parts, &r->note, &r->error);
}

/* Maps the body from the file to which it was written, because it may be large. Returns NULL if it is empty, and MAP_FAILED. */
static char *map_body(const struct receive *r)
{
    return r->writer.size ? mmap(NULL, ENVELOPE_HEAD + r->writer.size, PROT_READ, MAP_PRIVATE, r->writer.fd, 0) : NULL;
}

static void unmap_body(const struct receive *r, char *map)
{
    if (map)
        munmap(map, ENVELOPE_HEAD + r->writer.size);
}

static int store_forwarded(struct http *h, struct receive *r, struct store_added *added)
{
    char *map = map_body(r);
    if (map == MAP_FAILED)
        return error_set(&r->error, -ENOMEM, "out of memory");
    const struct arrival_file file = {map ? map + ENVELOPE_HEAD : "", r->writer.size, "the forwarded recording", .forwarded = true};
    int rc = arrival_store_file(h->server, &h->token, &file, added, &r->error);
    unmap_body(r, map);
    return rc;
}

static int store_sent(struct http *h, struct receive *r, struct store_added *added)
{
    int rc = r->form ? end_form(r) : 0;
    return rc ? rc : arrival_store(h->server, &h->token, &r->writer, &r->note, r->digest, added, &r->error);
}

static void end_recording(struct http *h, struct receive *r)
{
    uint64_t size = r->writer.size;
    struct store_added added = {0};
    int rc = r->kind == RECEIVE_FORWARDED ? store_forwarded(h, r, &added) : store_sent(h, r, &added);
    if (rc) {
        refuse(h, rc, r->error.text);
        return;
    }
    char left_out[2 * STORE_LEFT_OUT];
    bool both = *added.left_out && *r->parts.left_out;
    snprintf(left_out, sizeof left_out, "%s%s%s", added.left_out, both ? "; " : "", r->parts.left_out);
    if (*left_out)
        counters_left_out(&h->server->counters);
    end(h, added.duplicate ? DUPLICATE : STORED, size);
    answer(h, &added, left_out);
}

/* Handles a complete message. */
static void end_message(struct http *h, struct receive *r)
{
    char *map = map_body(r);
    if (map == MAP_FAILED) {
        refuse(h, -ENOMEM, "out of memory");
        return;
    }
    r->counted = true; /* from here on, the recordings in it are counted separately */
    push_answer(h, map ? map + ENVELOPE_HEAD : "", r->writer.size);
    unmap_body(r, map);
}

void receive_end(struct http *h)
{
    struct receive *r = h->receive;
    r->rc = r->rc ? r->rc : check_wait(h, r);
    if (r->rc)
        refuse(h, r->rc, r->error.text);
    else if (r->kind == RECEIVE_MESSAGE)
        end_message(h, r);
    else
        end_recording(h, r);
}

void receive_free(struct http *h)
{
    struct receive *r = h->receive;
    if (!r)
        return;
    end(h, h->slow ? REFUSED_SLOW : REFUSED_CUT_OFF, 0);
    quotas_end_bytes(h->server->quotas, h->token.name, &r->charge, r->came);
    free(r->form);
    if (r->digest)
        gnutls_hash_deinit(r->digest, NULL);
    envelope_abandon(&r->writer);
    envelope_note_deinit(&r->note);
    ingest_parts_deinit(&r->parts);
    free(r);
    h->receive = NULL;
}
