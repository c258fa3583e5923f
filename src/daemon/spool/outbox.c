#include "daemon/spool/outbox.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/text/number.h"
#include "base/text/units.h"
#include "daemon/log.h"
#include "base/text/hex.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sha256.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const outbox_loss_names[OUTBOX_REASONS] = {"spool_full", "refused", "damaged", "too_large"};

static const char aside[] = "new";

/* ---- names and keys ---- */

void outbox_key(const void *bytes, size_t size, char key[OUTBOX_KEY])
{
    uint8_t digest[SHA256_DIGEST_LENGTH];
    SHA256_CTX context;
    SHA256_Init(&context);
    SHA256_Update(&context, bytes, size);
    SHA256_Final(digest, &context);
    hex_put(key, digest, sizeof digest);
}

static bool parse_name(const char *name, uint64_t *sequence, char *id, struct outbox_position *at)
{
    int end = 0;
    return sscanf(name, "%16" SCNx64 "-%16[0-9a-f]-%16" SCNx64 "-%16" SCNx64 "-%16" SCNx64 "%n", sequence, id, &at->chunk, &at->to, &at->ns,
                  &end) == 5 &&
           !name[end];
}

/* Returns the recording's id in a name. It begins with the id of the JVM. */
static const char *owner_of(const char *name)
{
    const char *dash = strchr(name, '-');
    return dash ? dash + 1 : "";
}

bool outbox_position(struct outbox *o, const char *id, struct outbox_position *at)
{
    bool found = false;
    pthread_mutex_lock(&o->lock);
    for (uint32_t i = o->count; i-- > 0 && !found;) {
        uint64_t sequence;
        char of[17];
        found = parse_name(o->entries[i].name, &sequence, of, at) && !strcmp(of, id);
    }
    pthread_mutex_unlock(&o->lock);
    return found;
}

/* ---- the list ---- */

static int add(struct outbox *o, const char *name, uint64_t bytes, bool hidden)
{
    if (ARRAY_GROW(o->entries, o->cap, o->count))
        return -ENOMEM;
    struct outbox_entry *entry = &o->entries[o->count++];
    *entry = (struct outbox_entry){.bytes = bytes, .hidden = hidden};
    snprintf(entry->name, sizeof entry->name, "%s", name);
    o->waiting.recordings++;
    o->waiting.bytes += bytes;
    struct charge *charge = charges_of(&o->charges, owner_of(name));
    if (charge)
        charge->waiting += bytes;
    return 0;
}

static struct outbox_entry *find(struct outbox *o, const char *name)
{
    for (uint32_t i = 0; i < o->count; i++)
        if (!strcmp(o->entries[i].name, name))
            return &o->entries[i];
    return NULL;
}

static void forget(struct outbox *o, struct outbox_entry *entry)
{
    uint32_t i = (uint32_t)(entry - o->entries);
    o->waiting.recordings--;
    o->waiting.bytes -= entry->bytes;
    struct charge *charge = charges_of(&o->charges, owner_of(entry->name));
    if (charge)
        charge->waiting -= charge->waiting < entry->bytes ? charge->waiting : entry->bytes;
    unlinkat(o->folder, entry->name, 0);
    memmove(entry, entry + 1, (--o->count - i) * sizeof *entry);
}

/* Counts a loss. id: the recording, or NULL if its JVM is unknown. */
static void count_loss(struct outbox *o, const char *id, enum outbox_loss why, uint64_t bytes)
{
    struct charge *charge = id ? charges_of(&o->charges, id) : NULL;
    if (charge) {
        charge->lost_recordings++;
        charge->lost_bytes += bytes;
    }
    o->dropped[why].recordings++;
    o->dropped[why].bytes += bytes;
}

