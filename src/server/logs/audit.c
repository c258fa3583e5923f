#include "server/logs/audit.h"

#include "server/logs/line.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STRANGERS_PER_MINUTE = 60, UNAUTHORIZED = 401 };

/* Requests without a known token. Anyone can send them, and each line waits for the disk, so a minute has only some lines of them. */
struct strangers {
    time_t minute;
    unsigned noted;   /* in that minute */
    uint64_t skipped; /* since the last line that gave their number */
};

struct audit {
    const char *path;
    void (*tell)(const char *text);
    pthread_mutex_t lock; /* protects the members below */
    int fd;
    bool torn;   /* the last line has no end */
    bool failed; /* the last line could not be written, and this was reported */
    uint64_t lost;
    struct strangers strangers;
};

/* ---- the file ---- */

static int open_file(const char *path, int *fd, struct error *e)
{
    *fd = strcmp(path, "-") ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600) : dup(STDOUT_FILENO);
    return *fd < 0 ? error_set(e, -errno, "--audit-log %s: cannot be written: %s", path, strerror(errno)) : 0;
}

static bool write_all(int fd, const char *bytes, size_t n)
{
    while (n) {
        ssize_t put = write(fd, bytes, n);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        bytes += put;
        n -= (size_t)put;
    }
    return true;
}

/* Writes a line, and waits until it is on the disk. */
static void put_text(struct audit *a, const char *line, size_t n)
{
    char text[200] = "";
    pthread_mutex_lock(&a->lock);
    bool good = line && (!a->torn || write_all(a->fd, "\n", 1)) && write_all(a->fd, line, n);
    a->torn = !good;
    if (good && fdatasync(a->fd) && errno != EINVAL && errno != EROFS) /* a pipe, for instance, cannot be synced */
        good = false;
    a->lost += !good;
    if (!good && !a->failed)
        snprintf(text, sizeof text, "--audit-log %.100s: cannot be written: %s; changes are not noted", a->path,
                 line ? strerror(errno) : "out of memory");
    a->failed = !good;
    pthread_mutex_unlock(&a->lock);
    if (*text)
        a->tell(text);
}

int audit_open(struct audit **out, const char *path, void (*tell)(const char *text), struct error *e)
{
    *out = NULL;
    if (!path)
        return 0;
    struct audit *a = calloc(1, sizeof *a);
    if (!a)
        return error_set(e, -ENOMEM, "out of memory");
    *a = (struct audit){.path = path, .tell = tell};
    pthread_mutex_init(&a->lock, NULL);
    int rc = open_file(path, &a->fd, e);
    if (rc)
        audit_close(a);
    else
        *out = a;
    return rc;
}

void audit_reopen(struct audit *a)
{
    struct error e;
    int fd;
    if (!a || !strcmp(a->path, "-"))
        return;
    if (open_file(a->path, &fd, &e)) {
        a->tell(e.text);
        return;
    }
    pthread_mutex_lock(&a->lock);
    close(a->fd);
    a->fd = fd;
    a->torn = false;
    pthread_mutex_unlock(&a->lock);
}

uint64_t audit_lost(struct audit *a)
{
    if (!a)
        return 0;
    pthread_mutex_lock(&a->lock);
    uint64_t lost = a->lost;
    pthread_mutex_unlock(&a->lock);
    return lost;
}

/* ---- lines ---- */

static void put_event(struct audit *a, const char *event, const char *text)
{
    struct line l;
    if (!line_begin(&l)) {
        line_text(&l, "event", event);
        line_text(&l, "text", text);
        line_end(&l);
    }
    put_text(a, l.bytes, l.n);
    free(l.bytes);
}

/* Writes how many strangers have no line, if there are any. */
static void put_skipped(struct audit *a)
{
    char text[120];
    pthread_mutex_lock(&a->lock);
    uint64_t skipped = a->strangers.skipped;
    a->strangers.skipped = 0;
    pthread_mutex_unlock(&a->lock);
    if (!skipped)
        return;
    snprintf(text, sizeof text, "%" PRIu64 " more requests without a known token have no line of their own", skipped);
    put_event(a, "refused", text);
}

/* Returns whether a stranger's request has a line. */
static bool note_stranger(struct audit *a, time_t now)
{
    struct strangers *s = &a->strangers;
    pthread_mutex_lock(&a->lock);
    if (now / 60 != s->minute) {
        s->minute = now / 60;
        s->noted = 0;
    }
    bool noted = s->noted < STRANGERS_PER_MINUTE;
    s->noted += noted;
    s->skipped += !noted;
    pthread_mutex_unlock(&a->lock);
    return noted;
}

void audit_request(struct audit *a, const struct audit_request *r)
{
    struct line l;
    if (!a || (r->status == UNAUTHORIZED && !note_stranger(a, time(NULL))))
        return;
    put_skipped(a);
    if (!line_begin(&l)) {
        line_text(&l, "token", r->token);
        line_text(&l, "address", r->address);
        line_text(&l, "method", r->method);
        line_text(&l, "path", r->path);
        jsonw_member_uint(&l.json, "status", r->status);
        line_text(&l, "change", r->change);
        line_text(&l, "reason", r->problem);
        line_end(&l);
    }
    put_text(a, l.bytes, l.n);
    free(l.bytes);
}

void audit_event(struct audit *a, const char *event, const char *text)
{
    if (!a)
        return;
    put_skipped(a);
    put_event(a, event, text);
}

void audit_close(struct audit *a)
{
    if (!a)
        return;
    if (a->fd >= 0) {
        put_skipped(a);
        close(a->fd);
    }
    pthread_mutex_destroy(&a->lock);
    free(a);
}
