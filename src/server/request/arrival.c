#include "server/request/arrival.h"

#include "base/buffer.h"
#include "base/map.h"
#include "base/text/pattern.h"
#include "base/text/hex.h"
#include "server/forward/forward.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    READER_PATIENCE_S = 10,
    SMALL = 256 << 10, /* bytes: a recording of at most this size takes little memory, so as many are read as there are threads. They wait
                        * for the disk together */
};

static uint64_t owner_of(const struct token *by)
{
    return hash_bytes(by->name, strlen(by->name));
}

int arrival_turn(struct server *s, const struct token *by, uint64_t bytes, struct error *e)
{
    bool taken = bytes <= SMALL || turns_take(&s->readers, owner_of(by), READER_PATIENCE_S, &s->stop.asked);
    return taken ? 0 : error_set(e, -EBUSY, "too many recordings at once");
}

void arrival_turn_end(struct server *s, const struct token *by, uint64_t bytes)
{
    if (bytes > SMALL)
        turns_give(&s->readers, owner_of(by));
}

/* Computes the recording's identity: the digest of its content, its labels and its times. So the same stacks at another time are another
 * recording. Returns 0 or -ENOMEM. */
static int identify(gnutls_hash_hd_t content, const struct envelope_note *note, uint8_t identity[ENVELOPE_IDENTITY])
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

bool arrival_has_room(const struct server *s, const struct labels *labels, size_t name_len, size_t value_len)
{
    return labels->count < s->limits.labels && name_len <= s->limits.label_name && value_len <= s->limits.label_value;
}

/* Checks labels that are not left out one by one. The messages have the words of Pyroscope's. */
static int check_labels(const struct server *s, const struct labels *labels, struct error *e)
{
    if (labels->count > s->limits.labels)
        return error_set(e, -E2BIG,
                         "too many labels (max_label_names_per_series, actual: %" PRIu32 ", limit: %" PRIuFAST64
                         "); raise it with --max-labels",
                         labels->count, s->limits.labels);
    for (uint32_t i = 0; i < labels->count; i++) {
        size_t name = strlen(labels->list[i].name), value = strlen(labels->list[i].value);
        if (name > s->limits.label_name)
            return error_set(e, -E2BIG,
                             "a label's name is too long (max_length_label_name, actual: %zu, limit: %" PRIuFAST64
                             "); raise it with --max-label-name",
                             name, s->limits.label_name);
        if (value > s->limits.label_value)
            return error_set(e, -E2BIG,
                             "the value of the label %.60s is too long (max_length_label_value, actual: %zu, limit: %" PRIuFAST64
                             "); raise it with --max-label-value",
                             labels->list[i].name, value, s->limits.label_value);
    }
    return 0;
}

int arrival_allow(struct server *s, const struct token *by, const struct labels *labels, struct error *e)
{
    const char *service = labels_get(labels, "service");
    if (!pattern_matches(by->services, service))
        return error_set(e, -EKEYREJECTED, "this token may not write the service '%.60s', but %.100s only", service, by->services);
    int rc = check_labels(s, labels, e);
    if (rc)
        return rc;
    return *by->name ? quotas_take_labels(s->quotas, by->name, &by->limits, labels, e) : 0;
}

/* Gives each service separate keys, if the token is limited to some services: otherwise a client that knows a key of another service
 * could make the server take a recording of that service for a duplicate. */
static int bind_key(struct envelope_note *note)
{
    char text[ENVELOPE_KEY_MAX + LABEL_VALUE_MAX + 2];
    uint8_t digest[ENVELOPE_IDENTITY];
    int n = snprintf(text, sizeof text, "%s %s", note->key, labels_get(&note->labels, "service"));
    if (!*note->key)
        return 0;
    if (gnutls_hash_fast(GNUTLS_DIG_SHA256, text, (size_t)n, digest))
        return -ENOMEM;
    hex_put(note->key, digest, sizeof digest);
    return 0;
}

int arrival_begin(struct server *s, struct envelope_writer *w, struct error *e)
{
    return s->store ? store_begin(s->store, w, e) : forward_begin(s->forward, w, e);
}

/* Sends a recording on that was acknowledged or stored earlier, and is not in the file of this name: it is an object by now, or it was
 * recognized by its key. */
static int forward_again(struct server *s, uint64_t id, struct error *e)
{
    struct envelope_writer w = {.fd = -1};
    struct envelope v;
    int rc = store_recording(s->store, id, &v, e);
    if (rc)
        return rc == -ENOENT ? 0 : rc; /* only its samples are left */
    rc = store_begin(s->store, &w, e);
    rc = rc ? rc : envelope_put(&w, v.body, v.size, e);
    rc = rc ? rc : envelope_end(&w, &v.note, v.identity, e);
    rc = rc ? rc : forward_add(s->forward, w.path, v.identity, e);
    envelope_abandon(&w);
    envelope_close(&v);
    return rc;
}

