#include "server/request/arrival.h"

#include "base/buffer.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

enum { READER_PATIENCE_S = 10 };

int arrival_turn(struct server *s, struct error *e)
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

void arrival_turn_end(struct server *s)
{
    sem_post(&s->readers);
}

int arrival_identity(gnutls_hash_hd_t content, const struct envelope_note *note, uint8_t identity[ENVELOPE_IDENTITY])
{
    uint8_t both[2 * ENVELOPE_IDENTITY];
    struct buffer labels;
    gnutls_hash_output(content, both);
    buffer_init(&labels, 1 << 20);
    int rc = labels_write(&note->labels, &labels);
    buffer_printf(&labels, " %" PRId64 " %" PRId64, note->from_ns, note->until_ns);
    if (note->values.count || *note->family) { /* the same numbers under other names */
        buffer_printf(&labels, " %s ", note->family);
        rc = rc ? rc : labels_write(&note->values, &labels);
    }
    if (!rc && !labels.failed &&
        (gnutls_hash_fast(GNUTLS_DIG_SHA256, labels.data, labels.len, both + ENVELOPE_IDENTITY) ||
         gnutls_hash_fast(GNUTLS_DIG_SHA256, both, sizeof both, identity)))
        rc = -ENOMEM;
    rc = rc || !labels.failed ? rc : -ENOMEM;
    buffer_deinit(&labels);
    return rc;
}

enum refusal arrival_refusal(int rc)
{
    switch (rc) {
    case -EINVAL:
        return REFUSED_CONTENT;
    case -EPROTONOSUPPORT:
        return REFUSED_FORMAT;
    case -ERANGE:
        return REFUSED_TIME;
    case -EFBIG:
        return REFUSED_TOO_LARGE;
    case -ENOMEM:
        return REFUSED_MEMORY;
    case -EBUSY:
        return REFUSED_BUSY;
    case -EBADMSG:
        return REFUSED_INTERNAL;
    default: /* the disk is full, read-only or broken */
        return REFUSED_DISK;
    }
}

bool arrival_may_retry(int rc)
{
    return rc != -EINVAL && rc != -EPROTONOSUPPORT && rc != -ERANGE && rc != -EFBIG;
}
