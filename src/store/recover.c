/* Repairs the store: completes what a crash has left unfinished, and replaces damaged data. */
#include "store/catalogue/catalogue_cold.h"
#include "store/catalogue/catalogue_rollup.h"
#include "store/store_internal.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PENDING = 64 };

/* ---- files ---- */

typedef void visit_file(struct store *s, const char *path, const char *name);

static void each_file(struct store *s, const char *folder, visit_file *visit)
{
    char path[2 * DISK_PATH_MAX];
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.')
            visit(s, path, entry->d_name);
    }
    if (dir)
        closedir(dir);
}

void recover_put_aside(struct store *s, const char *path, const char *name)
{
    char to[DISK_PATH_MAX];
    struct error e;
    if (access(path, F_OK))
        return;
    snprintf(to, sizeof to, "%s/quarantine/%lld-%s", s->path, (long long)time(NULL), name);
    if (disk_rename(path, to, &e))
        store_tell(s, "%s", e.text);
    else
        store_tell(s, "%s: put aside as %s", path, to);
}

static void remove_one(struct store *s, const char *path, const char *name)
{
    disk_remove(path);
}

bool recover_may_return(const struct store *s, int rc)
{
    return rc == -ENOENT && s->rows->is_away && !s->checking;
}

void recover_quarantine(struct store *s, uint32_t dictionary, uint64_t segment, const char *why)
{
    struct error e;
    store_tell(s, "%s", why);
    s->rows->put_aside(s, dictionary, segment, false);
    if (catalogue_segment_bad(s->catalogue, segment, why, &e))
        store_tell(s, "%s", e.text);
}

/* ---- parts that are not sealed ---- */

static int reseal(struct store *s, const struct catalogue_pending *of, struct error *e)
{
    struct envelope v;
    bool partly;
    int rc = store_open_recording(s, of->identity, &v, e);
    if (rc)
        return rc;
    struct store_profiles *profiles = calloc(1, sizeof *profiles);
    rc = profiles ? seal_load_again(s, profiles, &v, &partly, e) : error_set(e, -ENOMEM, "out of memory");
    rc = rc ? rc : seal_pending(s, profiles, &v.note, of->recording, e);
    if (profiles)
        store_profiles_deinit(profiles);
    free(profiles);
    envelope_close(&v);
    return rc;
}

/* Whether another attempt would fail in the same way. */
static bool is_final(int rc)
{
    return rc == -EBADMSG || rc == -ENOENT || rc == -EINVAL || rc == -EPROTONOSUPPORT || rc == -EFBIG;
}

void recover_pending(struct store *s)
{
    struct catalogue_pending list[PENDING];
    struct error e;
    uint64_t after = 0;
    uint32_t n;
    if (s->rows->is_ready && !s->rows->is_ready(s))
        return;
    do {
        int rc = catalogue_pending(s->catalogue, after, list, PENDING, &n, &e);
        for (uint32_t i = 0; !rc && i < n && !store_is_stopping(s); i++) {
            after = list[i].recording;
            if (s->rows->waits && s->rows->waits(s, after))
                continue;
            rc = reseal(s, &list[i], &e);
            if (!is_final(rc))
                continue;
            store_tell(s, "recording %" PRIu64 ": lost: %s", list[i].recording, e.text);
            rc = catalogue_lose(s->catalogue, list[i].recording, NULL, 0, &e);
        }
        if (rc) {
            store_tell(s, "%s", e.text);
            return;
        }
    } while (n == PENDING && !store_is_stopping(s));
    if (s->rows->flush)
        s->rows->flush(s, true);
}

/* ---- recordings that the catalog does not know ---- */

static int adopt(struct store *s, const struct envelope *v, struct error *e)
{
    struct sealing *l = malloc(sizeof *l);
    if (!l)
        return error_set(e, -ENOMEM, "out of memory");
    int rc = seal_init(l, s, v, true, e);
    rc = rc ? rc : catalogue_add(s->catalogue, &l->recording, l->parts, l->part_count, e);
    seal_deinit(l);
    free(l);
    return rc;
}

