#include "daemon/spool/ship.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "daemon/log.h"
#include "http/backoff.h"
#include "http/post.h"
#include "http/token.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { URL_MAX = 1024 + OUTBOX_HEAD_MAX };

/* A recording for another back end is dropped if it has more than this many bytes when unpacked. Converting it takes memory several times
 * its size; if the kernel killed the daemon for that, the next one would take up the same recording. */
#define UNPACKED_MAX ((uint64_t)64 << 20)

enum ship_verdict ship_judge(long status)
{
    if (status >= 200 && status < 300)
        return SHIP_DONE;
    return status == 400 || status == 413 || status == 415 ? SHIP_NEVER : SHIP_AGAIN;
}

static int post_recording(struct ship *s, const struct outbox_letter *l, const char *token, struct post_answer *answer, struct error *e)
{
    char url[URL_MAX];
    snprintf(url, sizeof url, "%s/v1/recordings?%s", s->target->base, l->query);
    struct post_letter p = {.url = url, .token = token, .key = l->key, .fd = l->fd, .offset = l->offset, .size = l->size};
    return post_send(s->transport, &p, answer, e);
}

static int read_letter(const struct outbox_letter *l, uint8_t **bytes, struct error *e)
{
    *bytes = malloc(l->size + 1);
    ssize_t n = *bytes ? pread(l->fd, *bytes, l->size, (off_t)l->offset) : -1;
    if (n == (ssize_t)l->size)
        return 0;
    free(*bytes);
    return error_set(e, -EIO, "cannot read a recording in the spool: %s", strerror(n < 0 ? errno : EIO));
}

/* Whether an error means that a recording can never be converted. Other errors belong to this machine: no memory, no room for unpacked
 * data. */
static bool is_for_ever(int code)
{
    return code == -EBADMSG || code == -EINVAL || code == -EFBIG || code == -EPROTO || code == -ENOTSUP;
}

/* Converts the recording for another back end, and sends it. -EBADMSG, or -EFBIG: it cannot be converted, and never will be. Without
 * samples there is nothing to send: answer->status stays 0. */
static int post_request(struct ship *s, const struct outbox_letter *l, const char *token, struct post_answer *answer, struct error *e)
{
    struct emit_body body;
    uint8_t *bytes;
    uint64_t rejected = 0;
    *answer = (struct post_answer){0};
    int code = read_letter(l, &bytes, e);
    if (code)
        return code;
    code = emit_body_make(&body, s->target->protocol, &(struct emit_recording){bytes, l->size, UNPACKED_MAX, l->query}, e);
    free(bytes);
    if (code)
        return is_for_ever(code) && code != -EFBIG ? -EBADMSG : code;
    bool empty = !body.bytes;
    if (!empty)
        code = emit_send(s->transport, s->target, token, &body, answer, &rejected, e);
    emit_body_free(&body);
    if (rejected)
        log_error("recording=%s: %" PRIu64 " profiles were not accepted: %s", l->name, rejected, answer->text);
    pthread_mutex_lock(&s->lock);
    s->counts.empty += empty;
    s->counts.rejected += rejected;
    pthread_mutex_unlock(&s->lock);
    return code;
}

static int post(struct ship *s, const struct outbox_letter *l, struct post_answer *answer, struct error *e)
{
    char token[TOKEN_MAX];
    int code = token_read(s->token_file, token, e); /* read again each time, because tokens may be replaced while the daemon runs */
    if (code)
        return code;
    code = s->target->protocol == EMIT_CANDOR ? post_recording(s, l, token, answer, e) : post_request(s, l, token, answer, e);
    explicit_bzero(token, sizeof token);
    return code;
}

/* Returns the first line of the server's answer, for the log. */
static const char *first_line(struct post_answer *a)
{
    a->text[strcspn(a->text, "\r\n")] = 0;
    a->text[200] = 0;
    return a->text;
}

static void count_sent(struct ship *s, const struct outbox_letter *l, const struct post_answer *a)
{
    pthread_mutex_lock(&s->lock);
    bool was_failing = s->failed_in_row > 0;
    s->failed_in_row = 0;
    s->counts.sent.recordings++;
    s->counts.sent.bytes += l->size;
    s->counts.duplicates += strstr(a->text, "\"duplicate\": true") || strstr(a->text, "\"duplicate\":true");
    pthread_mutex_unlock(&s->lock);
    if (was_failing)
        log_info("sending works again");
}

/* Counts a failed attempt, and returns how long to wait before the next one. */
static uint64_t count_failure(struct ship *s, uint64_t asked_ns)
{
    pthread_mutex_lock(&s->lock);
    unsigned failures = ++s->failed_in_row;
    s->counts.failures++;
    pthread_mutex_unlock(&s->lock);
    return backoff_wait_ns(failures, asked_ns, backoff_random());
}

