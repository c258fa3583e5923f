/* Reads recordings again that the catalog does not know, because it was made anew or is an earlier copy: files in the store's folder, and
 * objects (cold.h). A recording takes about a tenth of a second of CPU, and there may be very many. So a thread for each processor takes
 * them into the catalog and seals them, and the store may be used meanwhile: answers say how many recordings they lack, and maintenance
 * waits, because it would remove files that are still needed.
 *
 *     quarantine/segments-rebuilding   the segments of the lost catalog, until what only they knew has been noted
 *     quarantine/rereading             until then: the highest id of a recording of the lost catalog. Made when rereading first began, so
 *                                      what is received later is newer than this file
 *
 * A start that finds these continues. */
#include "store/catalogue/catalogue_cold.h"
#include "store/reread.h"

#include "base/array.h"
#include "base/text/number.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "base/text/hex.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SEGMENTS "quarantine/segments-rebuilding"
#define BEGUN    "quarantine/rereading"

enum { THREADS_MAX = 64, TELL_S = 60, RETRY_S = 60, POLL_NS = 5000000, PAUSE_POLL_NS = 100000000 };

struct reread {
    struct store *store;
    struct reread_file {
        uint8_t identity[ENVELOPE_IDENTITY];
        bool is_object, done;
    } * list;
    uint32_t count, cap;
    struct rebuild *rebuild; /* what the segments of the former catalog have; NULL = there was none */
    int64_t begun_ns;        /* recordings that were received since then were never in the former catalog */
    pthread_t leader;
    bool has_leader;
    atomic_uint next; /* the first file that no thread has taken */
    atomic_uint left; /* files that are not in the catalog yet */
    atomic_bool stop, over;
    atomic_bool unwatched;        /* the start waits no longer */
    atomic_bool tried;            /* something could not be read, and is tried again later */
    atomic_uint_fast64_t tell_ns; /* when progress is reported next, in monotonic time */
    int rc;                       /* the result, and its message; valid when `over` is set */
    struct error error;
};

/* ---- one recording ---- */

static int adopt(struct reread *r, const struct envelope *v, bool is_object, struct error *e)
{
    struct store *s = r->store;
    struct sealing *l = malloc(sizeof *l);
    if (!l)
        return error_set(e, -ENOMEM, "out of memory");
    int rc = seal_init(l, s, v, true, e);
    if (r->rebuild && l->recording.received_ns >= r->begun_ns) /* it is being sent again */
        l->recording.received_ns = r->begun_ns - 1;
    rc = rc ? rc : catalogue_add(s->catalogue, &l->recording, l->parts, l->part_count, e);
    bool again = rc == -EEXIST;
    if (again && r->rebuild) /* it was sent again meanwhile */
        rc = catalogue_received_before(s->catalogue, v->identity, r->begun_ns, e);
    else if (again)
        rc = 0;
    if (!rc && is_object && !again)
        rc = catalogue_set_cold(s->catalogue, l->recording.id, e);
    if (!rc && !again)
        seal_arrival(s, l, &v->note);
    seal_deinit(l);
    free(l);
    return rc;
}

static bool is_gone(const struct store *s, const struct reread_file *f)
{
    char path[DISK_PATH_MAX];
    return !f->is_object && access(store_recording_path(s, path, f->identity), F_OK) && errno == ENOENT;
}

/* A file that cannot be read is put aside. An object stays where it is. */
static void refuse(struct store *s, const struct reread_file *f, const struct error *e)
{
    char path[DISK_PATH_MAX];
    store_tell(s, "%s", e->text);
    if (!f->is_object)
        recover_put_aside(s, store_recording_path(s, path, f->identity), strrchr(path, '/') + 1);
}

/* Returns whether nothing more is to be done about the file. Otherwise another attempt may succeed. */
static bool read_one(struct reread *r, const struct reread_file *f)
{
    struct store *s = r->store;
    char path[DISK_PATH_MAX];
    struct envelope v;
    struct error e;
    int rc = f->is_object ? cold_fetch(s, f->identity, &v, &e) : envelope_open(&v, store_recording_path(s, path, f->identity), &e);
    if (!rc) {
        rc = adopt(r, &v, f->is_object, &e);
        envelope_close(&v);
    }
    if (!rc || is_gone(s, f))
        return true;
    bool is_final = recover_is_final(rc) || rc == -ERANGE;
    if (is_final)
        refuse(s, f, &e);
    return is_final;
}