/* Reads the labels of an entry, as far as they fit, so that people can see to whom it belongs. */
static void labels_of_entry(const struct outbox *o, const char *name, char *out, size_t size)
{
    char head[512];
    int fd = openat(o->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : pread(fd, head, sizeof head - 1, 0);
    if (fd >= 0)
        close(fd);
    head[n < 0 ? 0 : n] = 0;
    const char *query = strstr(head, "\nquery ");
    snprintf(out, size, "%.*s", query ? (int)strcspn(query + 7, "\n") : 1, query ? query + 7 : "?");
}

static bool drop_oldest_of(struct outbox *o, const struct charge *charge)
{
    char labels[200];
    for (uint32_t i = 0; charge && i < o->count; i++) {
        struct outbox_entry *entry = &o->entries[i];
        if (entry->hidden || entry->sending || !charges_is_of(charge, owner_of(entry->name)))
            continue;
        labels_of_entry(o, entry->name, labels, sizeof labels);
        count_loss(o, owner_of(entry->name), OUTBOX_FULL, entry->bytes);
        log_warning("dropped recording=%s of=%s bytes=%" PRIu64
                    " reason=spool_full; this JVM uses the most spool space: raise --spool-max, or find out why the server accepts nothing",
                    entry->name, labels, entry->bytes);
        forget(o, entry);
        return true;
    }
    return false;
}

/* Drops the oldest waiting data of the JVM that uses most. If that JVM has none waiting, it must give up its current recording
 * (outbox_wants_live), and no other JVM loses data for it. But if the waiting data alone exceeds the limit, the JVM with most waiting
 * data loses some. */
static bool make_room(struct outbox *o, uint64_t bytes)
{
    return drop_oldest_of(o, charges_largest(&o->charges, false)) ||
           (o->waiting.bytes + bytes > o->max_bytes && drop_oldest_of(o, charges_largest(&o->charges, true)));
}

/* ---- opening ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct outbox_entry *)a)->name, ((const struct outbox_entry *)b)->name);
}

static int take_file(struct outbox *o, const char *name)
{
    struct outbox_position at;
    struct stat st;
    uint64_t sequence;
    char id[17];
    if (*name == '.' || fstatat(o->folder, name, &st, AT_SYMLINK_NOFOLLOW) || S_ISDIR(st.st_mode))
        return 0;
    if (!strcmp(name, aside)) {
        unlinkat(o->folder, name, 0);
        return 0;
    }
    if (!S_ISREG(st.st_mode) || strlen(name) >= OUTBOX_NAME || !parse_name(name, &sequence, id, &at))
        return 0; /* not a file of the outbox */
    o->sequence = sequence > o->sequence ? sequence : o->sequence;
    return add(o, name, (uint64_t)st.st_size, false);
}

int outbox_open(struct outbox *o, int folder, uint64_t max_bytes, struct error *e)
{
    *o = (struct outbox){.folder = folder, .max_bytes = max_bytes};
    pthread_mutex_init(&o->lock, NULL);
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    if (!directory)
        return error_set(e, -errno, "cannot read the spool's queue: %s", strerror(errno));
    int code = 0;
    for (struct dirent *entry; !code && (entry = readdir(directory));)
        code = take_file(o, entry->d_name);
    closedir(directory);
    if (o->count)
        qsort(o->entries, o->count, sizeof *o->entries, by_name);
    return code ? error_set(e, code, "no memory to list the spool") : 0;
}

void outbox_close(struct outbox *o)
{
    free(o->entries);
    o->entries = NULL;
    charges_deinit(&o->charges);
    pthread_mutex_destroy(&o->lock);
}

/* ---- putting ---- */

static int write_all(int fd, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size) {
        ssize_t n = write(fd, at, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n ? -errno : -EIO;
        at += n;
        size -= (size_t)n;
    }
    return 0;
}

