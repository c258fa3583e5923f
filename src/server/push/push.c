#include "server/push/push.h"

#include "base/text/units.h"
#include "compress/intake.h"
#include "server/connect/connect.h"
#include "server/connect/wire.h"
#include "server/push/fields.h"
#include "server/push/otlp.h"
#include "server/push/series.h"
#include "server/request/arrival.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct api {
    const char *path, *media; /* media: the media type of protocol buffers */
    enum protocol protocol;
    const struct json_pb_field *fields;
    int (*take)(struct parts *p, const void *bytes, size_t n, struct error *e);
} apis[] = {
    {"/push.v1.PusherService/Push", "application/proto", BY_PUSH, fields_push, series_take},
    {"/v1development/profiles", "application/x-protobuf", BY_OTLP, fields_otlp, otlp_take},
    {"/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export", "application/proto", BY_OTLP, fields_otlp, otlp_take},
};

static const char json_media[] = "application/json";

static const struct api *api_of(const char *path)
{
    for (size_t i = 0; i < sizeof apis / sizeof *apis; i++)
        if (!strcmp(apis[i].path, path))
            return &apis[i];
    return NULL;
}

enum protocol push_protocol(const char *path)
{
    const struct api *api = api_of(path);
    return api ? api->protocol : PROTOCOLS;
}

/* ---- the encoding ---- */

static bool is_media(const char *type, const char *media)
{
    size_t n = strcspn(type, ";");
    while (n && type[n - 1] == ' ')
        n--;
    return n == strlen(media) && !strncasecmp(type, media, n);
}

static bool is_json(const struct http *h)
{
    const char *type = http_header(h, "Content-Type");
    return type && is_media(type, json_media);
}

int push_begin(struct http *h)
{
    const struct api *api = api_of(h->path);
    const char *type = http_header(h, "Content-Type"), *version = http_header(h, "Connect-Protocol-Version");
    if (api->protocol == BY_PUSH && version && strcmp(version, "1")) {
        connect_error(h, "invalid_argument", "Connect-Protocol-Version must be 1");
        return -1;
    }
    if (type && (is_media(type, api->media) || is_media(type, json_media)))
        return 0;
    char accepted[64];
    snprintf(accepted, sizeof accepted, "%s, %s", api->media, json_media);
    http_add_text(h, "Accept-Post", accepted);
    http_error(h, HTTP_UNSUPPORTED_MEDIA_TYPE, "Content-Type must be one of %s", accepted);
    return -1;
}

/* ---- errors ---- */

/* Returns Connect's code for an error. Clients try again after `unavailable` and `resource_exhausted`, but not after `invalid_argument`. */
static const char *code_of(int rc)
{
    if (rc == -EKEYREJECTED)
        return "permission_denied";
    if (rc == -EBUSY || quotas_refused(rc))
        return "resource_exhausted";
    return !arrival_may_retry(rc) ? "invalid_argument" : rc == -EBADMSG ? "internal" : "unavailable";
}

/* Answers with an error in OTLP's form, a google.rpc.Status: the code as a number, and a message. */
static void otlp_error(struct http *h, int rc, const char *text)
{
    enum { INVALID_ARGUMENT = 3, PERMISSION_DENIED = 7, UNAVAILABLE = 14 };
    struct http_writer w;
    bool later = arrival_may_retry(rc), json = is_json(h);
    int code = later ? UNAVAILABLE : rc == -EKEYREJECTED ? PERMISSION_DENIED : INVALID_ARGUMENT;
    http_note_problem(h, text);
    if (http_write_begin(h, &w))
        return;
    if (json) {
        jsonw_object(&w.json);
        jsonw_member_uint(&w.json, "code", (uint64_t)code);
        jsonw_member_text(&w.json, "message", text);
        jsonw_object_end(&w.json);
    } else {
        struct wire wire;
        wire_init(&wire, false, w.out);
        wire_int(&wire, 1, "code", code);
        wire_text(&wire, 2, "message", text);
        wire_end(&wire, w.out);
    }
    if (later)
        http_add_retry(h, quotas_refused(rc) ? quotas_retry_s(rc) : HTTP_LATER_S);
    bool too_many = rc == -EBUSY || quotas_refused(rc);
    unsigned status = rc == -EFBIG ? HTTP_CONTENT_TOO_LARGE : too_many ? HTTP_TOO_MANY_REQUESTS : HTTP_SERVICE_UNAVAILABLE;
    unsigned final = rc == -EKEYREJECTED ? HTTP_FORBIDDEN : HTTP_BAD_REQUEST;
    http_write_end(h, &w, later || rc == -EFBIG ? status : final, json ? json_media : api_of(h->path)->media);
}