/* ---- the end ---- */

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

static void remove_folders(const char *folder)
{
    char path[2 * DISK_PATH_MAX];
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.')
            disk_remove_directory(path);
    }
    if (dir)
        closedir(dir);
    disk_remove_directory(folder);
}

/* A rename in or into quarantine/ is on the disk before what builds on it. */
static int rename_synced(struct store *s, const char *from, const char *to, struct error *e)
{
    char path[DISK_PATH_MAX];
    int rc = disk_rename(from, to, e);
    rc = rc ? rc : disk_sync_directory(store_path(s, path, "quarantine"), e);
    return rc ? rc : disk_sync_directory(s->path, e);
}

/* The segments of the old catalog stay if they have, or may have, data that the recordings lack. */
static int end_segments(struct store *s, const struct rebuild_found *found, struct error *e)
{
    char from[DISK_PATH_MAX], to[DISK_PATH_MAX];
    snprintf(to, sizeof to, "%s/quarantine/%lld-segments", s->path, (long long)time(NULL));
    int rc = rename_synced(s, store_path(s, from, SEGMENTS), to, e);
    if (rc)
        return rc;
    tell_kept(s, to, found);
    if (!found->missing && !found->unread)
        remove_folders(to);
    return 0;
}

static bool has(const struct store *s, const char *name)
{
    char path[DISK_PATH_MAX];
    return !access(store_path(s, path, name), F_OK);
}

/* Notes what is missing, now that the recordings are in the catalog, and removes the files that it does not know. */
static int finish(struct reread *r, struct error *e)
{
    struct store *s = r->store;
    char begun[DISK_PATH_MAX];
    struct rebuild_found found = {0}, nothing = {0};
    bool remade = has(s, SEGMENTS);
    int rc = cold_must_adopt(s) ? cold_adopted(s, e) : 0;
    if (!rc && r->rebuild)
        rc = rebuild_note_missing(s, r->rebuild, r->begun_ns, &found, e);
    if (!rc && remade)
        rc = end_segments(s, &found, e);
    if (!rc && copy_is_in_use(s))
        rc = copy_agree(s, remade ? &nothing : &found, e);
    if (rc)
        return rc;
    disk_remove(store_path(s, begun, BEGUN));
    for (size_t i = 0; i < SEALING_LOCKS; i++) /* a file is in the catalog only when its part is sealed */
        pthread_mutex_lock(&s->sealing[i]);
    merge_sweep(s);
    for (size_t i = 0; i < SEALING_LOCKS; i++)
        pthread_mutex_unlock(&s->sealing[i]);
    return 0;
}

/* ---- threads ---- */

static void tell_progress(struct reread *r)
{
    uint64_t now = clock_monotonic_ns(), due = atomic_load_explicit(&r->tell_ns, memory_order_relaxed);
    if (now >= due && atomic_compare_exchange_strong(&r->tell_ns, &due, now + TELL_S * NS_PER_S))
        store_tell(r->store, "recordings are read again: %" PRIu32 " of %" PRIu32 " to do", (uint32_t)atomic_load(&r->left), r->count);
}

static bool is_stopping(const struct reread *r)
{
    return store_is_stopping(r->store) || atomic_load(&r->stop);
}

static void *work(void *of)
{
    struct reread *r = of;
    for (uint32_t i; !is_stopping(r) && (i = atomic_fetch_add(&r->next, 1)) < r->count; tell_progress(r))
        if (!r->list[i].done && read_one(r, &r->list[i])) {
            r->list[i].done = true;
            atomic_fetch_sub(&r->left, 1);
        }
    return NULL;
}

/* Tries to read each file that is not read yet, with the help of a thread for each other processor. */
static void read_all(struct reread *r)
{
    pthread_t others[THREADS_MAX];
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t count = 0;
    atomic_store(&r->next, 0);
    while (count + 1 < processors && count + 1 < r->count && count < THREADS_MAX && !pthread_create(&others[count], NULL, work, r))
        count++;
    work(r);
    while (count)
        pthread_join(others[--count], NULL);
}

static void pause_for(const struct reread *r, uint64_t ns)
{
    const struct timespec poll = {.tv_nsec = PAUSE_POLL_NS};
    for (uint64_t end = clock_monotonic_ns() + ns; !is_stopping(r) && clock_monotonic_ns() < end;)
        nanosleep(&poll, NULL);
}