static int write_file(struct outbox *o, const char *name, const struct buffer *head, const void *body, size_t size)
{
    int fd = openat(o->folder, aside, O_CREAT | O_TRUNC | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    int code = write_all(fd, head->data, head->len);
    if (!code)
        code = write_all(fd, body, size);
    if (!code && fsync(fd))
        code = -errno;
    if (close(fd) && !code)
        code = -errno;
    if (!code && renameat(o->folder, aside, o->folder, name))
        code = -errno;
    if (!code && fsync(o->folder))
        code = -errno;
    if (code)
        unlinkat(o->folder, aside, 0);
    return code == -EDQUOT ? -ENOSPC : code; /* a quota of the file system counts as a full disk */
}

static uint64_t next_sequence(struct outbox *o)
{
    uint64_t now = clock_realtime_ns();
    o->sequence = now > o->sequence ? now : o->sequence + 1;
    return o->sequence;
}

/* Writes a piece. The caller holds the lock, and has charged its bytes already. Room is made before, and again when the disk is full. */
static int put_in_room(struct outbox *o, const char *name, const struct buffer *head, const void *body, size_t size)
{
    uint64_t bytes = head->len + size;
    int code;
    while (bytes <= o->max_bytes && o->waiting.bytes + bytes + o->charges.live > o->max_bytes && make_room(o, bytes))
        ;
    if (o->waiting.bytes + bytes > o->max_bytes)
        return -EMSGSIZE;
    while ((code = write_file(o, name, head, body, size)) == -ENOSPC && make_room(o, bytes))
        ;
    o->squeezed = code == -ENOSPC;
    return code ? code : add(o, name, bytes, true);
}

static int put_locked(struct outbox *o, const char *name, const struct buffer *head, const void *body, size_t size)
{
    uint64_t bytes = head->len + size;
    struct charge *charge = charges_of(&o->charges, owner_of(name));
    if (charge)
        charge->waiting += bytes;
    int code = put_in_room(o, name, head, body, size);
    charge = charges_of(&o->charges, owner_of(name));
    if (charge)
        charge->waiting -= bytes;
    if (code == -EMSGSIZE)
        count_loss(o, owner_of(name), OUTBOX_FULL, bytes);
    if (code)
        return code;
    o->spooled.recordings++;
    o->spooled.bytes += bytes;
    return 0;
}

int outbox_put(struct outbox *o, const char *id, const struct outbox_position *at, const char *query, const void *body, size_t size,
               char name[OUTBOX_NAME], struct error *e)
{
    struct buffer head;
    char key[OUTBOX_KEY];
    outbox_key(body, size, key);
    buffer_init(&head, OUTBOX_HEAD_MAX);
    buffer_printf(&head, "candor-spool 1\nkey %s\nquery %s\nsize %zu\n\n", key, query, size);
    if (head.failed) {
        buffer_deinit(&head);
        return error_set(e, -E2BIG, "the labels are too long");
    }
    pthread_mutex_lock(&o->lock);
    snprintf(name, OUTBOX_NAME, "%016" PRIx64 "-%s-%" PRIx64 "-%" PRIx64 "-%" PRIx64, next_sequence(o), id, at->chunk, at->to, at->ns);
    int code = put_locked(o, name, &head, body, size);
    pthread_mutex_unlock(&o->lock);
    buffer_deinit(&head);
    return code ? error_set(e, code, "cannot write to the spool: %s", strerror(-code)) : 0;
}

void outbox_release(struct outbox *o, const char *name)
{
    pthread_mutex_lock(&o->lock);
    struct outbox_entry *entry = find(o, name);
    if (entry)
        entry->hidden = false;
    pthread_mutex_unlock(&o->lock);
}

/* ---- sending ---- */

static struct outbox_entry *choose(struct outbox *o, const char *after)
{
    struct outbox_entry *first = NULL;
    for (uint32_t i = 0; i < o->count; i++) {
        if (o->entries[i].hidden)
            continue;
        first = first ? first : &o->entries[i];
        if (strcmp(o->entries[i].name, after) > 0)
            return &o->entries[i];
    }
    return first;
}

/* Reads the head, and checks that its size and hash are those of the body. */
static int read_letter(struct outbox_letter *l, uint64_t file_size)
{
    char head[OUTBOX_HEAD_MAX], key[OUTBOX_KEY];
    ssize_t n = pread(l->fd, head, sizeof head - 1, 0);
    if (n < 0)
        return -errno;
    head[n] = 0;
    char *end = strstr(head, "\n\n");
    int read = 0;
    if (!end || sscanf(head, "candor-spool 1\nkey %64[0-9a-f]\nquery %n", l->key, &read) != 1 || !read)
        return -EBADMSG;
    char *query_end = strstr(head + read, "\nsize ");
    if (!query_end || query_end > end)
        return -EBADMSG;
    l->offset = (uint64_t)(end + 2 - head);
    l->size = number_or_zero(query_end + 6);
    snprintf(l->query, sizeof l->query, "%.*s", (int)(query_end - head - read), head + read);
    if (l->offset + l->size != file_size)
        return -EBADMSG;
    void *body = malloc(l->size + 1);
    if (!body)
        return -ENOMEM;
    bool whole = pread(l->fd, body, l->size, (off_t)l->offset) == (ssize_t)l->size;
    outbox_key(body, whole ? l->size : 0, key);
    free(body);
    return whole && !strcmp(key, l->key) ? 0 : -EBADMSG;
}

static int open_letter(struct outbox *o, struct outbox_letter *l)
{
    struct stat st;
    l->fd = openat(o->folder, l->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (l->fd < 0)
        return errno == ENOENT || errno == ELOOP ? -EBADMSG : -errno;
    return fstat(l->fd, &st) ? -errno : read_letter(l, (uint64_t)st.st_size);
}

int outbox_next(struct outbox *o, const char *after, struct outbox_letter *l)
{
    for (;;) {
        pthread_mutex_lock(&o->lock);
        struct outbox_entry *entry = choose(o, after);
        if (entry) {
            entry->sending = true;
            snprintf(l->name, sizeof l->name, "%s", entry->name);
        }
        pthread_mutex_unlock(&o->lock);
        if (!entry)
            return -ENOENT;
        int code = open_letter(o, l);
        if (!code)
            return 0;
        if (code != -EBADMSG) { /* memory, descriptors or the disk: try again later */
            outbox_put_back(o, l);
            return code;
        }
        log_error("dropped recording=%s reason=damaged; its file in the spool has changed since it was written", l->name);
        outbox_drop(o, l, OUTBOX_DAMAGED);
    }
}

static void close_letter(struct outbox_letter *l)
{
    if (l->fd >= 0)
        close(l->fd);
    l->fd = -1;
}

void outbox_put_back(struct outbox *o, struct outbox_letter *l)
{
    close_letter(l);
    pthread_mutex_lock(&o->lock);
    struct outbox_entry *entry = find(o, l->name);
    if (entry)
        entry->sending = false;
    pthread_mutex_unlock(&o->lock);
}

void outbox_done(struct outbox *o, struct outbox_letter *l)
{
    close_letter(l);
    pthread_mutex_lock(&o->lock);
    struct outbox_entry *entry = find(o, l->name);
    if (entry)
        forget(o, entry);
    pthread_mutex_unlock(&o->lock);
}

void outbox_drop(struct outbox *o, struct outbox_letter *l, enum outbox_loss why)
{
    close_letter(l);
    pthread_mutex_lock(&o->lock);
    struct outbox_entry *entry = find(o, l->name);
    if (entry) {
        count_loss(o, owner_of(entry->name), why, entry->bytes);
        forget(o, entry);
    }
    pthread_mutex_unlock(&o->lock);
}

void outbox_count_loss(struct outbox *o, const char *id, enum outbox_loss why, uint64_t bytes)
{
    pthread_mutex_lock(&o->lock);
    count_loss(o, id, why, bytes);
    pthread_mutex_unlock(&o->lock);
}

/* ---- recordings in progress ---- */

/* An agent of Candor's normally has some megabytes on the disk. */
#define LIVE_USUAL ((uint64_t)16 << 20)

void outbox_begin_live(struct outbox *o)
{
    pthread_mutex_lock(&o->lock);
    charges_begin_live(&o->charges);
    pthread_mutex_unlock(&o->lock);
}

void outbox_add_live(struct outbox *o, const char *id, uint64_t bytes)
{
    pthread_mutex_lock(&o->lock);
    charges_add_live(&o->charges, id, bytes);
    pthread_mutex_unlock(&o->lock);
}

bool outbox_wants_live(struct outbox *o, const char *id)
{
    pthread_mutex_lock(&o->lock);
    bool full = o->squeezed || o->waiting.bytes + o->charges.live > o->max_bytes;
    const struct charge *largest = full ? charges_largest(&o->charges, false) : NULL;
    bool wants = largest && charges_is_of(largest, id) && largest->live > LIVE_USUAL && largest->live > largest->waiting;
    o->squeezed = o->squeezed && !wants;
    pthread_mutex_unlock(&o->lock);
    return wants;
}

struct outbox_tally outbox_lost_of(struct outbox *o, const char *id)
{
    pthread_mutex_lock(&o->lock);
    const struct charge *charge = *id ? charges_find(&o->charges, id) : NULL;
    struct outbox_tally lost = {charge ? charge->lost_recordings : 0, charge ? charge->lost_bytes : 0};
    pthread_mutex_unlock(&o->lock);
    return lost;
}

void outbox_counts(struct outbox *o, struct outbox_counts *out)
{
    pthread_mutex_lock(&o->lock);
    out->waiting = o->waiting;
    out->spooled = o->spooled;
    memcpy(out->dropped, o->dropped, sizeof out->dropped);
    pthread_mutex_unlock(&o->lock);
}