static int identity_of(const char *name, uint8_t identity[ENVELOPE_IDENTITY])
{
    if (strlen(name) != 2 * ENVELOPE_IDENTITY)
        return -EINVAL;
    for (size_t i = 0; i < ENVELOPE_IDENTITY; i++)
        if (sscanf(name + 2 * i, "%2hhx", &identity[i]) != 1)
            return -EINVAL;
    return 0;
}

/* Removes the file of a recording that became an object just before a crash. */
static void remove_moved(struct store *s, const char *path, const uint8_t identity[ENVELOPE_IDENTITY])
{
    struct error e;
    bool cold, going;
    if (s->cold && !catalogue_is_cold(s->catalogue, identity, &cold, &going, &e) && cold)
        disk_remove(path);
}

static void look_at_recording(struct store *s, const char *path, const char *name)
{
    uint8_t identity[ENVELOPE_IDENTITY];
    struct envelope v;
    struct error e;
    uint64_t id;
    if (identity_of(name, identity) || catalogue_find(s->catalogue, identity, "", &id, &e))
        return;
    if (id) {
        remove_moved(s, path, identity);
        return;
    }
    int rc = envelope_open(&v, path, &e);
    if (!rc) {
        rc = adopt(s, &v, &e);
        envelope_close(&v);
    }
    if (rc) {
        store_tell(s, "%s", e.text);
        recover_put_aside(s, path, name);
    }
}

static int remove_going(void *context, const uint8_t identity[ENVELOPE_IDENTITY])
{
    char path[DISK_PATH_MAX];
    disk_remove(store_recording_path(context, path, identity));
    return 0;
}

/* Recordings that were deleted shortly before a crash are not to be found again: their samples may be in roll-ups. */
static int end_removing(struct store *s, struct error *e)
{
    int rc = catalogue_going(s->catalogue, remove_going, s, e);
    return rc ? rc : catalogue_gone(s->catalogue, e);
}

static void find_recordings(struct store *s)
{
    char path[DISK_PATH_MAX];
    for (unsigned i = 0; i < 256; i++) {
        snprintf(path, sizeof path, "%s/recordings/%02x", s->path, i);
        each_file(s, path, look_at_recording);
    }
}

/* ---- objects that the catalog does not know ---- */

static int adopt_object(struct store *s, const uint8_t identity[ENVELOPE_IDENTITY], struct error *e)
{
    struct envelope v;
    uint64_t id;
    int rc = cold_fetch(s, identity, &v, e);
    if (rc)
        return rc;
    rc = adopt(s, &v, e);
    rc = rc ? rc : catalogue_find(s->catalogue, identity, v.note.key, &id, e);
    rc = rc ? rc : catalogue_set_cold(s->catalogue, id, e);
    envelope_close(&v);
    return rc;
}

/* An object that cannot be read stays where it is. A failure that may pass ends the start, because the objects are not known otherwise. */
static int look_at_object(void *context, const uint8_t identity[ENVELOPE_IDENTITY], struct error *e)
{
    struct store *s = context;
    uint64_t id;
    bool cold, going;
    int rc = catalogue_find(s->catalogue, identity, "", &id, e);
    rc = rc ? rc : catalogue_is_cold(s->catalogue, identity, &cold, &going, e);
    if (rc || id || going)
        return rc;
    rc = adopt_object(s, identity, e);
    if (!rc || rc == -EHOSTUNREACH || rc == -ECANCELED || rc == -ENOMEM || rc == -ENOSPC)
        return rc;
    store_tell(s, "%s", e->text);
    return 0;
}

static int find_objects(struct store *s, struct error *e)
{
    if (!cold_must_adopt(s))
        return 0;
    store_tell(s, "%s: learns which recordings are there", s->options.cold);
    int rc = cold_each(s, look_at_object, s, e);
    return rc ? rc : cold_adopted(s, e);
}

/* ---- when the store is opened ---- */