/* Adds a recording to the store, and puts it where it waits for other servers (--forward). A server that keeps recordings sends on only
 * those of clients: otherwise two servers that name each other would never end. */
static int add(struct server *s, struct envelope_writer *w, const struct envelope_note *note, const uint8_t identity[ENVELOPE_IDENTITY],
               struct store_added *added, struct error *e)
{
    char file[DISK_PATH_MAX];
    if (!s->store)
        return forward_take(s->forward, w, note, identity, added, e);
    bool forwards = s->forward && !note->forwarded;
    int rc = forwards ? forward_check_room(s->forward, e) : 0;
    rc = rc ? rc : store_add(s->store, w, note, identity, added, e);
    if (!rc && !added->duplicate)
        counters_stored(&s->counters, added->id);
    if (rc || !forwards)
        return rc;
    rc = forward_add(s->forward, store_recording_file(s->store, identity, file), identity, e);
    return rc == -ENOENT && added->duplicate ? forward_again(s, added->id, e) : rc;
}

int arrival_store(struct server *s, const struct token *by, struct envelope_writer *w, struct envelope_note *note, gnutls_hash_hd_t content,
                  struct store_added *added, struct error *e)
{
    uint8_t identity[ENVELOPE_IDENTITY];
    uint64_t bytes = w->size;
    int rc = arrival_allow(s, by, &note->labels, e);
    if (!rc && (identify(content, note, identity) || (token_is_bound(by) && bind_key(note))))
        rc = error_set(e, -ENOMEM, "out of memory");
    rc = rc ? rc : arrival_turn(s, by, bytes, e);
    if (!rc) {
        rc = add(s, w, note, identity, added, e);
        arrival_turn_end(s, by, bytes);
    }
    return rc;
}

int arrival_store_bytes(struct server *s, const struct token *by, struct envelope_note *note, const void *bytes, size_t n,
                        struct store_added *added, struct error *e)
{
    struct envelope_writer w = {.fd = -1};
    gnutls_hash_hd_t digest;
    if (gnutls_hash_init(&digest, GNUTLS_DIG_SHA256))
        return error_set(e, -ENOMEM, "out of memory");
    gnutls_hash(digest, bytes, n);
    int rc = arrival_begin(s, &w, e);
    rc = rc ? rc : envelope_put(&w, bytes, n, e);
    rc = rc ? rc : arrival_store(s, by, &w, note, digest, added, e);
    gnutls_hash_deinit(digest, NULL);
    envelope_abandon(&w);
    return rc;
}

int arrival_store_file(struct server *s, const struct token *by, const struct arrival_file *file, struct store_added *added,
                       struct error *e)
{
    struct envelope v;
    int rc = envelope_read(&v, file->bytes, file->size, file->name, e);
    if (rc)
        return rc == -EBADMSG ? -EINVAL : rc;
    v.note.elsewhere = true;
    v.note.forwarded = file->forwarded;
    if (v.size > s->limits.max_body)
        rc = error_set(e, -EFBIG, "more than --max-body, %llu bytes", (unsigned long long)s->limits.max_body);
    else if (!*labels_get(&v.note.labels, "service"))
        rc = error_set(e, -EINVAL, "%s: the label service is missing", file->name);
    rc = rc ? rc : arrival_store_bytes(s, by, &v.note, v.body, v.size, added, e);
    envelope_close(&v);
    return rc;
}

void arrival_limit_profile(const struct server *s, struct envelope_note *note)
{
    note->most.bytes = s->limits.profile_bytes;
    note->most.samples = s->limits.profile_samples;
    note->most.text = (uint32_t)s->limits.symbol_bytes;
    note->most.frames = (uint32_t)s->limits.stack_frames;
}

enum refusal arrival_refusal(int rc)
{
    if (quotas_refused(rc))
        return REFUSED_LIMIT;
    switch (rc) {
    case -EKEYREJECTED:
        return REFUSED_NOT_ALLOWED;
    case -EINVAL:
        return REFUSED_CONTENT;
    case -E2BIG:
        return REFUSED_LABELS;
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
    return rc != -EKEYREJECTED && rc != -EINVAL && rc != -E2BIG && rc != -EPROTONOSUPPORT && rc != -ERANGE && rc != -EFBIG;
}
