/* What all servers of --forward have in common: their folders, what is put there, and the life of the threads. */
#include "server/forward/forward_internal.h"

#include "http/address.h"
#include "server/forward/arrivals.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { NAME_MAX_BYTES = 256 };

/* ---- the option ---- */

/* Calls take for each URL of a list with commas. Returns 0 or the first code. */
static int each_url(const char *urls, int (*take)(void *context, const char *url, struct error *e), void *context, struct error *e)
{
    char text[2 * FORWARD_URL_MAX], url[FORWARD_URL_MAX];
    int rc = 0;
    for (const char *at = urls; !rc; at++) {
        size_t n = strcspn(at, ",");
        snprintf(text, sizeof text, "%.*s", (int)(n < sizeof text ? n : sizeof text), at);
        rc = address_read(text, url, sizeof url, e);
        rc = rc ? rc : take(context, url, e);
        at += n;
        if (!*at)
            break;
    }
    return rc;
}

struct urls {
    uint32_t count;
    char list[FORWARD_MAX][FORWARD_URL_MAX];
};

static int add_url(void *context, const char *url, struct error *e)
{
    struct urls *known = context;
    for (uint32_t i = 0; i < known->count; i++)
        if (!strcmp(known->list[i], url))
            return error_set(e, -EINVAL, "--forward names %.200s twice", url);
    if (known->count == FORWARD_MAX)
        return error_set(e, -EINVAL, "--forward has more than %d servers", FORWARD_MAX);
    snprintf(known->list[known->count++], FORWARD_URL_MAX, "%s", url);
    return 0;
}

int forward_check(const char *urls, struct error *e)
{
    struct urls known = {0};
    return each_url(urls, add_url, &known, e);
}

/* ---- folders ---- */

/* Writes the name of the folder of a server. */
static int folder_name(const char *url, char out[NAME_MAX_BYTES], struct error *e)
{
    size_t n = 0;
    for (const char *c = url; *c && n < NAME_MAX_BYTES - 4; c++)
        n += (size_t)snprintf(out + n, NAME_MAX_BYTES - n, *c == '/' ? "%%2F" : "%c", *c);
    return n < NAME_MAX_BYTES - 4 ? 0 : error_set(e, -EINVAL, "--forward %.60s...: the address is too long", url);
}

static int add_target(void *context, const char *url, struct error *e)
{
    struct forward *f = context;
    struct forward_target *t = &f->targets[f->count];
    char path[DISK_PATH_MAX], name[NAME_MAX_BYTES];
    pthread_condattr_t clock;
    int rc = folder_name(url, name, e);
    snprintf(path, sizeof path, "%s/forward/%s", f->options.data, rc ? "" : name);
    rc = rc ? rc : postbox_open(&t->box, path, e);
    if (rc)
        return rc;
    t->of = f;
    snprintf(t->url, sizeof t->url, "%s", url);
    pthread_mutex_init(&t->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&t->change, &clock);
    pthread_condattr_destroy(&clock);
    f->count++;
    return 0;
}

/* Whether the folder is that of a server that --forward names. */
static bool is_named(const struct forward *f, const char *name)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (!strcmp(strrchr(f->targets[i].box.path, '/') + 1, name))
            return true;
    return false;
}

/* Refuses to begin if something waits for a server that is not named any more: nobody would send it. */
static int check_others(const struct forward *f, struct error *e)
{
    char folder[DISK_PATH_MAX], path[DISK_PATH_MAX + NAME_MAX_BYTES];
    int rc = 0;
    snprintf(folder, sizeof folder, "%s/forward", f->options.data);
    DIR *open = opendir(folder);
    for (struct dirent *entry; open && !rc && (entry = readdir(open));) {
        struct postbox box;
        if (*entry->d_name == '.' || is_named(f, entry->d_name))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        rc = postbox_open(&box, path, e);
        if (rc)
            break;
        if (box.counts.waiting)
            rc = error_set(e, -EBUSY,
                           "%s: %" PRIu64 " recordings wait for a server that --forward does not name; name it, or move the folder", path,
                           box.counts.waiting);
        postbox_close(&box);
    }
    if (open)
        closedir(open);
    return rc;
}

/* ---- --receive-only: a folder without a store ---- */

static void remove_files(const char *folder)
{
    char path[DISK_PATH_MAX + NAME_MAX_BYTES];
    DIR *open = opendir(folder);
    for (struct dirent *entry; open && (entry = readdir(open));) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (*entry->d_name != '.')
            disk_remove(path);
    }
    if (open)
        closedir(open);
}

/* Makes the folder, and takes its lock, which is that of a store. Removes what was being received when an earlier server was killed. */
static int open_folder(struct forward *f, struct error *e)
{
    const char *data = f->options.data;
    char path[DISK_PATH_MAX];
    int rc = disk_directory(data, e);
    if (rc)
        return rc;
    snprintf(path, sizeof path, "%s/lock", data);
    f->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (f->lock < 0)
        return error_set(e, -errno, "%s: cannot be written to: %s", data, strerror(errno));
    if (flock(f->lock, LOCK_EX | LOCK_NB))
        return error_set(e, -EBUSY, "%s: another candor server uses it; stop that one, or give another --data", data);
    snprintf(path, sizeof path, "%s/incoming", data);
    rc = disk_directory(path, e);
    remove_files(path);
    return rc;
}

