#include "server/logs/journal.h"

#include "base/buffer.h"
#include "base/text/units.h"
#include "base/time_units.h"
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

enum {
    WAITING_MAX = 1 << 20, /* bytes of lines that wait for the disk */
    TEXT_MAX = 1024,       /* bytes of a path or an error in a report */
    WINDOW_S = 10,
    REFUSALS_MAX = 10, /* refusals that are reported in a window; others are counted */
};

struct journal {
    const char *path;
    int fd; /* only the thread uses it; -1 = no access log */
    void (*tell)(const char *text);
    pthread_t thread;
    pthread_mutex_t lock; /* protects the members below */
    pthread_cond_t more;
    struct buffer lines;   /* of the access log */
    struct buffer reports; /* of refusals: texts with a zero byte after each */
    uint64_t dropped;
    uint64_t window_ns; /* when the window began */
    uint32_t refusals, unreported;
    bool torn;                     /* the log's last line has no end; only the thread uses it */
    bool reopen, stopping, failed; /* failed: the log could not be written, and this was reported */
};

/* ---- lines ---- */

/* Writes a line into memory. Its bytes are NULL if there is no memory. */
static void make_line(struct line *l, const struct journal_request *r)
{
    if (line_begin(l))
        return;
    line_text(l, "token", r->token);
    line_text(l, "address", r->address);
    line_text(l, "method", r->method);
    line_text(l, "path", r->path);
    jsonw_member_uint(&l->json, "status", r->status);
    jsonw_member_uint(&l->json, "in", r->received);
    jsonw_member_uint(&l->json, "out", r->sent);
    jsonw_member_number(&l->json, "ms", (double)r->ns / NS_PER_MS);
    line_text(l, "reason", r->problem);
    line_end(l);
}

static void add_line(struct journal *j, const struct journal_request *r)
{
    struct line line;
    make_line(&line, r);
    pthread_mutex_lock(&j->lock);
    bool fits = line.bytes && line.n <= WAITING_MAX - j->lines.len;
    if (fits)
        buffer_put(&j->lines, line.bytes, line.n);
    if (!fits || j->lines.failed)
        j->dropped++;
    j->lines.failed = j->lines.full = false; /* the lines before are good, and later there may be memory */
    pthread_cond_signal(&j->more);
    pthread_mutex_unlock(&j->lock);
    free(line.bytes);
}

/* ---- refusals ---- */

static bool is_refusal(unsigned status)
{
    return status == 401 || status == 403 || status == 429 || status == 431 || status == 408;
}

static void add_report(struct journal *j, const char *text)
{
    buffer_put(&j->reports, text, strlen(text) + 1);
    pthread_cond_signal(&j->more);
}

/* Begins the next window if this one is over, and reports how many refusals were not reported. Call it with the lock. */
static void next_window(struct journal *j, uint64_t now_ns)
{
    char text[100];
    if (now_ns - j->window_ns < WINDOW_S * NS_PER_S)
        return;
    if (j->unreported) {
        snprintf(text, sizeof text, "refused: %" PRIu32 " more requests within %d s", j->unreported, WINDOW_S);
        add_report(j, text);
    }
    j->refusals = j->unreported = 0;
    j->window_ns = now_ns;
}

static void add_refusal(struct journal *j, const struct journal_request *r)
{
    char path[TEXT_MAX], problem[TEXT_MAX], token[TEXT_MAX], text[500];
    bool named = *r->token != 0;
    snprintf(text, sizeof text, "refused: %s%s%.100s%s, %.10s %.100s: %u %.200s", r->address, named ? " (token " : "",
             line_clean(r->token, token, sizeof token), named ? ")" : "", r->method, line_clean(r->path, path, sizeof path), r->status,
             line_clean(r->problem, problem, sizeof problem));
    pthread_mutex_lock(&j->lock);
    next_window(j, clock_monotonic_ns());
    if (j->refusals++ < REFUSALS_MAX)
        add_report(j, text);
    else
        j->unreported++;
    pthread_mutex_unlock(&j->lock);
}

void journal_request(struct journal *j, const struct journal_request *r)
{
    if (j->path)
        add_line(j, r);
    if (is_refusal(r->status))
        add_refusal(j, r);
}

/* ---- the thread ---- */

static int open_log(const char *path, int *fd, struct error *e)
{
    if (!path)
        return 0;
    *fd = strcmp(path, "-") ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600) : dup(STDOUT_FILENO);
    return *fd < 0 ? error_set(e, -errno, "--access-log %s: cannot be written: %s", path, strerror(errno)) : 0;
}