void push_refuse(struct http *h, int rc, const char *text)
{
    bool connect = push_protocol(h->path) == BY_PUSH;
    if (connect && (rc == -EBUSY || quotas_refused(rc)))
        http_add_retry(h, quotas_refused(rc) ? quotas_retry_s(rc) : HTTP_LATER_S);
    if (connect)
        connect_error(h, code_of(rc), text);
    else
        otlp_error(h, rc, text);
}

/* ---- the answer ---- */

/* Answers a message of which at least a part was stored. If some of OTLP's profiles were refused, the answer has their number and the
 * reason. If all were refused, end() answers with an error instead. */
static void answer(struct http *h, const struct parts *p)
{
    struct http_writer w;
    struct wire wire;
    bool json = is_json(h);
    if (*p->left_out)
        http_add_text(h, "X-Candor-Left-Out", p->left_out);
    if (http_write_begin(h, &w))
        return;
    wire_init(&wire, json, w.out);
    if (p->refused) {
        wire_message(&wire, 1, "partialSuccess");
        wire_int(&wire, 1, "rejectedProfiles", p->rejected);
        wire_text(&wire, 2, "errorMessage", p->error.text);
        wire_message_end(&wire, 1);
    }
    wire_end(&wire, w.out);
    http_write_end(h, &w, HTTP_OK, json ? json_media : api_of(h->path)->media);
}

/* Answers the message. If a client sends the message again, the store recognizes the recordings by their content, so an error for the whole
 * message is harmless. */
static void end(struct http *h, const struct parts *p)
{
    char text[700];
    bool partial = p->refused < p->count && push_protocol(h->path) == BY_OTLP && !arrival_may_retry(p->code);
    if (!p->refused || partial) {
        answer(h, p);
        return;
    }
    if (*p->left_out)
        http_add_text(h, "X-Candor-Left-Out", p->left_out);
    snprintf(text, sizeof text, "%" PRIu32 " of %" PRIu32 " profiles refused: %s", p->refused, p->count, p->error.text);
    push_refuse(h, p->code, text);
}

/* ---- the message ---- */

struct message {
    struct intake in; /* the received bytes, unpacked */
    bool opened;
    struct buffer converted; /* converted from JSON */
    const void *bytes;
    size_t n;
};

static int open_message(struct http *h, const char *bytes, size_t n, struct message *m, struct error *e)
{
    int rc = 0;
    m->in = (struct intake){.bytes = (const uint8_t *)bytes, .size = n};
    if (h->head.packed) {
        rc = intake_open_memory(&m->in, bytes, n, "the message", e);
        m->opened = !rc;
    }
    if (m->opened && !m->in.codec)
        rc = error_set(e, -EINVAL, "the message is not packed, but Content-Encoding says so");
    else if (!rc && *m->in.damage)
        rc = error_set(e, -EINVAL, "the message: %s", m->in.damage);
    m->bytes = m->in.bytes;
    m->n = m->in.size;
    if (rc || !is_json(h))
        return rc;
    rc = json_pb_write(&m->converted, api_of(h->path)->fields, (const char *)m->in.bytes, m->in.size, e);
    m->bytes = m->converted.data;
    m->n = m->converted.len;
    return rc;
}

void push_answer(struct http *h, const char *bytes, size_t n)
{
    const struct api *api = api_of(h->path);
    struct parts p = {.server = h->server, .token = &h->token, .protocol = api->protocol, .received_ns = (int64_t)clock_realtime_ns()};
    struct message m = {0};
    struct error e = {""};
    buffer_init(&m.converted, 2 * JSON_PB_MAX);
    int rc = arrival_turn(h->server, &h->token, n, &e); /* a message may take as much memory as a recording that is read */
    if (!rc) {
        rc = open_message(h, bytes, n, &m, &e);
        arrival_turn_end(h->server, &h->token, n);
    }
    rc = rc ? rc : api->take(&p, m.bytes, m.n, &e);
    if (m.opened)
        intake_close(&m.in);
    buffer_deinit(&m.converted);
    if (rc) {
        parts_refuse(&p, rc, &e);
        push_refuse(h, rc, e.text);
    } else {
        end(h, &p);
    }
}
