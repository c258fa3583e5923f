#include "daemon/spool/live.h"

#include "base/buffer.h"
#include "base/map.h"
#include "base/procfs.h"
#include "base/text/number.h"
#include "base/text/units.h"
#include "base/time_units.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STATE_MAX = 64 << 10, BOOT = 64 };

static void file_name(const struct live *l, const char *kind, char *out, size_t size)
{
    snprintf(out, size, "%s.%s", l->id, kind);
}

/* Reads the id of the current boot. The pid and start time of a process mean nothing after the machine is started anew. */
static void boot_id(char *out)
{
    if (procfs_read("/proc/sys/kernel/random/boot_id", out, BOOT) < 0)
        *out = 0;
    out[strcspn(out, "\n")] = 0;
}

/* ---- the state ---- */

static void put_state(struct buffer *b, const struct live *l)
{
    char boot[BOOT];
    boot_id(boot);
    buffer_printf(b, "candor-live 1\nboot %s\npid %d\nstart %" PRIu64 "\nbegan %" PRIu64 "\n", boot, (int)l->pid, l->start,
                  l->began_epoch_ns);
    if (l->recording)
        buffer_printf(b, "recording %" PRIu64 "\n", l->recording);
    if (l->demand)
        buffer_printf(b, "demand %" PRIu64 "\ndemanded %" PRIu64 "\n", l->demand, l->demand_ns);
    buffer_printf(b, "chunk %" PRIu64 "\nto %" PRIu64 "\nns %" PRIu64 "\nquery %s\nname %s\n", l->chunk_at, l->to, l->to_ns, l->query,
                  l->name);
    for (uint32_t i = 0; i < l->books.count; i++) {
        const struct jfr_book *k = &l->books.lines[i];
        if (strpbrk(k->account, "/\n") || strchr(k->reason, '\n')) /* a JVM wrote this; it must not become a line of the state */
            continue;
        buffer_printf(b, "book %" PRId64 " %" PRIu64 " %s/%s\n", k->ns, k->count, k->account, k->reason);
    }
    buffer_text(b, "end\n");
}