int forward_begin(struct forward *f, struct envelope_writer *w, struct error *e)
{
    char path[DISK_PATH_MAX];
    snprintf(path, sizeof path, "%s/incoming", f->options.data);
    return envelope_begin(w, path, e);
}

int forward_check_ready(struct forward *f, struct error *e)
{
    static const char block[4096];
    struct envelope_writer w;
    struct error ignored;
    int rc = forward_begin(f, &w, &ignored);
    rc = rc ? rc : envelope_put(&w, block, sizeof block, &ignored);
    envelope_abandon(&w);
    return rc ? error_set(e, rc, "the disk cannot be written: %s", strerror(-rc)) : 0;
}

/* ---- recordings ---- */

int forward_check_room(struct forward *f, struct error *e)
{
    uint64_t most = *f->options.most;
    for (uint32_t i = 0; i < f->count; i++)
        if (postbox_counts(&f->targets[i].box).waiting_bytes >= most)
            return error_set(e, -EBUSY, "recordings of --max-disk wait to be forwarded: their server does not take them");
    return 0;
}

/* *known: it waits for each server already. */
static int put(struct forward *f, const char *file, const uint8_t identity[ENVELOPE_IDENTITY], bool *known, struct error *e)
{
    int rc = 0;
    *known = true;
    for (uint32_t i = 0; !rc && i < f->count; i++) {
        bool waits = false;
        rc = postbox_put(&f->targets[i].box, file, identity, &waits, e);
        *known = *known && waits;
        target_wake(&f->targets[i]);
    }
    return rc;
}

int forward_add(struct forward *f, const char *file, const uint8_t identity[ENVELOPE_IDENTITY], struct error *e)
{
    bool known;
    return put(f, file, identity, &known, e);
}

/* Reads a recording as the server does that will keep it, so that what is acknowledged is not refused there. */
static int read_it(const struct forward *f, const struct envelope_writer *w, const struct envelope_note *note, struct store_added *out,
                   struct error *e)
{
    struct store_profiles profiles = {0};
    struct envelope v;
    int rc = envelope_open(&v, w->path, e);
    if (rc)
        return rc;
    v.note.most = note->most;
    rc = f->options.load(&profiles, &v, e);
    snprintf(out->left_out, sizeof out->left_out, "%s", profiles.left_out);
    store_profiles_deinit(&profiles);
    envelope_close(&v);
    return rc;
}

int forward_take(struct forward *f, struct envelope_writer *w, const struct envelope_note *note, const uint8_t identity[ENVELOPE_IDENTITY],
                 struct store_added *out, struct error *e)
{
    *out = (struct store_added){0};
    int rc = forward_check_room(f, e);
    rc = rc ? rc : envelope_end(w, note, identity, e);
    rc = rc ? rc : read_it(f, w, note, out, e);
    if (!rc)
        rc = f->options.arrivals ? arrivals_leave(f->options.arrivals, w->path, e) : put(f, w->path, identity, &out->duplicate, e);
    envelope_abandon(w);
    return rc;
}

/* ---- its life ---- */

int forward_open(struct forward **out, const struct forward_options *o, struct error *e)
{
    char path[DISK_PATH_MAX];
    struct forward *f = *out = calloc(1, sizeof *f);
    if (!f)
        return error_set(e, -ENOMEM, "out of memory");
    f->options = *o;
    f->lock = -1;
    int rc = o->receive_only ? open_folder(f, e) : 0;
    snprintf(path, sizeof path, "%s/forward", o->data);
    if (!rc && o->urls) {
        rc = disk_directory(path, e);
        rc = rc ? rc : disk_sync_directory(o->data, e);
        rc = rc ? rc : each_url(o->urls, add_target, f, e);
        rc = rc ? rc : disk_sync_directory(path, e); /* the folders of the servers are on the disk before anything is acknowledged */
    }
    rc = rc ? rc : check_others(f, e);
    if (rc || (!f->count && !o->arrivals)) {
        forward_close(f);
        *out = NULL;
    }
    return rc;
}

int forward_start(struct forward *f, struct error *e)
{
    int rc = 0;
    for (uint32_t i = 0; f && !rc && i < f->count; i++)
        rc = target_start(&f->targets[i], e);
    return rc;
}

void forward_close(struct forward *f)
{
    if (!f)
        return;
    for (uint32_t i = 0; i < f->count; i++) {
        struct forward_target *t = &f->targets[i];
        target_stop(t);
        postbox_close(&t->box);
        pthread_cond_destroy(&t->change);
        pthread_mutex_destroy(&t->lock);
    }
    if (f->lock >= 0)
        close(f->lock);
    free(f);
}

bool forward_counts(struct forward *f, uint32_t i, struct forward_counts *out)
{
    if (i >= f->count)
        return false;
    struct forward_target *t = &f->targets[i];
    struct postbox_counts box = postbox_counts(&t->box);
    pthread_mutex_lock(&t->lock);
    *out = (struct forward_counts){t->url, box.waiting, box.waiting_bytes, box.sent, t->failures, box.refused, box.lost};
    pthread_mutex_unlock(&t->lock);
    return true;
}
