/* Which place a store's objects are in, and fetching them. */
#include "store/cold/cold.h"

#include "base/array.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "base/text/hex.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARKER   "cold"
#define CACHE    "cold-cache"
#define ADOPTING "quarantine/cold-adopting"
#define OWNER    "owner"
#define BEGIN    "recordings/"

enum { DOWN_S = 5, TRIM_PART = 10, MARKER_MAX = 2048, OWNER_TRIES = 2 };

/* ---- whose objects they are ---- */

struct marker {
    char id[40]; /* "" = there is no marker */
    char url[S3_NAME_MAX];
};

static int read_marker(const struct store *s, struct marker *m, struct error *e)
{
    char path[DISK_PATH_MAX], text[MARKER_MAX];
    uint8_t *bytes;
    size_t n;
    *m = (struct marker){0};
    if (access(store_path(s, path, MARKER), F_OK))
        return 0;
    int rc = disk_read_file(path, sizeof text - 1, &bytes, &n, e);
    if (rc)
        return rc;
    memcpy(text, bytes, n);
    text[n] = 0;
    free(bytes);
    if (sscanf(text, "%39s %1023s", m->id, m->url) != 2)
        return error_set(e, -EBADMSG, "%s: does not have a number and a URL; restore it from a backup", path);
    return 0;
}

static int write_marker(const struct store *s, const struct marker *m, struct error *e)
{
    char path[DISK_PATH_MAX], text[MARKER_MAX];
    int n = snprintf(text, sizeof text, "%s\n%s\n", m->id, m->url);
    return disk_write_synced(store_path(s, path, MARKER), text, (size_t)n, e);
}

/* Reads the number of the store that owns the objects of a place; "" = none does. */
static int read_owner(struct s3 *place, char id[40], struct error *e)
{
    struct buffer answer;
    buffer_init(&answer, MARKER_MAX);
    int rc = s3_get(place, OWNER, &answer, OWNER_TRIES, e);
    snprintf(id, 40, "%.*s", rc ? 0 : (int)answer.len, answer.len ? (const char *)answer.data : "");
    id[strcspn(id, "\n")] = 0;
    buffer_deinit(&answer);
    return rc == -ENOENT ? 0 : rc;
}

static int write_owner(struct s3 *place, const char *id, struct error *e)
{
    char text[48];
    int n = snprintf(text, sizeof text, "%s\n", id);
    return s3_put(place, OWNER, text, (size_t)n, OWNER_TRIES, e);
}

static int set_mark(const struct store *s, const char *name, struct error *e)
{
    char path[DISK_PATH_MAX];
    return disk_write_synced(store_path(s, path, name), "", 0, e);
}

/* Takes the place for a store that has had none. */
static int claim(struct store *s, struct marker *m, struct error *e)
{
    char owner[40];
    uint64_t id[2];
    int rc = read_owner(s->cold->s3, owner, e);
    if (rc)
        return rc;
    if (*owner && !s->options.cold_take_over)
        return error_set(e, -EEXIST,
                         "%s: belongs to another server's folder; give another prefix, or, if that folder is lost for good, "
                         "--cold-take-over",
                         s3_url(s->cold->s3));
    if (getrandom(id, sizeof id, 0) != sizeof id)
        return error_set(e, -EIO, "there is no random number: %s", strerror(errno));
    snprintf(m->id, sizeof m->id, "%016" PRIx64 "%016" PRIx64, id[0], id[1]);
    snprintf(m->url, sizeof m->url, "%s", s3_url(s->cold->s3));
    rc = *owner ? set_mark(s, ADOPTING, e) : 0;
    rc = rc ? rc : write_owner(s->cold->s3, m->id, e);
    return rc ? rc : write_marker(s, m, e);
}

int cold_check_owner(struct store *s, struct error *e)
{
    struct cold *c = s->cold;
    char owner[40];
    if (c->owned)
        return 0;
    int rc = read_owner(c->s3, owner, e);
    if (!rc && *owner && strcmp(owner, c->id))
        rc = error_set(e, -EEXIST, "%s: another server has taken it over; give another prefix", s3_url(c->s3));
    if (!rc && !*owner)
        rc = write_owner(c->s3, c->id, e);
    c->owned = !rc;
    return rc;
}

