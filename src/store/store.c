#include "store/reread.h"

#include "base/text/number.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "store/files/private.h"
#include "base/text/hex.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { WAIT_LONG_S = 60 };

char *store_path(const struct store *s, char *out, const char *name)
{
    snprintf(out, DISK_PATH_MAX, "%s/%s", s->path, name);
    return out;
}

char *store_recording_path(const struct store *s, char *out, const uint8_t identity[ENVELOPE_IDENTITY])
{
    char hex[2 * ENVELOPE_IDENTITY + 1];
    hex_put(hex, identity, ENVELOPE_IDENTITY);
    snprintf(out, DISK_PATH_MAX, "%s/recordings/%.2s/%s", s->path, hex, hex);
    return out;
}

char *store_dictionary_path(const struct store *s, char *out, uint32_t dictionary)
{
    snprintf(out, DISK_PATH_MAX, "%s/segments/%" PRIu32, s->path, dictionary);
    return out;
}

char *store_dictionary_file(const struct store *s, char *out, uint32_t dictionary)
{
    snprintf(out, DISK_PATH_MAX, "%s/segments/%" PRIu32 "/dictionary", s->path, dictionary);
    return out;
}

char *store_segment_path(const struct store *s, char *out, uint32_t dictionary, uint64_t segment)
{
    snprintf(out, DISK_PATH_MAX, "%s/segments/%" PRIu32 "/%" PRIu64 ".seg", s->path, dictionary, segment);
    return out;
}

char *store_rollup_path(const struct store *s, char *out, uint32_t dictionary, uint64_t number)
{
    snprintf(out, DISK_PATH_MAX, "%s/segments/%" PRIu32 "/%" PRIu64 ".roll", s->path, dictionary, number);
    return out;
}

void store_tell(const struct store *s, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (s->options.tell)
        s->options.tell(text);
}

/* Gives a profile copies of the stacks to which its samples refer. */
static int own_stacks(struct profile *p, const struct profile *names)
{
    struct load_shared copies = {.to = p, .from = names};
    int rc = 0;
    for (uint32_t i = 0; !rc && i < p->sample_count; i++)
        rc = load_shared_note(&copies, p->samples[i].stack);
    rc = rc ? rc : load_shared_copy(&copies);
    for (uint32_t i = 0; i < p->sample_count; i++)
        p->samples[i].stack = rc ? 0 : load_shared_id(&copies, p->samples[i].stack);
    load_shared_deinit(&copies);
    return rc;
}

int store_recording_profiles(const struct store *s, const struct envelope *v, struct store_profiles *out, struct error *e)
{
    *out = (struct store_profiles){0};
    int rc = s->options.load(out, v, e);
    for (uint32_t i = 0; i < out->count; i++) {
        struct profile *p = &out->list[i];
        int64_t start = seal_start_ns(p, &v->note);
        for (uint32_t k = 0; k < p->sample_count; k++)
            p->samples[k].time_ns = p->samples[k].time_ns ? p->samples[k].time_ns : start;
        if (!rc && out->shares && own_stacks(p, &out->recalled->stacks.names))
            rc = error_set(e, -ENOMEM, "out of memory");
    }
    out->shares = false;
    return rc;
}

char *store_recording_file(const struct store *s, const uint8_t identity[ENVELOPE_IDENTITY], char out[DISK_PATH_MAX])
{
    return store_recording_path(s, out, identity);
}

struct catalogue *store_catalogue(struct store *s)
{
    return s->catalogue;
}

uint64_t store_dictionaries_bytes(struct store *s)
{
    return cache_bytes(&s->cache);
}

uint64_t store_recall_bytes(struct store *s)
{
    return recall_bytes(&s->recall);
}

int store_is_over(const struct store *s, const struct store_query *q, struct error *e)
{
    if (store_is_stopping(s))
        return error_set(e, -ECANCELED, "the server is ending");
    if (q->until_ns && clock_monotonic_ns() > q->until_ns)
        return error_set(e, -ETIMEDOUT, "it takes too long: ask for less, or for less time");
    if (q->is_gone && q->is_gone(q->client))
        return error_set(e, -EPIPE, "the client is gone");
    return 0;
}