/* Reads all files, and finishes. Tries again later what fails for want of memory, room or the service that has the objects; without a
 * thread of its own, only the next start does. */
static void *lead(void *of)
{
    struct reread *r = of;
    read_all(r);
    while (atomic_load(&r->left) && !is_stopping(r)) {
        store_tell(r->store, "%" PRIu32 " recordings could not be read again now; until they are, answers are incomplete and say so",
                   (uint32_t)atomic_load(&r->left));
        atomic_store(&r->tried, true);
        if (!r->has_leader)
            return NULL;
        pause_for(r, RETRY_S * NS_PER_S);
        read_all(r);
    }
    while ((r->rc = is_stopping(r) ? 0 : finish(r, &r->error))) {
        store_tell(r->store, "%s", r->error.text);
        if (!r->has_leader || !atomic_load(&r->unwatched))
            break; /* the start fails */
        pause_for(r, RETRY_S * NS_PER_S);
    }
    atomic_store(&r->over, true);
    return NULL;
}

/* ---- the beginning ---- */

static int list_one(struct reread *r, const uint8_t identity[ENVELOPE_IDENTITY], bool is_object, struct error *e)
{
    if (ARRAY_GROW(r->list, r->cap, r->count))
        return error_set(e, -ENOMEM, "out of memory");
    struct reread_file *f = &r->list[r->count++];
    *f = (struct reread_file){.is_object = is_object};
    memcpy(f->identity, identity, sizeof f->identity);
    return 0;
}

/* A recording that became an object just before a crash may still have its file. */
static int list_file(struct reread *r, const char *folder, const char *name, struct error *e)
{
    char path[2 * DISK_PATH_MAX];
    uint8_t identity[ENVELOPE_IDENTITY];
    struct store *s = r->store;
    uint64_t id;
    bool cold = false, going;
    if (!hex_parse(name, identity, sizeof identity))
        return 0;
    int rc = catalogue_find(s->catalogue, identity, "", &id, e);
    if (rc || !id)
        return rc ? rc : list_one(r, identity, false, e);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    rc = s->cold ? catalogue_is_cold(s->catalogue, identity, &cold, &going, e) : 0;
    if (!rc && cold)
        disk_remove(path);
    return rc;
}

static int list_files(struct reread *r, struct error *e)
{
    char path[DISK_PATH_MAX];
    int rc = 0;
    for (unsigned i = 0; !rc && i < 256; i++) {
        snprintf(path, sizeof path, "%s/recordings/%02x", r->store->path, i);
        DIR *dir = opendir(path);
        if (!dir)
            return error_set(e, -errno, "%s: cannot be read: %s", path, strerror(errno));
        for (struct dirent *entry; !rc && (entry = readdir(dir));)
            rc = list_file(r, path, entry->d_name, e);
        closedir(dir);
    }
    return rc;
}

static int list_object(void *context, const uint8_t identity[ENVELOPE_IDENTITY], struct error *e)
{
    struct reread *r = context;
    uint64_t id;
    bool cold, going;
    int rc = catalogue_find(r->store->catalogue, identity, "", &id, e);
    rc = rc ? rc : catalogue_is_cold(r->store->catalogue, identity, &cold, &going, e);
    return rc || id || going ? rc : list_one(r, identity, true, e);
}

static int list_all(struct reread *r, struct error *e)
{
    struct store *s = r->store;
    int rc = list_files(r, e);
    if (!rc && cold_must_adopt(s)) {
        store_tell(s, "%s: learns which recordings are there", s->options.cold);
        rc = cold_each(s, list_object, r, e);
    }
    return rc;
}

/* Reads the number in the file, which an interrupted start has left. *last = UINT64_MAX if there is none. */
static int read_beginning(const struct store *s, uint64_t *last, struct error *e)
{
    char path[DISK_PATH_MAX], text[24] = "";
    const char *at = text;
    uint8_t *bytes;
    size_t n;
    *last = UINT64_MAX;
    if (!has(s, BEGUN))
        return 0;
    int rc = disk_read_file(store_path(s, path, BEGUN), sizeof text - 1, &bytes, &n, e);
    if (rc)
        return rc;
    memcpy(text, bytes, n);
    free(bytes);
    return number_take(&at, 10, 0, UINT64_MAX, last) ? error_set(e, -EBADMSG, "%s: has no number", path) : 0;
}