int cold_take_place(struct store *s, struct s3 *place, struct error *e)
{
    struct marker m;
    char owner[40];
    int rc = read_owner(place, owner, e);
    if (!rc && *owner && strcmp(owner, s->cold->id))
        rc = error_set(e, -EEXIST, "%s: belongs to another server's folder; give another prefix", s3_url(place));
    rc = rc || *owner ? rc : write_owner(place, s->cold->id, e);
    snprintf(m.id, sizeof m.id, "%s", s->cold->id);
    snprintf(m.url, sizeof m.url, "%s", s3_url(place));
    return rc ? rc : write_marker(s, &m, e);
}

/* If the service does not answer, the threads that make objects check it later. */
static int check_owner(struct store *s, struct error *e)
{
    int rc = cold_check_owner(s, e);
    if (rc == -EHOSTUNREACH)
        store_tell(s, "%s; recordings stay on the disk meanwhile", e->text);
    return rc == -EHOSTUNREACH ? 0 : rc;
}

/* ---- opening ---- */

static int count_cache(const struct store *s, struct error *e)
{
    char folder[DISK_PATH_MAX], path[DISK_PATH_MAX + 300];
    int rc = disk_directory(store_path(s, folder, CACHE), e);
    DIR *dir = rc ? NULL : opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (*entry->d_name != '.')
            s->cold->cached += disk_size(path);
    }
    if (dir)
        closedir(dir);
    return rc;
}

/* Checks that the place is the one that the folder's recordings are in. */
static int check_place(const struct store *s, struct marker *m, const struct catalogue_sums *sums, struct error *e)
{
    const char *url = s->options.cold;
    bool has = sums->cold_recordings || sums->cold_going;
    if (!*m->id || (url && !strncmp(url, m->url, strlen(m->url)) && !url[strlen(m->url) + strspn(url + strlen(m->url), "/")]))
        return 0;
    if (has)
        return error_set(e, -EINVAL,
                         "%s: %" PRIu64 " of its recordings are objects in %s: give --cold %s; if the objects were moved, "
                         "change the URL in %s/" MARKER,
                         s->path, sums->cold_recordings, m->url, m->url, s->path);
    *m = (struct marker){0};
    return 0;
}

static int begin(struct store *s, struct marker *m, bool is_new, struct error *e)
{
    struct cold *c = s->cold = calloc(1, sizeof *c);
    const struct s3_options o = {s->options.s3_endpoint, s->options.s3_region, s->options.s3_credentials, s->options.s3_ca};
    if (!c)
        return error_set(e, -ENOMEM, "out of memory");
    pthread_mutex_init(&c->trimming, NULL);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->end, NULL);
    int rc = s3_open(&c->s3, s->options.cold, &o, s->options.stop, e);
    rc = rc ? rc : count_cache(s, e);
    if (!rc && *m->id && is_new)
        rc = set_mark(s, ADOPTING, e);
    bool is_known = *m->id;
    rc = rc || is_known ? rc : claim(s, m, e);
    if (rc)
        return rc;
    snprintf(c->id, sizeof c->id, "%s", m->id);
    c->owned = !is_known;
    return is_known ? check_owner(s, e) : 0;
}

int cold_open(struct store *s, bool is_new, struct error *e)
{
    struct catalogue_sums sums;
    struct marker m;
    int rc = read_marker(s, &m, e);
    rc = rc ? rc : catalogue_sums(s->catalogue, &sums, e);
    rc = rc ? rc : check_place(s, &m, &sums, e);
    return rc || !s->options.cold ? rc : begin(s, &m, is_new, e);
}

void cold_close(struct store *s)
{
    struct cold *c = s->cold;
    if (!c)
        return;
    pthread_mutex_lock(&c->lock);
    c->ending = true;
    pthread_cond_broadcast(&c->end);
    pthread_mutex_unlock(&c->lock);
    for (unsigned i = 0; i < COLD_MOVERS; i++)
        if (c->movers[i].runs)
            pthread_join(c->movers[i].thread, NULL);
    s3_close(c->s3);
    pthread_cond_destroy(&c->end);
    pthread_mutex_destroy(&c->lock);
    pthread_mutex_destroy(&c->trimming);
    free(c);
    s->cold = NULL;
}

