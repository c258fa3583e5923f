#include "server/push/parts.h"

#include "server/request/arrival.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- results ---- */

void parts_refuse(struct parts *p, int rc, const struct error *e)
{
    p->count++;
    p->refused++;
    counters_received(&p->server->counters, p->protocol);
    counters_ended(&p->server->counters, arrival_refusal(rc), 0);
    if (p->code && (arrival_may_retry(p->code) || !arrival_may_retry(rc)))
        return;
    p->code = rc;
    p->error = *e;
}

void parts_leave_out(struct parts *p, const char *text)
{
    size_t used = strlen(p->left_out), n = strlen(text);
    if (n && !strstr(p->left_out, text) && used + n + 3 < sizeof p->left_out)
        snprintf(p->left_out + used, sizeof p->left_out - used, "%s%s", used ? "; " : "", text);
}

/* ---- one recording ---- */

static int store(struct parts *p, struct envelope_note *note, const void *bytes, size_t n, struct store_added *added, struct error *e)
{
    int rc = arrival_allow(p->server, p->token, &note->labels, e);
    if (rc)
        return rc;
    if (!n)
        return error_set(e, -EINVAL, "a profile is empty");
    if (n > p->server->limits.max_body)
        return error_set(e, -EFBIG, "a profile is larger than --max-body, %llu bytes", (unsigned long long)p->server->limits.max_body);
    /* each recording has its own turn, so that others come between those of a large message */
    return arrival_store_bytes(p->server, p->token, note, bytes, n, added, e);
}

void parts_take(struct parts *p, struct envelope_note *note, const void *bytes, size_t n)
{
    struct store_added added = {0};
    struct error e = {""};
    int rc = p->count < PARTS_MAX ? 0 : error_set(&e, -EFBIG, "more than %d profiles in one message", PARTS_MAX);
    note->received_ns = p->received_ns;
    arrival_limit_profile(p->server, note);
    if (!rc && p->code == -EBUSY) { /* the client will send the message again, so the rest need not wait as long as the one before */
        rc = p->code;
        e = p->error;
    }
    rc = rc ? rc : store(p, note, bytes, n, &added, &e);
    if (rc) {
        parts_refuse(p, rc, &e);
        return;
    }
    p->count++;
    counters_received(&p->server->counters, p->protocol);
    counters_ended(&p->server->counters, added.duplicate ? DUPLICATE : STORED, n);
    if (*added.left_out)
        counters_left_out(&p->server->counters);
    parts_leave_out(p, added.left_out);
}

/* ---- labels ---- */

enum { SAID = 100 }; /* bytes of a name in messages */

int parts_label(struct parts *p, struct labels *labels, const char *name, size_t name_len, const char *value, size_t value_len)
{
    char clean[LABEL_NAME_MAX + 1], text[sizeof "label " + SAID];
    struct error e;
    size_t n = name_len < LABEL_NAME_MAX ? name_len : LABEL_NAME_MAX;
    if (!n || !value_len)
        return 0;
    for (size_t i = 0; i < n; i++)
        clean[i] = isalnum((unsigned char)name[i]) || (name[i] && strchr("_.-", name[i])) ? name[i] : '_';
    if (!isalpha((unsigned char)*clean))
        *clean = '_';
    clean[n] = 0;
    bool refused = *labels_get(labels, clean) || !arrival_has_room(p->server, labels, name_len, value_len);
    int rc = refused ? -EINVAL : labels_set(labels, clean, n, value, value_len, &e);
    if (rc == -EINVAL) {
        snprintf(text, sizeof text, "label %.*s", SAID, clean);
        parts_leave_out(p, text);
    }
    return rc == -ENOMEM ? rc : 0;
}
