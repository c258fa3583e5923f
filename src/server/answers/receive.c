#include "server/answers/receive.h"

#include "base/text/units.h"
#include "format/read/formats.h"
#include "server/answers/ingest.h"
#include "server/request/form.h"
#include "server/request/times.h"

#include <errno.h>
#include <gnutls/crypto.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum { READER_PATIENCE_S = 10 };
#define FORM_MAX ((uint64_t)1 << 16) /* what is around the parts */

struct receive {
    struct envelope_writer writer;
    struct envelope_note note;
    gnutls_hash_hd_t digest;
    struct form *form; /* NULL: the body is the recording */
    int rc;            /* a code: what was wrong on the way */
    struct error error;
    bool counted; /* its end is */
};

/* ---- how it ends ---- */

static void end(struct http *h, enum refusal how, uint64_t bytes)
{
    if (!h->receive->counted)
        counters_ended(&h->server->counters, how, bytes);
    h->receive->counted = true;
}

static void refuse(struct http *h, int rc, const char *text)
{
    switch (rc) {
    case -EINVAL:
        end(h, REFUSED_CONTENT, 0);
        http_error(h, HTTP_BAD_REQUEST, "%s", text);
        break;
    case -EPROTONOSUPPORT:
        end(h, REFUSED_FORMAT, 0);
        http_error(h, HTTP_UNSUPPORTED_MEDIA_TYPE, "%s", text);
        break;
    case -ERANGE:
        end(h, REFUSED_TIME, 0);
        http_error(h, HTTP_BAD_REQUEST, "%s", text);
        break;
    case -EFBIG:
        end(h, REFUSED_TOO_LARGE, 0);
        http_error(h, HTTP_CONTENT_TOO_LARGE, "%s", text);
        break;
    case -ENOMEM:
        end(h, REFUSED_MEMORY, 0);
        http_later(h, HTTP_SERVICE_UNAVAILABLE, "out of memory");
        break;
    case -EBUSY:
        end(h, REFUSED_BUSY, 0);
        http_later(h, HTTP_TOO_MANY_REQUESTS, text);
        break;
    case -EBADMSG:
        end(h, REFUSED_INTERNAL, 0);
        http_error(h, HTTP_INTERNAL_SERVER_ERROR, "%s", text);
        break;
    default: /* full, read-only, broken: the disk's matter */
        end(h, REFUSED_DISK, 0);
        http_later(h, HTTP_SERVICE_UNAVAILABLE, text);
    }
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
        return error_set(&r->error, -EINVAL,
                         "'%.40s' is not a time; write seconds since the epoch, or 2026-11-22T16:41:00Z", text);
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

/* X-Candor-Label: name=value */
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
            return error_set(&r->error, -EINVAL, "Idempotency-Key is not of visible ASCII characters");
    snprintf(r->note.key, sizeof r->note.key, "%s", key ? key : "");
    return 0;
}

static int read_head(struct http *h, struct receive *r, bool ingest)
{
    if (ingest)
        return ingest_read(h, &r->note, &r->error);
    int rc = 0;
    for (uint32_t i = 0; !rc && i < h->head.parameter_count; i++)
        rc = take_parameter(r, &h->head.parameters[i]);
    for (uint32_t i = 0; !rc && i < h->head.header_count; i++)
        rc = take_header(r, &h->head.headers[i]);
    if (!rc && !*labels_get(&r->note.labels, "service"))
        rc = error_set(&r->error, -EINVAL, "the label service is missing: POST /v1/recordings?service=NAME");
    return rc ? rc : take_key(h, r);
}

static int check_length(struct http *h, struct receive *r)
{
    if (h->head.length > h->server->options->max_body + (r->form ? FORM_MAX : 0))
        return error_set(&r->error, -EFBIG, "more than --max-body, %" PRIu64 " bytes", h->server->options->max_body);
    return 0;
}

static void put(struct http *h, const char *bytes, size_t n)
{
    struct receive *r = h->receive;
    if (!r->rc && r->writer.size + n > h->server->options->max_body)
        r->rc = error_set(&r->error, -EFBIG, "more than --max-body, %" PRIu64 " bytes", h->server->options->max_body);
    if (!r->rc)
        r->rc = envelope_put(&r->writer, bytes, n, &r->error);
    if (!r->rc)
        gnutls_hash(r->digest, bytes, n);
}

static void take_field(void *context, const char *name, const char *bytes, size_t n)
{
    if (!strcmp(name, "jfr") || !strcmp(name, "profile"))
        put(context, bytes, n);
}