static void open_again(struct journal *j)
{
    struct error e;
    int fd = -1;
    if (open_log(j->path, &fd, &e)) {
        j->tell(e.text);
        return;
    }
    if (j->fd >= 0)
        close(j->fd);
    j->fd = fd;
}

/* Counts the lines that were not written, and notes whether the last one was cut. */
static void count_lost(struct journal *j, const struct buffer *lines, size_t done)
{
    uint64_t lost = 0;
    for (size_t i = done; i < lines->len; i++)
        lost += lines->data[i] == '\n';
    j->torn |= done && lines->data[done - 1] != '\n';
    pthread_mutex_lock(&j->lock);
    j->dropped += lost;
    pthread_mutex_unlock(&j->lock);
}

static void write_lines(struct journal *j, const struct buffer *lines)
{
    char text[200];
    size_t done = 0;
    if (lines->len && j->torn && write(j->fd, "\n", 1) == 1)
        j->torn = false;
    while (done < lines->len) {
        ssize_t n = write(j->fd, lines->data + done, lines->len - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    bool failed = done < lines->len;
    if (failed && !j->failed) {
        snprintf(text, sizeof text, "--access-log %.100s: cannot be written: %s; lines are lost", j->path, strerror(errno));
        j->tell(text);
    }
    if (failed)
        count_lost(j, lines, done);
    j->failed = failed;
}

static void tell_all(struct journal *j, const struct buffer *reports)
{
    for (size_t at = 0; at < reports->len; at += strlen((const char *)reports->data + at) + 1)
        j->tell((const char *)reports->data + at);
}

/* Waits until there is something to do, or until the window is over. Call it with the lock. */
static void wait_for_more(struct journal *j)
{
    struct timespec until;
    if (!j->unreported) {
        pthread_cond_wait(&j->more, &j->lock);
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += 1;
    pthread_cond_clockwait(&j->more, &j->lock, CLOCK_MONOTONIC, &until);
    next_window(j, clock_monotonic_ns());
}

static void *work(void *context)
{
    struct journal *j = context;
    bool stopping = false;
    while (!stopping) {
        struct buffer lines, reports;
        pthread_mutex_lock(&j->lock);
        while (!j->lines.len && !j->reports.len && !j->reopen && !j->stopping)
            wait_for_more(j);
        bool reopen = j->reopen;
        lines = j->lines;
        reports = j->reports;
        buffer_init(&j->lines, WAITING_MAX);
        buffer_init(&j->reports, WAITING_MAX);
        j->reopen = false;
        stopping = j->stopping;
        pthread_mutex_unlock(&j->lock);
        if (reopen)
            open_again(j);
        write_lines(j, &lines);
        tell_all(j, &reports);
        buffer_deinit(&lines);
        buffer_deinit(&reports);
    }
    return NULL;
}

/* ---- start and end ---- */

static void discard(struct journal *j)
{
    if (j->fd >= 0)
        close(j->fd);
    buffer_deinit(&j->lines);
    buffer_deinit(&j->reports);
    pthread_cond_destroy(&j->more);
    pthread_mutex_destroy(&j->lock);
    free(j);
}

int journal_start(struct journal **out, const char *path, void (*tell)(const char *text), struct error *e)
{
    struct journal *j = calloc(1, sizeof *j);
    if (!j)
        return error_set(e, -ENOMEM, "out of memory");
    *j = (struct journal){.path = path, .fd = -1, .tell = tell};
    pthread_mutex_init(&j->lock, NULL);
    pthread_cond_init(&j->more, NULL);
    buffer_init(&j->lines, WAITING_MAX);
    buffer_init(&j->reports, WAITING_MAX);
    int rc = open_log(path, &j->fd, e);
    if (!rc && (rc = -pthread_create(&j->thread, NULL, work, j)))
        error_set(e, rc, "cannot start a thread: %s", strerror(-rc));
    if (rc)
        discard(j);
    else
        *out = j;
    return rc;
}

void journal_reopen(struct journal *j)
{
    pthread_mutex_lock(&j->lock);
    j->reopen = j->path && strcmp(j->path, "-") != 0;
    pthread_cond_signal(&j->more);
    pthread_mutex_unlock(&j->lock);
}

uint64_t journal_dropped(struct journal *j)
{
    pthread_mutex_lock(&j->lock);
    uint64_t dropped = j->dropped;
    pthread_mutex_unlock(&j->lock);
    return dropped;
}

void journal_stop(struct journal *j)
{
    if (!j)
        return;
    pthread_mutex_lock(&j->lock);
    j->window_ns = 0;
    next_window(j, clock_monotonic_ns());
    j->stopping = true;
    pthread_cond_signal(&j->more);
    pthread_mutex_unlock(&j->lock);
    pthread_join(j->thread, NULL);
    discard(j);
}
