/* The folder of what waits for one server, and a list of it in memory, so that nobody reads the folder while the server runs. */
#include "server/forward/postbox.h"

#include "base/text/hex.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char refused[] = "refused";

char *postbox_file(const struct postbox *p, const struct postbox_letter *l, char out[DISK_PATH_MAX])
{
    snprintf(out, DISK_PATH_MAX, "%s/%s", p->path, l->name);
    return out;
}

/* Adds a recording at the end of the list. The caller has the lock, or is alone. */
static void append(struct postbox *p, struct postbox_letter *l)
{
    l->next = NULL;
    *p->end = l;
    p->end = &l->next;
}

static bool is_recording(const char *name)
{
    uint8_t identity[ENVELOPE_IDENTITY];
    return hex_parse(name, identity, sizeof identity);
}

/* Calls take for each recording in a folder. Returns 0 or a code with a message in e. */
static int each(struct postbox *p, const char *folder, int (*take)(struct postbox *p, const char *name), struct error *e)
{
    DIR *open = opendir(folder);
    int rc = open ? 0 : -errno;
    while (!rc) {
        errno = 0;
        struct dirent *entry = readdir(open);
        if (!entry) {
            rc = -errno;
            break;
        }
        if (is_recording(entry->d_name))
            rc = take(p, entry->d_name);
    }
    if (open)
        closedir(open);
    return rc ? error_set(e, rc, "%s: cannot be read: %s", folder, strerror(-rc)) : 0;
}

static int take_waiting(struct postbox *p, const char *name)
{
    char path[DISK_PATH_MAX];
    struct postbox_letter *l = calloc(1, sizeof *l);
    if (!l)
        return -ENOMEM;
    memcpy(l->name, name, sizeof l->name);
    l->bytes = disk_size(postbox_file(p, l, path));
    p->counts.waiting++;
    p->counts.waiting_bytes += l->bytes;
    append(p, l);
    return 0;
}

static int count_refused(struct postbox *p, const char *name)
{
    p->counts.refused++;
    return 0;
}

int postbox_open(struct postbox *p, const char *path, struct error *e)
{
    char folder[DISK_PATH_MAX];
    *p = (struct postbox){0};
    p->end = &p->first;
    if (snprintf(p->path, sizeof p->path, "%s", path) + sizeof refused + 2 * ENVELOPE_IDENTITY + 3 > sizeof p->path)
        return error_set(e, -ENAMETOOLONG, "%.200s...: the path is too long", path);
    snprintf(folder, sizeof folder, "%.*s/%s", (int)strlen(path), path, refused);
    int rc = disk_directory(path, e);
    rc = rc ? rc : disk_directory(folder, e);
    rc = rc ? rc : disk_sync_directory(path, e);
    rc = rc ? rc : each(p, path, take_waiting, e);
    rc = rc ? rc : each(p, folder, count_refused, e);
    pthread_mutex_init(&p->lock, NULL);
    if (rc)
        postbox_close(p);
    return rc;
}

void postbox_close(struct postbox *p)
{
    for (struct postbox_letter *l = p->first, *next; l; l = next) {
        next = l->next;
        free(l);
    }
    pthread_mutex_destroy(&p->lock);
}

int postbox_put(struct postbox *p, const char *file, const uint8_t identity[ENVELOPE_IDENTITY], bool *known, struct error *e)
{
    char path[DISK_PATH_MAX];
    struct postbox_letter *l = calloc(1, sizeof *l);
    if (!l)
        return error_set(e, -ENOMEM, "out of memory");
    hex_put(l->name, identity, ENVELOPE_IDENTITY);
    l->bytes = disk_size(file);
    int rc = link(file, postbox_file(p, l, path)) ? -errno : 0;
    *known = rc == -EEXIST;
    if (rc) {
        free(l);
    } else {
        pthread_mutex_lock(&p->lock);
        p->counts.waiting++;
        p->counts.waiting_bytes += l->bytes;
        append(p, l);
        pthread_mutex_unlock(&p->lock);
    }
    if (rc && !*known)
        return error_set(e, rc, "%s: cannot be written: %s", path, strerror(-rc));
    return disk_sync_directory(p->path, e);
}

struct postbox_letter *postbox_take(struct postbox *p)
{
    pthread_mutex_lock(&p->lock);
    struct postbox_letter *l = p->first;
    if (l && !(p->first = l->next))
        p->end = &p->first;
    pthread_mutex_unlock(&p->lock);
    return l;
}

void postbox_put_back(struct postbox *p, struct postbox_letter *l)
{
    pthread_mutex_lock(&p->lock);
    append(p, l);
    pthread_mutex_unlock(&p->lock);
}

/* Counts a recording that does not wait any more. */
static void forget(struct postbox *p, struct postbox_letter *l, uint64_t *as)
{
    pthread_mutex_lock(&p->lock);
    p->counts.waiting--;
    p->counts.waiting_bytes -= l->bytes;
    (*as)++;
    pthread_mutex_unlock(&p->lock);
    free(l);
}

void postbox_done(struct postbox *p, struct postbox_letter *l)
{
    char path[DISK_PATH_MAX];
    disk_remove(postbox_file(p, l, path));
    forget(p, l, &p->counts.sent);
}

void postbox_refuse(struct postbox *p, struct postbox_letter *l)
{
    char from[DISK_PATH_MAX], to[DISK_PATH_MAX + sizeof refused + 1];
    struct error ignored; /* it stays where it is, and the next start tries again */
    snprintf(to, sizeof to, "%s/%s/%s", p->path, refused, l->name);
    disk_rename(postbox_file(p, l, from), to, &ignored);
    forget(p, l, &p->counts.refused);
}

void postbox_lose(struct postbox *p, struct postbox_letter *l)
{
    forget(p, l, &p->counts.lost);
}

struct postbox_counts postbox_counts(struct postbox *p)
{
    pthread_mutex_lock(&p->lock);
    struct postbox_counts counts = p->counts;
    pthread_mutex_unlock(&p->lock);
    return counts;
}