static int is_over(void *asking, struct error *e)
{
    const struct store_asking *of = asking;
    return store_is_over(of->store, of->query, e);
}

struct catalogue_patience store_patience(struct store_asking *of)
{
    return (struct catalogue_patience){is_over, of};
}

bool store_is_stopping(const struct store *s)
{
    return s->options.stop && atomic_load_explicit(s->options.stop, memory_order_relaxed);
}

/* ---- opening ---- */

static int make_folders(const struct store *s, struct error *e)
{
    static const char *const names[] = {"incoming", "recordings", "segments", "quarantine"};
    char path[DISK_PATH_MAX];
    int rc = disk_directory(s->path, e);
    for (size_t i = 0; !rc && i < sizeof names / sizeof *names; i++)
        rc = disk_directory(store_path(s, path, names[i]), e);
    store_path(s, path, "recordings/");
    size_t len = strlen(path);
    for (unsigned i = 0; !rc && i < 256; i++) {
        snprintf(path + len, sizeof path - len, "%02x", i);
        rc = disk_directory(path, e);
    }
    path[len] = 0;
    rc = rc ? rc : disk_sync_directory(path, e);
    return rc ? rc : disk_sync_directory(s->path, e);
}

/* Whether a name in the directory is that of a file or folder of the store, or of the server's alerts, silences, profiles on demand
 * and recordings that wait for other servers. */
static bool is_ours(const char *name)
{
    static const char *const names[] = {"incoming",   "recordings", "segments",   "quarantine", "lock",
                                        "clickhouse", "cold",       "cold-cache", "forward",    "rounded"};
    static const char *const beginnings[] = {"catalogue", "alerts.json", "silences.json", "profiles.json"}; /* of names like X.new, too */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (!strncmp(name, beginnings[i], strlen(beginnings[i])))
            return true;
    return false;
}

/* Makes everything private, whatever it was before: an earlier version, a copy or a restored backup may have left it open. */
static int make_private(const struct store *s, struct error *e)
{
    bool shared = false;
    int rc = private_make(s->path, is_ours, &shared, e);
    if (!rc && shared)
        store_tell(s, "%s: others may enter it, because it has files that are not the store's; the store's own are private", s->path);
    return rc;
}

/* Writes since when weights are rounded. */
static int write_rounded(const struct store *s, const char *path, struct error *e)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64 "\n", s->rounded_since);
    return disk_write_synced(path, text, strlen(text), e);
}

/* Returns the time in the file, or 0 if it is damaged. */
static int64_t read_rounded(const char *path, struct error *e)
{
    char text[32] = "";
    uint8_t *bytes;
    size_t size;
    if (disk_read_file(path, sizeof text - 1, &bytes, &size, e))
        return 0;
    error_set(e, -EBADMSG, "%s: not a time", path);
    snprintf(text, sizeof text, "%.*s", (int)size, (const char *)bytes);
    text[strcspn(text, "\n")] = 0;
    free(bytes);
    int64_t since = number_signed_or_zero(text);
    return since > 0 ? since : 0;
}

/* Reads since when weights are rounded. If that begins now, notes it before the first row is rounded. After damage, all weights count as
 * rounded: answers then claim too little exactness, never too much. */
static int note_rounded(struct store *s, struct error *e)
{
    char path[DISK_PATH_MAX];
    struct error why;
    if (access(store_path(s, path, "rounded"), F_OK) && errno == ENOENT) {
        s->rounded_since = s->options.round_weights ? (int64_t)(clock_realtime_ns() / NS_PER_S) : 0;
        return s->rounded_since ? write_rounded(s, path, e) : 0;
    }
    s->rounded_since = read_rounded(path, &why);
    if (s->rounded_since)
        return 0;
    s->rounded_since = 1;
    store_tell(s, "%s; from now on, answers say of all weights that they are rounded", why.text);
    if (write_rounded(s, path, &why)) /* the next start tells it again */
        store_tell(s, "%s", why.text);
    return 0;
}

