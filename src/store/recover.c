/* Repairs the store: completes what a crash has left unfinished, and replaces damaged data. */
#include "store/catalogue/catalogue_cold.h"
#include "store/catalogue/catalogue_rollup.h"
#include "store/reread.h"

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

bool recover_is_final(int rc)
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
            rc = rc == -EHOSTUNREACH ? 0 : rc; /* an object that cannot be fetched now must not delay the others */
            if (!recover_is_final(rc))
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

/* ---- when the store is opened ---- */

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
    rc = is_other ? reread_put_segments_aside(s, e) : 0;
    bool remade = reread_has_segments(s);
    rc = rc ? rc : rows_clickhouse_open(s, last != 0, remade && !last && !s->arrivals.last, e);
    rc = rc ? rc : cold_open(s, (!last && !s->arrivals.last) || copy_is_in_use(s), e);
    rc = rc ? rc : end_removing(s, e);
    rc = rc ? rc : reread_begin(s, s->options.reread_wait_ns, e);
    if (!rc)
        recover_pending(s);
    return rc;
}