bool store_moves(const struct store *s, struct store_moves *out)
{
    const struct cold *c = s->cold;
    *out = (struct store_moves){0};
    if (c)
        *out = (struct store_moves){c->moved, c->moved_bytes, c->fetched, c->fetched_bytes, c->hits, c->removed, c->failed};
    return c;
}

/* ---- which objects there are ---- */

bool cold_must_adopt(const struct store *s)
{
    char path[DISK_PATH_MAX];
    return s->cold && !access(store_path(s, path, ADOPTING), F_OK);
}

int cold_note_restored(const char *folder, struct error *e)
{
    char marker[DISK_PATH_MAX], quarantine[DISK_PATH_MAX], adopting[DISK_PATH_MAX];
    snprintf(marker, sizeof marker, "%s/" MARKER, folder);
    snprintf(quarantine, sizeof quarantine, "%s/quarantine", folder);
    snprintf(adopting, sizeof adopting, "%s/" ADOPTING, folder);
    if (access(marker, F_OK))
        return 0;
    int rc = disk_directory(quarantine, e);
    return rc ? rc : disk_write_file(adopting, "", 0, e);
}

int cold_adopted(struct store *s, struct error *e)
{
    char path[DISK_PATH_MAX];
    disk_remove(store_path(s, path, ADOPTING));
    return disk_sync_directory(store_path(s, path, "quarantine"), e);
}

struct listing {
    cold_visit *visit;
    void *context;
};

static int visit_name(void *listing, const char *name, struct error *e)
{
    const struct listing *l = listing;
    uint8_t identity[ENVELOPE_IDENTITY];
    const char *slash = strrchr(name, '/');
    char key[COLD_KEY_MAX];
    if (!slash || !hex_parse(slash + 1, identity, sizeof identity)) /* others may keep objects there, too */
        return 0;
    cold_key(identity, key);
    return strcmp(key, name) ? 0 : l->visit(l->context, identity, e);
}

int cold_each(struct store *s, cold_visit *visit, void *context, struct error *e)
{
    struct listing l = {visit, context};
    return s3_list(s->cold->s3, BEGIN, "", visit_name, &l, e);
}

/* ---- fetching ---- */

void cold_key(const uint8_t identity[ENVELOPE_IDENTITY], char out[COLD_KEY_MAX])
{
    char hex[2 * ENVELOPE_IDENTITY + 1];
    hex_put(hex, identity, ENVELOPE_IDENTITY);
    snprintf(out, COLD_KEY_MAX, BEGIN "%.2s/%s", hex, hex);
}

struct kept_object {
    char name[2 * ENVELOPE_IDENTITY + 1];
    int64_t used;
    uint64_t size;
};

static int by_use(const void *left, const void *right)
{
    const struct kept_object *a = left, *b = right;
    return (a->used > b->used) - (a->used < b->used);
}

/* Lists the files of the cache. The caller frees the list. */
static struct kept_object *list_cache(const char *folder, uint32_t *n)
{
    struct kept_object *list = NULL;
    char path[DISK_PATH_MAX + 300];
    uint32_t cap = 0;
    struct stat st;
    *n = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (*entry->d_name == '.' || strlen(entry->d_name) >= sizeof list->name || stat(path, &st) || ARRAY_GROW(list, cap, *n))
            continue;
        struct kept_object *one = &list[(*n)++];
        snprintf(one->name, sizeof one->name, "%s", entry->d_name);
        one->used = st.st_mtim.tv_sec * NS_PER_S + st.st_mtim.tv_nsec;
        one->size = (uint64_t)st.st_size;
    }
    if (dir)
        closedir(dir);
    return list;
}