/* The body is a form: 0, or a code. */
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

int receive_begin(struct http *h, bool ingest)
{
    struct receive *r = h->receive = calloc(1, sizeof *r);
    counters_received(&h->server->counters);
    if (!r) {
        counters_ended(&h->server->counters, REFUSED_MEMORY, 0);
        http_later(h, HTTP_SERVICE_UNAVAILABLE, "out of memory");
        return -ENOMEM;
    }
    r->writer.fd = -1;
    r->note.received_ns = (int64_t)clock_realtime_ns();
    const char *type = http_header(h, "Content-Type");
    bool form = ingest && type && !strncasecmp(type, "multipart/form-data", strlen("multipart/form-data"));
    int rc = read_head(h, r, ingest);
    if (!rc && form)
        rc = begin_form(h, r, type);
    if (rc == -EINVAL) {
        end(h, REFUSED_LABELS, 0);
        http_error(h, HTTP_BAD_REQUEST, "%s", r->error.text);
        return rc;
    }
    rc = rc ? rc : check_length(h, r);
    rc = rc ? rc : store_begin(h->server->store, &r->writer, &r->error);
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
    if (!r->form)
        put(h, bytes, n);
    else if (!form_feed(r->form, bytes, n) && !r->rc)
        r->rc = error_set(&r->error, -EINVAL, "its multipart body is malformed");
}

/* The digest of the content and of what was said of it: the same stacks of another time are another recording. */
static int identify(struct receive *r, uint8_t identity[ENVELOPE_IDENTITY])
{
    uint8_t both[2 * ENVELOPE_IDENTITY];
    struct buffer labels;
    gnutls_hash_output(r->digest, both);
    buffer_init(&labels, 1 << 20);
    int rc = labels_write(&r->note.labels, &labels);
    buffer_printf(&labels, " %" PRId64 " %" PRId64, r->note.from_ns, r->note.until_ns);
    if (!rc && !labels.failed &&
        (gnutls_hash_fast(GNUTLS_DIG_SHA256, labels.data, labels.len, both + ENVELOPE_IDENTITY) ||
         gnutls_hash_fast(GNUTLS_DIG_SHA256, both, sizeof both, identity)))
        rc = -ENOMEM;
    rc = rc || !labels.failed ? rc : -ENOMEM;
    buffer_deinit(&labels);
    return rc;
}

static int take_turn(struct server *s, struct error *e)
{
    for (int waited = 0; waited < READER_PATIENCE_S; waited++) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        if (!sem_timedwait(&s->readers, &until))
            return 0;
        if (s->stop.asked)
            break;
    }
    return error_set(e, -EBUSY, "too many recordings at once");
}

static void answer(struct http *h, uint64_t id, bool duplicate)
{
    struct http_writer w;
    if (http_write_begin(h, &w))
        return;
    jsonw_object(&w.json);
    jsonw_member_uint(&w.json, "id", id);
    jsonw_key(&w.json, "duplicate");
    jsonw_bool(&w.json, duplicate);
    jsonw_object_end(&w.json);
    http_write_end(h, &w, HTTP_OK, "application/json");
}

void receive_end(struct http *h)
{
    struct receive *r = h->receive;
    uint8_t identity[ENVELOPE_IDENTITY];
    uint64_t id = 0, size = r->writer.size;
    bool duplicate = false;
    int rc = r->rc;
    if (!rc && r->form && !form_is_complete(r->form))
        rc = error_set(&r->error, -EINVAL, "its multipart body has no end");
    if (!rc && r->form && !size)
        rc = error_set(&r->error, -EINVAL, "its multipart body has no field jfr or profile");
    rc = rc ? rc : identify(r, identity);
    rc = rc ? rc : take_turn(h->server, &r->error);
    if (!rc) {
        rc = store_add(h->server->store, &r->writer, &r->note, identity, &id, &duplicate, &r->error);
        sem_post(&h->server->readers);
    }
    if (rc) {
        refuse(h, rc, r->error.text);
        return;
    }
    end(h, duplicate ? DUPLICATE : STORED, size);
    answer(h, id, duplicate);
}

void receive_free(struct http *h)
{
    struct receive *r = h->receive;
    if (!r)
        return;
    end(h, h->slow ? REFUSED_SLOW : REFUSED_CUT_OFF, 0);
    free(r->form);
    if (r->digest)
        gnutls_hash_deinit(r->digest, NULL);
    envelope_abandon(&r->writer);
    labels_deinit(&r->note.labels);
    free(r);
    h->receive = NULL;
}
