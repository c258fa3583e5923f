/* The threads that send to one server, and how long they wait after a failure. */
#include "server/forward/forward_internal.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "http/backoff.h"
#include "http/post.h"
#include "http/token.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char path[] = "/v1/recordings/forwarded";

static void tell(struct forward_target *t, const char *what, const char *why)
{
    char text[900];
    snprintf(text, sizeof text, "%s: %s%s%.500s", t->url, what, *why ? ": " : "", why);
    for (char *c = text; *c; c++)
        *c = (unsigned char)*c < ' ' ? ' ' : *c;
    t->of->options.tell(text);
}

/* Notes that the server answered well, or that it did not; then nothing is sent to it for a while. Requests that fail beside each other are
 * one failure in the row: otherwise four threads would soon wait for minutes for a server that was away for a second. */
static void note(struct forward_target *t, const char *failure, uint64_t begun_ns, uint64_t asked_ns)
{
    pthread_mutex_lock(&t->lock);
    unsigned before = t->failed_in_row;
    if (failure) {
        t->failed_in_row += !before || begun_ns > t->failed_ns;
        t->failures++;
        t->failed_ns = clock_monotonic_ns();
        t->next_ns = t->failed_ns + backoff_wait_ns(t->failed_in_row, asked_ns, backoff_random());
    } else {
        t->failed_in_row = 0;
    }
    pthread_mutex_unlock(&t->lock);
    if (failure && !before)
        tell(t, "recordings wait, and are sent again", failure);
    else if (!failure && before)
        tell(t, "takes recordings again", "");
}

static int post(struct forward_target *t, struct transport *transport, const struct postbox_letter *l, int fd, struct post_answer *answer,
                struct error *e)
{
    const char *file = t->of->options.token_file;
    char token[TOKEN_MAX], url[FORWARD_URL_MAX + sizeof path];
    snprintf(url, sizeof url, "%s%s", t->url, path);
    const struct post_letter letter = {.url = url, .token = token, .fd = fd, .size = l->bytes};
    int rc = token_read(file ? file : "", token, e);
    rc = rc ? rc : post_send(transport, &letter, answer, e);
    explicit_bzero(token, sizeof token);
    return rc;
}

/* Whether the server will never take it. Everything else may be mended: a token, an address, a server of an earlier version. */
static bool is_final(long status)
{
    return status == 400 || status == 413 || status == 415;
}

static void refuse(struct forward_target *t, struct postbox_letter *l, const char *why)
{
    char what[160];
    snprintf(what, sizeof what, "refuses the recording %.16s..., which is now in the folder 'refused' of its folder in --data", l->name);
    tell(t, what, why);
    postbox_refuse(&t->box, l);
}

/* Whether somebody removed the recording, and not the whole folder with it, which may come back as a mounted disk does. */
static bool is_removed(const struct forward_target *t, int error)
{
    return error == -ENOENT && !access(t->box.path, X_OK);
}

static void lose(struct forward_target *t, struct postbox_letter *l)
{
    char what[160];
    snprintf(what, sizeof what, "the recording %.16s... is lost to it", l->name);
    tell(t, what, "its file was removed from the folder 'forward' of --data");
    postbox_lose(&t->box, l);
}

static void send_one(struct forward_target *t, struct transport *transport, struct postbox_letter *l)
{
    struct post_answer answer = {0};
    struct error e;
    char file[DISK_PATH_MAX], why[600];
    uint64_t begun_ns = clock_monotonic_ns();
    int fd = open(postbox_file(&t->box, l, file), O_RDONLY | O_CLOEXEC);
    if (fd < 0 && is_removed(t, -errno)) {
        lose(t, l);
        return;
    }
    int rc = fd < 0 ? error_set(&e, -errno, "%s: %s", file, strerror(errno)) : post(t, transport, l, fd, &answer, &e);
    bool good = !rc && answer.status >= 200 && answer.status < 300, final = !rc && is_final(answer.status);
    if (fd >= 0)
        close(fd);
    snprintf(why, sizeof why, "it answered %ld: %.500s", answer.status, answer.text);
    if (rc != -ECANCELED) /* the end of this server is no failure of the other */
        note(t, good || final ? NULL : rc ? e.text : why, begun_ns, answer.retry_after_ns);
    if (good)
        postbox_done(&t->box, l);
    else if (final)
        refuse(t, l, why);
    else
        postbox_put_back(&t->box, l); /* the server may be unable to take just this one, so it goes behind the others */
}

/* Waits until something changes, or until the time, but for a second at most. The caller has the lock. */
static void wait_until(struct forward_target *t, uint64_t until_ns)
{
    uint64_t latest = clock_monotonic_ns() + NS_PER_S;
    until_ns = until_ns < latest ? until_ns : latest;
    const struct timespec until = {(time_t)(until_ns / NS_PER_S), (long)(until_ns % NS_PER_S)};
    pthread_cond_timedwait(&t->change, &t->lock, &until);
}

static void *run(void *target)
{
    struct forward_target *t = target;
    const char *ca = t->of->options.ca;
    struct error e;
    struct transport *transport = transport_new(ca ? ca : "", t->of->options.stop, &e);
    if (!transport)
        tell(t, "nothing can be sent to it", e.text);
    pthread_mutex_lock(&t->lock);
    while (transport && !t->stopping && !atomic_load_explicit(t->of->options.stop, memory_order_relaxed)) {
        uint64_t now = clock_monotonic_ns();
        struct postbox_letter *l = now < t->next_ns ? NULL : postbox_take(&t->box);
        if (!l) {
            wait_until(t, now < t->next_ns ? t->next_ns : UINT64_MAX);
            continue;
        }
        pthread_mutex_unlock(&t->lock);
        send_one(t, transport, l);
        pthread_mutex_lock(&t->lock);
    }
    pthread_mutex_unlock(&t->lock);
    transport_free(transport);
    return NULL;
}

int target_start(struct forward_target *t, struct error *e)
{
    int rc = 0;
    for (; !rc && t->threads_started < FORWARD_SENDERS; t->threads_started += !rc)
        rc = pthread_create(&t->threads[t->threads_started], NULL, run, t);
    return rc ? error_set(e, -rc, "no thread for --forward: %s", strerror(rc)) : 0;
}

void target_stop(struct forward_target *t)
{
    pthread_mutex_lock(&t->lock);
    t->stopping = true;
    pthread_cond_broadcast(&t->change);
    pthread_mutex_unlock(&t->lock);
    while (t->threads_started)
        pthread_join(t->threads[--t->threads_started], NULL);
}

void target_wake(struct forward_target *t)
{
    pthread_mutex_lock(&t->lock);
    pthread_cond_signal(&t->change);
    pthread_mutex_unlock(&t->lock);
}
