#include "server/answers/forwarded.h"

#include "server/request/arrival.h"

#include <errno.h>

int forwarded_store(struct server *s, const struct token *by, const void *bytes, uint64_t n, struct store_added *added, struct error *e)
{
    struct envelope v;
    int rc = envelope_read(&v, bytes, n, "the forwarded recording", e);
    if (rc)
        return rc == -EBADMSG ? -EINVAL : rc;
    v.note.forwarded = true;
    if (v.size > s->limits.max_body)
        rc = error_set(e, -EFBIG, "more than --max-body, %llu bytes", (unsigned long long)s->limits.max_body);
    else if (!*labels_get(&v.note.labels, "service"))
        rc = error_set(e, -EINVAL, "the forwarded recording: the label service is missing");
    rc = rc ? rc : arrival_store_bytes(s, by, &v.note, v.body, v.size, added, e);
    envelope_close(&v);
    return rc;
}