static uint64_t failed(struct ship *s, const char *what, uint64_t asked_ns)
{
    char text[32];
    uint64_t wait = count_failure(s, asked_ns);
    log_warning("not sent: %s; next attempt in %s", what, units_format_duration(text, sizeof text, wait));
    return wait;
}

/* Makes one attempt. Returns 0, or how long to wait. after: receives the name of the piece after which the next attempt should begin. */
static uint64_t send_one(struct ship *s, struct outbox_letter *l, char *after)
{
    struct post_answer answer;
    struct error e;
    char what[320];
    int code = post(s, l, &answer, &e);
    if (code == -EBADMSG || code == -EFBIG) {
        enum outbox_loss why = code == -EFBIG ? OUTBOX_TOO_LARGE : OUTBOX_DAMAGED;
        log_error("dropped recording=%s reason=%s: %s", l->name, outbox_loss_names[why], e.text);
        outbox_drop(s->outbox, l, why);
        return 0;
    }
    if (code) {
        snprintf(after, OUTBOX_NAME, "%s", l->name); /* if only this recording fails, the others must not wait for it */
        outbox_put_back(s->outbox, l);
        return code == -ECANCELED ? 0 : failed(s, e.text, 0);
    }
    if (!answer.status) {
        outbox_done(s->outbox, l);
        return 0;
    }
    enum ship_verdict verdict = ship_judge(answer.status);
    if (verdict == SHIP_DONE) {
        count_sent(s, l, &answer);
        outbox_done(s->outbox, l);
        return 0;
    }
    snprintf(what, sizeof what, "the server answers %ld %s", answer.status, first_line(&answer));
    if (verdict == SHIP_NEVER) {
        log_error("dropped recording=%s reason=refused: %s", l->name, what);
        outbox_drop(s->outbox, l, OUTBOX_REFUSED);
        return 0;
    }
    /* The server may be unable to process just this recording, so the others must not wait for it. */
    snprintf(after, OUTBOX_NAME, "%s", l->name);
    outbox_put_back(s->outbox, l);
    return failed(s, what, answer.retry_after_ns);
}

/* Waits for this time, or until the thread must end. */
static void wait_for(struct ship *s, uint64_t ns)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    ns += (uint64_t)until.tv_nsec;
    until.tv_sec += (time_t)(ns / NS_PER_S);
    until.tv_nsec = (long)(ns % NS_PER_S);
    pthread_mutex_lock(&s->lock);
    s->counts.waiting = s->failed_in_row > 0;
    int rc = 0;
    while (!s->ending && !rc)
        rc = pthread_cond_timedwait(&s->wake, &s->lock, &until);
    s->counts.waiting = false;
    pthread_mutex_unlock(&s->lock);
}

static bool is_ending(struct ship *s)
{
    pthread_mutex_lock(&s->lock);
    bool ending = s->ending;
    pthread_mutex_unlock(&s->lock);
    return ending;
}

static void *run(void *context)
{
    static const uint64_t look_ns = 500 * NS_PER_MS;
    struct ship *s = context;
    struct outbox_letter letter;
    char after[OUTBOX_NAME] = "";
    for (;;) {
        int code = outbox_next(s->outbox, after, &letter);
        bool ending = is_ending(s);
        if (code && ending)
            return NULL;
        uint64_t wait = code == -ENOENT ? look_ns : code ? 10 * look_ns : send_one(s, &letter, after);
        if ((ending && wait) || atomic_load(&s->cancel))
            return NULL;
        if (wait)
            wait_for(s, wait);
    }
}

int ship_start(struct ship *s, struct outbox *o, const struct emit_target *target, const struct ship_files *files, struct error *e)
{
    pthread_condattr_t attributes;
    *s = (struct ship){.outbox = o, .target = target, .token_file = files->token};
    s->transport = transport_new(files->ca, &s->cancel, e);
    if (!s->transport)
        return -ENOENT;
    transport_use_certificate(s->transport, files->certificate, files->key);
    pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&s->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    int rc = pthread_create(&s->thread, NULL, run, s);
    if (rc)
        return error_set(e, -rc, "cannot start a thread: %s", strerror(rc));
    s->started = true;
    return 0;
}

void ship_stop(struct ship *s, uint64_t patience_ns)
{
    struct timespec until;
    if (!s->started)
        return;
    pthread_mutex_lock(&s->lock);
    s->ending = true;
    pthread_cond_broadcast(&s->wake);
    pthread_mutex_unlock(&s->lock);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (time_t)(patience_ns / NS_PER_S);
    if (pthread_timedjoin_np(s->thread, NULL, &until)) {
        atomic_store(&s->cancel, true);
        pthread_join(s->thread, NULL);
    }
    s->started = false;
    transport_free(s->transport);
}

void ship_counts(struct ship *s, struct ship_counts *out)
{
    pthread_mutex_lock(&s->lock);
    *out = s->counts;
    pthread_mutex_unlock(&s->lock);
}
