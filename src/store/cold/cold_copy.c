/* Copies objects to another place, or back to the disk. Each is checked as a query checks it, and read back where it was written. */
#include "store/catalogue/catalogue_cold.h"
#include "store/cold/cold.h"
#include "store/reread.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { LIST = 64 };

struct copying {
    struct store *store;
    struct s3 *to; /* NULL = the disk */
    struct store_cold_copied *counts;
};

static int copy_to_disk(const struct copying *c, const struct catalogue_warm *w, const struct envelope *v, struct error *e)
{
    char path[DISK_PATH_MAX];
    int rc = disk_write_synced(store_recording_path(c->store, path, w->identity), v->map, v->map_size, e);
    return rc ? rc : catalogue_set_warm(c->store->catalogue, w->recording, e);
}

static int copy_to_place(const struct copying *c, const struct catalogue_warm *w, const struct envelope *v, struct error *e)
{
    char key[COLD_KEY_MAX];
    struct error ignored;
    cold_key(w->identity, key);
    if (cold_compare(c->to, key, v, &ignored)) /* otherwise it is there already: an earlier command was interrupted */
        return cold_make_object(c->to, key, v, e);
    c->counts->present++;
    return 0;
}

/* Copies one. An object that is missing or damaged holds up no others. */
static int copy_one(const struct copying *c, const struct catalogue_warm *w, struct error *e)
{
    struct envelope v;
    uint64_t present = c->counts->present;
    int rc = cold_fetch(c->store, w->identity, &v, e);
    if (rc == -ENOENT || rc == -EBADMSG) {
        c->counts->damaged++;
        store_tell(c->store, "%s", e->text);
        return 0;
    }
    if (rc)
        return rc;
    rc = c->to ? copy_to_place(c, w, &v, e) : copy_to_disk(c, w, &v, e);
    if (!rc && c->counts->present == present) {
        c->counts->copied++;
        c->counts->bytes += v.map_size;
    }
    envelope_close(&v);
    cold_forget(c->store, w->identity);
    return rc;
}

static int copy_all(const struct copying *c, uint64_t all, store_copy_progress *progress, struct error *e)
{
    struct catalogue_warm list[LIST];
    uint64_t after = 0, done = 0;
    uint32_t n;
    int rc;
    do {
        rc = catalogue_cold_list(c->store->catalogue, after, list, LIST, &n, e);
        for (uint32_t i = 0; !rc && i < n; i++) {
            after = list[i].recording;
            rc = store_is_stopping(c->store) ? error_set(e, -ECANCELED, "interrupted; start it again, and it goes on")
                                             : copy_one(c, &list[i], e);
            if (progress)
                progress(++done, all);
        }
    } while (!rc && n == LIST);
    return rc;
}

static int copy(struct copying *c, const struct store_options *o, const char *to, store_copy_progress *progress, struct error *e)
{
    const struct s3_options s3 = {o->s3_endpoint, o->s3_region, o->s3_credentials, o->s3_ca};
    struct catalogue_sums sums;
    if (!reread_is_over(c->store))
        return error_set(e, -EAGAIN, "%s: recordings are not read again yet; copy them when they can be", o->path);
    int rc = catalogue_sums(c->store->catalogue, &sums, e);
    rc = rc || !strcmp(to, STORE_COLD_DISK) ? rc : s3_open(&c->to, to, &s3, o->stop, e);
    if (!rc && c->to && !strcmp(s3_url(c->to), s3_url(c->store->cold->s3)))
        rc = error_set(e, -EINVAL, "%s: the objects are there already; give another prefix", to);
    rc = rc ? rc : copy_all(c, sums.cold_recordings, progress, e);
    return rc || !c->to ? rc : cold_take_place(c->store, c->to, e);
}

int store_copy_cold(const struct store_options *o, const char *to, store_copy_progress *progress, struct store_cold_copied *out,
                    struct error *e)
{
    struct copying c = {.counts = out};
    *out = (struct store_cold_copied){0};
    int rc = store_open(&c.store, o, e);
    if (rc)
        return rc;
    rc = copy(&c, o, to, progress, e);
    s3_close(c.to);
    store_close(c.store);
    return rc;
}