static int note_beginning(struct reread *r, struct error *e)
{
    char path[DISK_PATH_MAX], text[24];
    struct stat st;
    int n = snprintf(text, sizeof text, "%" PRIu64, rebuild_last_recording(r->rebuild));
    store_path(r->store, path, BEGUN);
    int rc = has(r->store, BEGUN) ? 0 : disk_write_synced(path, text, (size_t)n, e);
    if (!rc && stat(path, &st))
        rc = error_set(e, -errno, "%s: %s", path, strerror(errno));
    r->begun_ns = rc ? 0 : (int64_t)st.st_mtim.tv_sec * NS_PER_S + st.st_mtim.tv_nsec;
    return rc;
}

/* Looks at the segments of the former catalog, before others come. */
static int look_at_segments(struct reread *r, struct error *e)
{
    struct store *s = r->store;
    char path[DISK_PATH_MAX];
    uint64_t last;
    bool remade = has(s, SEGMENTS);
    if (!remade && !copy_is_in_use(s))
        return 0;
    int rc = read_beginning(s, &last, e);
    rc = rc ? rc : rebuild_look(&r->rebuild, store_path(s, path, remade ? SEGMENTS : "segments"), remade, remade ? UINT64_MAX : last, e);
    rc = rc ? rc : note_beginning(r, e);
    return rc || remade ? rc : copy_begin(s, r->rebuild, e);
}

int reread_put_segments_aside(struct store *s, struct error *e)
{
    char path[DISK_PATH_MAX], to[DISK_PATH_MAX];
    int rc = rename_synced(s, store_path(s, path, "segments"), store_path(s, to, SEGMENTS), e);
    return rc ? rc : disk_directory(path, e);
}

bool reread_has_segments(const struct store *s)
{
    return has(s, SEGMENTS);
}

static void wait_for(struct reread *r, uint64_t wait_ns)
{
    const struct timespec poll = {.tv_nsec = POLL_NS};
    uint64_t end = clock_monotonic_ns() + wait_ns;
    while (!atomic_load(&r->over) && !atomic_load(&r->tried) && (!wait_ns || clock_monotonic_ns() < end))
        nanosleep(&poll, NULL);
    atomic_store(&r->unwatched, true);
    if (!atomic_load(&r->over) && !atomic_load(&r->tried))
        store_tell(r->store, "recordings are read again: %" PRIu32 " of %" PRIu32 " to do; until then, answers are incomplete and say so",
                   (uint32_t)atomic_load(&r->left), r->count);
}

/* Starts the leader, which gets no signals, nor do its threads: the program begins to wait for signals later. */
static int start_leader(struct reread *r)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int rc = pthread_create(&r->leader, NULL, lead, r);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

int reread_begin(struct store *s, uint64_t wait_ns, struct error *e)
{
    struct reread *r = s->reread = calloc(1, sizeof *r);
    if (!r)
        return error_set(e, -ENOMEM, "out of memory");
    r->store = s;
    int rc = list_all(r, e);
    rc = rc ? rc : look_at_segments(r, e);
    if (rc)
        return rc;
    atomic_store(&r->left, r->count);
    atomic_store(&r->tell_ns, clock_monotonic_ns() + TELL_S * NS_PER_S);
    r->has_leader = r->count; /* the leader reads it */
    if (!r->has_leader || start_leader(r)) {
        r->has_leader = false;
        lead(r);
    }
    wait_for(r, wait_ns);
    if (!atomic_load(&r->over) || !r->rc)
        return 0;
    *e = r->error;
    return r->rc;
}

bool reread_is_over(const struct store *s)
{
    return atomic_load(&s->reread->over) && !s->reread->rc;
}

uint64_t reread_left(const struct store *s)
{
    const struct reread *r = s->reread;
    uint32_t left = atomic_load(&r->left);
    return left ? left : !reread_is_over(s);
}

void reread_end(struct store *s)
{
    struct reread *r = s->reread;
    if (!r)
        return;
    atomic_store(&r->stop, true);
    if (r->has_leader)
        pthread_join(r->leader, NULL);
    rebuild_free(r->rebuild);
    free(r->list);
    free(r);
    s->reread = NULL;
}