/* Removes the files that were not used for the longest time, until a part of the room is free. Readers keep what they have open. */
static void trim_cache(struct store *s)
{
    struct cold *c = s->cold;
    char folder[DISK_PATH_MAX], path[DISK_PATH_MAX + 300];
    uint32_t n;
    uint64_t sum = 0, most = s->options.cold_cache;
    if (c->cached <= most)
        return;
    pthread_mutex_lock(&c->trimming);
    struct kept_object *list = list_cache(store_path(s, folder, CACHE), &n);
    if (n)
        qsort(list, n, sizeof *list, by_use);
    for (uint32_t i = 0; i < n; i++)
        sum += list[i].size;
    for (uint32_t i = 0; i < n && sum > most - most / TRIM_PART; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, list[i].name);
        sum -= disk_remove(path) ? 0 : list[i].size;
    }
    c->cached = sum;
    free(list);
    pthread_mutex_unlock(&c->trimming);
}

static void remove_cached(struct cold *c, const char *path)
{
    pthread_mutex_lock(&c->trimming);
    uint64_t size = disk_size(path), cached = c->cached;
    c->cached -= disk_remove(path) ? 0 : size < cached ? size : cached;
    pthread_mutex_unlock(&c->trimming);
}

static char *cached_path(const struct store *s, char *out, const uint8_t identity[ENVELOPE_IDENTITY])
{
    char key[COLD_KEY_MAX], name[COLD_KEY_MAX + 16];
    cold_key(identity, key);
    snprintf(name, sizeof name, CACHE "/%s", strrchr(key, '/') + 1);
    return store_path(s, out, name);
}

void cold_forget(struct store *s, const uint8_t identity[ENVELOPE_IDENTITY])
{
    char path[DISK_PATH_MAX];
    remove_cached(s->cold, cached_path(s, path, identity));
}

static void note_failure(struct cold *c, int rc)
{
    c->failed++;
    if (rc == -EHOSTUNREACH)
        c->down_until_ns = clock_monotonic_ns() + DOWN_S * NS_PER_S;
}

/* Fetches an object into the cache. Another thread may do the same: each writes a file of its own first. */
static int fetch(struct store *s, const uint8_t identity[ENVELOPE_IDENTITY], const char *path, struct error *e)
{
    struct cold *c = s->cold;
    struct buffer object;
    char key[COLD_KEY_MAX], name[64], made[DISK_PATH_MAX];
    if (c->down_until_ns > clock_monotonic_ns())
        return error_set(e, -EHOSTUNREACH, "%s: could not be asked a moment ago", s3_url(c->s3));
    cold_key(identity, key);
    buffer_init(&object, SIZE_MAX / 2);
    int rc = s3_get(c->s3, key, &object, COLD_QUERY_TRIES, e);
    if (rc)
        note_failure(c, rc);
    snprintf(name, sizeof name, "incoming/fetched-%" PRIuFAST64, ++c->files);
    rc = rc ? rc : disk_write_file(store_path(s, made, name), object.data, object.len, e);
    if (!rc) {
        pthread_mutex_lock(&c->trimming); /* trim_cache sees the file and its bytes, or neither */
        rc = disk_rename(made, path, e);
        c->cached += rc ? 0 : object.len;
        pthread_mutex_unlock(&c->trimming);
        c->fetched += !rc;
        c->fetched_bytes += rc ? 0 : object.len;
    }
    buffer_deinit(&object);
    return rc;
}

int cold_fetch(struct store *s, const uint8_t identity[ENVELOPE_IDENTITY], struct envelope *v, struct error *e)
{
    char path[DISK_PATH_MAX];
    int rc = envelope_open(v, cached_path(s, path, identity), e);
    if (!rc) {
        utimensat(AT_FDCWD, path, NULL, 0);
        s->cold->hits++;
        return 0;
    }
    if (rc == -EBADMSG) /* the disk has damaged it: the object is there */
        remove_cached(s->cold, path);
    rc = fetch(s, identity, path, e);
    rc = rc ? rc : envelope_open(v, path, e);
    if (!rc && memcmp(v->identity, identity, ENVELOPE_IDENTITY)) {
        envelope_close(v);
        rc = error_set(e, -EBADMSG, "%s: its object has another recording", path);
    }
    if (rc == -EBADMSG)
        remove_cached(s->cold, path);
    trim_cache(s);
    return rc;
}