static int take_lock(struct store *s, struct error *e)
{
    char path[DISK_PATH_MAX];
    s->lock = open(store_path(s, path, "lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (s->lock < 0)
        return error_set(e, -errno, "%s: cannot be written to: %s", s->path, strerror(errno));
    if (flock(s->lock, LOCK_EX | LOCK_NB))
        return error_set(e, -EBUSY, "%s: another candor server uses it; stop that one, or give another --data", s->path);
    return 0;
}

int store_open(struct store **out, const struct store_options *o, struct error *e)
{
    struct store *s = *out = calloc(1, sizeof *s);
    if (!s)
        return error_set(e, -ENOMEM, "out of memory");
    s->options = *o;
    s->rows = &rows_in_files;
    s->retain_s = o->limits.retain_s;
    s->lock = -1;
    snprintf(s->path, sizeof s->path, "%s", o->path);
    arrivals_init(&s->arrivals);
    for (size_t i = 0; i < SEALING_LOCKS; i++)
        pthread_mutex_init(&s->sealing[i], NULL);
    pthread_mutex_init(&s->reading, NULL);
    pthread_mutex_init(&s->deleting, NULL);
    cache_init(&s->cache);
    s->cache.most = o->limits.memory;
    recall_init(&s->recall);
    int rc = disk_directory(s->path, e);
    rc = rc ? rc : take_lock(s, e);
    rc = rc ? rc : make_folders(s, e);
    rc = rc ? rc : make_private(s, e);
    rc = rc ? rc : note_rounded(s, e);
    rc = rc ? rc : recover_all(s, e);
    if (rc) {
        store_close(s);
        *out = NULL;
    }
    return rc;
}

void store_close(struct store *s)
{
    if (!s)
        return;
    reread_end(s);
    cold_close(s);
    rows_clickhouse_close(s);
    catalogue_close(s->catalogue);
    recall_deinit(&s->recall);
    cache_deinit(&s->cache);
    merge_deinit(s);
    arrivals_deinit(&s->arrivals);
    for (size_t i = 0; i < SEALING_LOCKS; i++)
        pthread_mutex_destroy(&s->sealing[i]);
    pthread_mutex_destroy(&s->reading);
    pthread_mutex_destroy(&s->deleting);
    if (s->lock >= 0)
        close(s->lock);
    free(s);
}

void store_set_limits(struct store *s, const struct store_limits *l)
{
    s->options.limits = *l;
    s->cache.most = l->memory;
    atomic_store_explicit(&s->retain_s, l->retain_s, memory_order_relaxed);
}

bool store_maintain(struct store *s)
{
    recover_pending(s);
    if (!reread_is_over(s))
        return false;
    rollup_some(s);
    if (!store_is_stopping(s))
        retain_all(s);
    bool more = merge_some(s);
    if (s->rows->flush)
        s->rows->flush(s, true);
    copy_make(s);
    return more;
}

/* ---- recordings ---- */

int store_begin(struct store *s, struct envelope_writer *w, struct error *e)
{
    char path[DISK_PATH_MAX];
    return envelope_begin(w, store_path(s, path, "incoming"), e);
}

void store_note_waiting(struct store *s, uint64_t recordings, uint64_t since_ns)
{
    s->waiting = recordings;
    s->waiting_since_ns = since_ns;
}

bool store_waits_long(const struct store *s)
{
    return s->waiting && clock_monotonic_ns() - s->waiting_since_ns > WAIT_LONG_S * (uint64_t)NS_PER_S;
}

int store_check_ready(struct store *s, struct error *e)
{
    static const char block[4096];
    struct envelope_writer w;
    struct error ignored;
    uint64_t segment, recording;
    if (catalogue_last_ids(s->catalogue, &segment, &recording, &ignored))
        return error_set(e, -EIO, "the catalog cannot be read");
    if (catalogue_sync(s->catalogue, &ignored)) /* from then on it takes no recording */
        return error_set(e, -EIO, "the catalog cannot be synced; restart the server when the disk works again");
    int rc = store_begin(s, &w, &ignored);
    rc = rc ? rc : envelope_put(&w, block, sizeof block, &ignored);
    envelope_abandon(&w);
    return rc ? error_set(e, rc, "the disk cannot be written: %s", strerror(-rc)) : 0;
}

/* Moves the file to its place, then adds the recording to the catalog. From then on, it is part of the store. */
static int keep(struct store *s, struct envelope_writer *w, struct sealing *l, struct error *e)
{
    char path[DISK_PATH_MAX], folder[DISK_PATH_MAX];
    struct catalogue_recording *r = &l->recording;
    int rc = disk_rename(w->path, store_recording_path(s, path, r->identity), e);
    if (rc)
        return rc;
    *w->path = 0;
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    rc = disk_sync_directory(folder, e);
    rc = rc ? rc : catalogue_add(s->catalogue, r, l->parts, l->part_count, e);
    if (!rc)
        return 0;
    /* The file is removed only if the catalog does not know it, because the same recording may have been sent twice at the same time. While
     * recordings are read again, it may be one that was acknowledged before. */
    uint64_t id;
    struct error ignored;
    if (reread_is_over(s) && !catalogue_find(s->catalogue, r->identity, "", &id, &ignored) && !id)
        disk_remove(path);
    return rc;
}

static int take(struct store *s, struct envelope_writer *w, const struct envelope *v, struct store_added *out, struct error *e)
{
    struct sealing *l = malloc(sizeof *l);
    if (!l)
        return error_set(e, -ENOMEM, "out of memory");
    int rc = seal_init(l, s, v, false, e);
    rc = rc ? rc : keep(s, w, l, e);
    if (rc == -EEXIST) {
        out->duplicate = true;
        rc = catalogue_find(s->catalogue, v->identity, v->note.key, &out->id, e);
        rc = rc ? rc : catalogue_sync(s->catalogue, e);
    } else if (!rc) {
        out->id = l->recording.id;
        snprintf(out->left_out, sizeof out->left_out, "%s", l->profiles.left_out);
        seal_arrival(s, l, &v->note);
    }
    seal_deinit(l);
    free(l);
    return rc;
}

int store_add(struct store *s, struct envelope_writer *w, const struct envelope_note *note, const uint8_t identity[ENVELOPE_IDENTITY],
              struct store_added *out, struct error *e)
{
    struct envelope v;
    *out = (struct store_added){0};
    int rc = catalogue_find(s->catalogue, identity, note->key, &out->id, e);
    out->duplicate = !rc && out->id;
    if (out->duplicate) { /* another thread may have added it just now */
        rc = catalogue_sync(s->catalogue, e);
    } else if (!rc) {
        rc = envelope_end(w, note, identity, e);
        rc = rc ? rc : envelope_open(&v, w->path, e);
        if (!rc) {
            v.note.most = note->most;
            v.note.elsewhere = note->elsewhere;
            rc = take(s, w, &v, out, e);
            envelope_close(&v);
        }
    }
    envelope_abandon(w);
    return rc;
}

int store_open_recording(struct store *s, const uint8_t identity[ENVELOPE_IDENTITY], struct envelope *v, struct error *e)
{
    char path[DISK_PATH_MAX];
    int rc = envelope_open(v, store_recording_path(s, path, identity), e);
    return rc == -ENOENT && s->cold ? cold_fetch(s, identity, v, e) : rc;
}

int store_recording(struct store *s, uint64_t id, struct envelope *v, struct error *e)
{
    struct catalogue_recording r;
    bool found;
    int rc = catalogue_get(s->catalogue, id, &r, &found, e);
    if (!rc && (!found || !r.raw))
        rc = error_set(e, -ENOENT, "recording %" PRIu64 ": %s", id, found ? "only its samples are kept any more" : "there is none");
    rc = rc ? rc : store_open_recording(s, r.identity, v, e);
    catalogue_recording_deinit(&r);
    return rc;
}