/* The place of the old segments until the missing data have been noted: while it exists, a start continues the rebuilding. */
#define REBUILDING "quarantine/segments-rebuilding"

/* A rename in or into quarantine/ is on the disk before what builds on it. */
static int rename_synced(struct store *s, const char *from, const char *to, struct error *e)
{
    char path[DISK_PATH_MAX];
    int rc = disk_rename(from, to, e);
    rc = rc ? rc : disk_sync_directory(store_path(s, path, "quarantine"), e);
    return rc ? rc : disk_sync_directory(s->path, e);
}

/* The segments of a catalogue that is gone mean nothing to a new one. */
static int put_segments_aside(struct store *s, struct error *e)
{
    char path[DISK_PATH_MAX], to[DISK_PATH_MAX];
    int rc = rename_synced(s, store_path(s, path, "segments"), store_path(s, to, REBUILDING), e);
    return rc ? rc : disk_directory(path, e);
}

static bool has_files(const char *folder)
{
    bool has = false;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && !has && (entry = readdir(dir));)
        has = entry->d_name[0] != '.';
    if (dir)
        closedir(dir);
    return has;
}

static void remove_folder(struct store *s, const char *path, const char *name)
{
    disk_remove_directory(path);
}

static void tell_kept(struct store *s, const char *segments, const struct rebuild_found *found)
{
    if (found->missing)
        store_tell(s,
                   "%s: has samples of %" PRIu64
                   " recordings that answers lack: these recordings had been deleted, and only the catalog knew "
                   "whose they were",
                   segments, found->missing);
    if (found->unread)
        store_tell(s,
                   "%s: kept, because %" PRIu64 " of its files or folders cannot be read: they may have samples of deleted recordings that "
                   "answers lack without saying so",
                   segments, found->unread);
}

/* The segments of the old catalogue stay if they have, or may have, data that the recordings lack. */
static int end_rebuilding(struct store *s, struct error *e)
{
    char from[DISK_PATH_MAX], to[DISK_PATH_MAX];
    struct rebuild_found found;
    int rc = rebuild_note_missing(s, store_path(s, from, REBUILDING), true, &found, e);
    snprintf(to, sizeof to, "%s/quarantine/%lld-segments", s->path, (long long)time(NULL));
    rc = rc ? rc : rename_synced(s, from, to, e);
    if (rc)
        return rc;
    tell_kept(s, to, &found);
    if (!found.missing && !found.unread) {
        each_file(s, to, remove_folder);
        disk_remove_directory(to);
    }
    return 0;
}

int recover_all(struct store *s, struct error *e)
{
    char path[DISK_PATH_MAX];
    uint64_t last, rolled;
    each_file(s, store_path(s, path, "incoming"), remove_one);
    int rc = copy_open_catalogue(s, e);
    rc = rc ? rc : catalogue_last_ids(s->catalogue, &last, &s->arrivals.last, e);
    if (rc)
        return rc;
    rc = catalogue_rollup_last(s->catalogue, &rolled, e);
    if (rc)
        return rc;
    s->last_segment = last > rolled ? last : rolled;
    bool is_other = !last && !s->arrivals.last && has_files(store_path(s, path, "segments"));
    rc = is_other ? put_segments_aside(s, e) : 0;
    bool remade = !access(store_path(s, path, REBUILDING), F_OK);
    rc = rc ? rc : rows_clickhouse_open(s, last != 0, remade && !last && !s->arrivals.last, e);
    if (rc)
        return rc;
    rc = cold_open(s, (!last && !s->arrivals.last) || copy_is_in_use(s), e);
    rc = rc ? rc : end_removing(s, e);
    if (rc)
        return rc;
    find_recordings(s);
    rc = find_objects(s, e);
    if (rc)
        return rc;
    rc = access(store_path(s, path, REBUILDING), F_OK) ? 0 : end_rebuilding(s, e);
    rc = rc ? rc : copy_agree(s, e);
    if (rc)
        return rc; /* the next start continues with it */
    merge_sweep(s);
    recover_pending(s);
    return 0;
}