static int write_all(int fd, const uint8_t *bytes, size_t len)
{
    while (len) {
        ssize_t n = write(fd, bytes, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n ? -errno : -EIO;
        bytes += n;
        len -= (size_t)n;
    }
    return 0;
}

static int write_state(int folder, const char *name, const struct buffer *b)
{
    char aside[64];
    snprintf(aside, sizeof aside, "%s.new", name);
    int fd = openat(folder, aside, O_CREAT | O_TRUNC | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    int code = b->failed ? -ENOMEM : write_all(fd, b->data, b->len);
    if (!code && fsync(fd))
        code = -errno;
    close(fd);
    if (!code && renameat(folder, aside, folder, name))
        code = -errno;
    if (!code && fsync(folder))
        code = -errno;
    if (code)
        unlinkat(folder, aside, 0);
    return code;
}

int live_save(const struct live *l, int folder, struct error *e)
{
    struct buffer b;
    char name[32];
    buffer_init(&b, STATE_MAX);
    put_state(&b, l);
    file_name(l, "state", name, sizeof name);
    int code = write_state(folder, name, &b);
    buffer_deinit(&b);
    return code ? error_set(e, code, "cannot write live/%s: %s", name, strerror(-code)) : 0;
}

static void take_book(struct live *l, const char *value)
{
    struct jfr_book k = {0};
    int at = 0;
    if (l->books.count == JFR_BOOKS_MAX || sscanf(value, "%" SCNd64 " %" SCNu64 " %n", &k.ns, &k.count, &at) != 2)
        return;
    const char *account = value + at, *slash = strchr(account, '/');
    if (!slash)
        return;
    snprintf(k.account, sizeof k.account, "%.*s", (int)(slash - account), account);
    snprintf(k.reason, sizeof k.reason, "%s", slash + 1);
    l->books.lines[l->books.count++] = k;
}

static void take_line(struct live *l, const char *key, const char *value, char *boot)
{
    if (!strcmp(key, "boot"))
        snprintf(boot, BOOT, "%s", value);
    else if (!strcmp(key, "pid"))
        l->pid = (pid_t)number_or_zero(value);
    else if (!strcmp(key, "start"))
        l->start = number_or_zero(value);
    else if (!strcmp(key, "began"))
        l->began_epoch_ns = number_or_zero(value);
    else if (!strcmp(key, "recording"))
        l->recording = number_or_zero(value);
    else if (!strcmp(key, "demand"))
        l->demand = number_or_zero(value);
    else if (!strcmp(key, "demanded"))
        l->demand_ns = number_or_zero(value);
    else if (!strcmp(key, "chunk"))
        l->chunk_at = number_or_zero(value);
    else if (!strcmp(key, "to"))
        l->to = number_or_zero(value);
    else if (!strcmp(key, "ns"))
        l->to_ns = number_or_zero(value);
    else if (!strcmp(key, "query"))
        snprintf(l->query, sizeof l->query, "%s", value);
    else if (!strcmp(key, "name"))
        snprintf(l->name, sizeof l->name, "%s", value);
    else if (!strcmp(key, "book"))
        take_book(l, value);
}

static int parse_state(struct live *l, char *text)
{
    char boot[BOOT] = "", now[BOOT];
    bool ended = false;
    for (char *line = text, *end; line && (end = strchr(line, '\n')); line = end + 1) {
        *end = 0;
        char *value = strchr(line, ' ');
        ended = ended || !strcmp(line, "end");
        if (value) {
            *value++ = 0;
            take_line(l, line, value, boot);
        }
    }
    boot_id(now);
    if (strcmp(boot, now))
        l->pid = 0; /* that process no longer exists */
    return ended && *l->query ? 0 : -EBADMSG;
}

static int read_state(struct live *l, int folder)
{
    char name[32], *text = malloc(STATE_MAX);
    file_name(l, "state", name, sizeof name);
    int fd = text ? openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
    ssize_t n = fd < 0 ? -1 : read(fd, text, STATE_MAX - 1);
    int code = n < 0 ? -errno : 0;
    if (!code) {
        text[n] = 0;
        code = parse_state(l, text);
    }
    if (fd >= 0)
        close(fd);
    free(text);
    return code;
}

/* ---- the file ---- */

static int open_recording(struct live *l, int folder)
{
    char name[32];
    struct stat st;
    file_name(l, "jfr", name, sizeof name);
    l->fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (l->fd < 0)
        return -errno;
    if (fstat(l->fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid()) {
        live_close(l);
        return -EPERM;
    }
    return 0;
}

int live_create(struct live *l, int folder, int *passed, struct error *e)
{
    char name[32];
    uint32_t number, owner = (uint32_t)hash_mix(l->start ^ (uint64_t)l->pid << 40);
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        return error_set(e, -EIO, "no random numbers: %s", strerror(errno));
    snprintf(l->id, sizeof l->id, "%08" PRIx32 "%08" PRIx32, owner, number);
    l->began_epoch_ns = clock_realtime_ns();
    l->fd = -1;
    file_name(l, "jfr", name, sizeof name);
    *passed = openat(folder, name, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, 0600);
    int code = *passed < 0 ? -errno : open_recording(l, folder);
    if (code)
        error_set(e, code, "cannot make live/%s: %s", name, strerror(-code));
    else
        code = live_save(l, folder, e);
    if (code && *passed >= 0) {
        close(*passed);
        *passed = -1;
        live_remove(l, folder);
    }
    return code;
}

int live_open(struct live *l, int folder, const char *id, struct error *e)
{
    *l = (struct live){.fd = -1};
    snprintf(l->id, sizeof l->id, "%s", id);
    int code = read_state(l, folder);
    if (!code)
        code = open_recording(l, folder);
    return code ? error_set(e, code, "cannot continue the recording live/%s: %s", id, strerror(-code)) : 0;
}

void live_forget_below(struct live *l, uint64_t offset)
{
    if (offset)
        fallocate(l->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)offset);
}

bool live_is_locked(const struct live *l)
{
    if (flock(l->fd, LOCK_SH | LOCK_NB))
        return errno == EWOULDBLOCK;
    flock(l->fd, LOCK_UN);
    return false;
}

uint64_t live_bytes(const struct live *l)
{
    struct stat st;
    return l->fd < 0 || fstat(l->fd, &st) ? 0 : (uint64_t)st.st_blocks * 512;
}

uint64_t live_written_epoch_ns(const struct live *l)
{
    struct stat st;
    return l->fd < 0 || fstat(l->fd, &st) ? 0 : (uint64_t)st.st_mtim.tv_sec * NS_PER_S + (uint64_t)st.st_mtim.tv_nsec;
}

void live_close(struct live *l)
{
    if (l->fd >= 0)
        close(l->fd);
    l->fd = -1;
}

/* Removes the recording first, because the state means nothing without it. */
void live_remove(struct live *l, int folder)
{
    static const char *const kinds[] = {"jfr", "state", "state.new"};
    char name[48];
    live_close(l);
    for (int i = 0; i < 3; i++) {
        file_name(l, kinds[i], name, sizeof name);
        unlinkat(folder, name, 0);
    }
}
