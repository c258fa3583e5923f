#include "server/remote/remote_write.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "http/post.h"
#include "http/token.h"
#include "server/answers/metrics.h"
#include "server/metrics/scrape.h"
#include "server/remote/scraped.h"
#include "server/remote/write_request.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { QUEUE_MAX = 120, WAIT_MAX_S = 60, ASKED_MAX_S = 3600, FAILURES_MAX = 6, REQUEST_MAX = 256 << 20 };

struct batch {
    struct buffer bytes;
    uint32_t samples;
};

struct remote_write {
    struct server *server;
    const struct write_request_version *version;
    void (*tell)(const char *text);
    char instance[300];
    pthread_t collector, sender;
    pthread_mutex_t lock; /* protects the following members */
    pthread_cond_t change;
    bool stopping;
    struct batch queue[QUEUE_MAX]; /* the oldest at `first` */
    uint32_t first, count;
    unsigned failures; /* in a row */
};

static void count(struct remote_write *r, enum remote_count what, uint64_t n)
{
    counters_remote(&r->server->counters, what, n);
}

/* Waits until something changes, but not longer than this. The caller has the lock. */
static void wait_for(struct remote_write *r, uint64_t ns)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    uint64_t end = (uint64_t)until.tv_sec * NS_PER_S + (uint64_t)until.tv_nsec + ns;
    until.tv_sec = (time_t)(end / NS_PER_S);
    until.tv_nsec = (long)(end % NS_PER_S);
    pthread_cond_timedwait(&r->change, &r->lock, &until);
}

/* ---- collecting ---- */

static int make_batch(struct remote_write *r, const char *text, struct batch *b)
{
    struct scraped s;
    int rc = scraped_init(&s);
    buffer_init(&b->bytes, REQUEST_MAX);
    rc = rc ? rc : scraped_read(&s, text, "candor-server", r->instance);
    rc = rc ? rc : write_request_make(r->version, &s, (int64_t)(clock_realtime_ns() / NS_PER_MS), &b->bytes);
    b->samples = s.series_count;
    scraped_deinit(&s);
    if (rc)
        buffer_deinit(&b->bytes);
    return rc;
}

static void enqueue(struct remote_write *r, const struct batch *b)
{
    uint64_t dropped = 0;
    pthread_mutex_lock(&r->lock);
    if (r->count == QUEUE_MAX) {
        dropped = r->queue[r->first].samples;
        buffer_deinit(&r->queue[r->first].bytes);
        r->first = (r->first + 1) % QUEUE_MAX;
        r->count--;
    }
    r->queue[(r->first + r->count++) % QUEUE_MAX] = *b;
    uint32_t waiting = r->count;
    pthread_cond_broadcast(&r->change);
    pthread_mutex_unlock(&r->lock);
    count(r, REMOTE_DROPPED_QUEUE, dropped);
    counters_remote_waiting(&r->server->counters, waiting);
}

static void collect(struct remote_write *r)
{
    char *text = NULL;
    size_t n = 0;
    struct batch b = {.samples = 0};
    struct error e = {.text = ""};
    FILE *out = open_memstream(&text, &n);
    int rc = out ? 0 : -ENOMEM;
    if (!rc) {
        metrics_write(out, r->server, true);
        rc = scrape_write(out, r->server, &e);
    }
    if (out && fclose(out))
        rc = -ENOMEM;
    rc = rc ? rc : make_batch(r, text, &b);
    if (rc)
        count(r, REMOTE_FAILED, 1);
    else
        enqueue(r, &b);
    free(text);
}

static void *collect_run(void *remote_write)
{
    struct remote_write *r = remote_write;
    uint64_t next = clock_monotonic_ns();
    pthread_mutex_lock(&r->lock);
    while (!r->stopping) {
        uint64_t now = clock_monotonic_ns(), interval = r->server->limits.remote_interval_s * NS_PER_S;
        if (now < next) {
            wait_for(r, next - now < NS_PER_S ? next - now : NS_PER_S);
            continue;
        }
        pthread_mutex_unlock(&r->lock);
        collect(r);
        pthread_mutex_lock(&r->lock);
        next = next + interval > now ? next + interval : now + interval;
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

/* ---- sending ---- */

static int post(struct remote_write *r, const struct batch *b, struct post_answer *answer, struct error *e)
{
    const struct server_options *o = r->server->options;
    char token[TOKEN_MAX], version[64];
    int rc = token_read(o->remote_token ? o->remote_token : "", token, e);
    if (rc)
        return rc;
    struct transport *t = transport_new(o->remote_ca ? o->remote_ca : "", &r->server->stop.asked, e);
    if (!t)
        return -EIO;
    snprintf(version, sizeof version, "X-Prometheus-Remote-Write-Version: %s", r->version->protocol);
    const struct post_letter letter = {.url = o->remote_write,
                                       .token = token,
                                       .type = r->version->type,
                                       .encoding = "snappy",
                                       .header = version,
                                       .bytes = b->bytes.data,
                                       .fd = -1,
                                       .size = b->bytes.len};
    rc = post_send(t, &letter, answer, e);
    transport_free(t);
    explicit_bzero(token, sizeof token);
    return rc;
}

static void tell_problem(struct remote_write *r, const char *what, const char *why)
{
    char text[700];
    snprintf(text, sizeof text, "remote write: %s: %.500s", what, why);
    for (char *c = text; *c; c++)
        *c = (unsigned char)*c < ' ' ? ' ' : *c;
    r->tell(text);
}

/* Sends a request once. Returns true if it need not be sent again, because it was accepted, or refused for good. Otherwise *wait_ns is how
 * long to wait. */
static bool try_once(struct remote_write *r, const struct batch *b, uint64_t *wait_ns)
{
    struct post_answer answer = {0};
    struct error e;
    char why[600];
    int rc = post(r, b, &answer, &e);
    if (!rc && answer.status >= 200 && answer.status < 300) {
        count(r, REMOTE_SENT, b->samples);
        r->failures = 0;
        return true;
    }
    count(r, REMOTE_FAILED, 1);
    if (rc)
        snprintf(why, sizeof why, "%s", e.text);
    else
        snprintf(why, sizeof why, "it answered %ld: %.300s", answer.status, answer.text);
    bool again = rc || answer.status == 429 || answer.status >= 500;
    if (!again) {
        tell_problem(r, "the receiver refuses samples, which are dropped", why);
        count(r, REMOTE_DROPPED_REFUSED, b->samples);
        return true;
    }
    if (!r->failures)
        tell_problem(r, "samples wait, and are sent again", why);
    r->failures += r->failures < FAILURES_MAX;
    uint64_t wait = (UINT64_C(1) << (r->failures - 1)) * NS_PER_S, asked = answer.retry_after_ns;
    wait = wait < WAIT_MAX_S * NS_PER_S ? wait : WAIT_MAX_S * NS_PER_S;
    asked = asked < ASKED_MAX_S * NS_PER_S ? asked : ASKED_MAX_S * NS_PER_S;
    *wait_ns = wait > asked ? wait : asked;
    return false;
}

/* Takes the oldest request out of the queue. The caller has the lock. */
static struct batch take(struct remote_write *r)
{
    struct batch b = r->queue[r->first];
    r->first = (r->first + 1) % QUEUE_MAX;
    r->count--;
    return b;
}

static void send_one(struct remote_write *r, const struct batch *b)
{
    uint64_t wait_ns = 0;
    while (!try_once(r, b, &wait_ns)) {
        uint64_t until = clock_monotonic_ns() + wait_ns;
        pthread_mutex_lock(&r->lock);
        for (uint64_t now; !r->stopping && (now = clock_monotonic_ns()) < until;)
            wait_for(r, until - now);
        bool stopping = r->stopping;
        pthread_mutex_unlock(&r->lock);
        if (stopping)
            break;
    }
}

static void *send_run(void *remote_write)
{
    struct remote_write *r = remote_write;
    pthread_mutex_lock(&r->lock);
    while (!r->stopping) {
        if (!r->count) {
            wait_for(r, NS_PER_S);
            continue;
        }
        struct batch b = take(r);
        pthread_mutex_unlock(&r->lock);
        send_one(r, &b);
        buffer_deinit(&b.bytes);
        pthread_mutex_lock(&r->lock);
        counters_remote_waiting(&r->server->counters, r->count);
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

/* ---- its life ---- */

int remote_write_check(const struct server_options *o, struct error *e)
{
    if (o->remote_write && strncmp(o->remote_write, "http://", 7) && strncmp(o->remote_write, "https://", 8))
        return error_set(e, -EINVAL, "--remote-write '%.60s' is not a URL; write it like http://prometheus:9090/api/v1/write",
                         o->remote_write);
    if (o->remote_protocol && !write_request_version(o->remote_protocol))
        return error_set(e, -EINVAL, "--remote-write-protocol must be 1.0 or 2.0, not '%.20s'", o->remote_protocol);
    return 0;
}

int remote_write_start(struct remote_write **out, struct server *s, unsigned port, void (*tell)(const char *text), struct error *e)
{
    struct remote_write *r = calloc(1, sizeof *r);
    pthread_condattr_t clock;
    char host[256] = "localhost";
    if (!r)
        return error_set(e, -ENOMEM, "out of memory");
    gethostname(host, sizeof host - 1);
    snprintf(r->instance, sizeof r->instance, "%s:%u", host, port);
    r->server = s;
    r->tell = tell;
    r->version = write_request_version(s->options->remote_protocol ? s->options->remote_protocol : "1.0");
    pthread_mutex_init(&r->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&r->change, &clock);
    pthread_condattr_destroy(&clock);
    int rc = pthread_create(&r->collector, NULL, collect_run, r);
    if (!rc && (rc = pthread_create(&r->sender, NULL, send_run, r))) {
        pthread_mutex_lock(&r->lock);
        r->stopping = true;
        pthread_cond_broadcast(&r->change);
        pthread_mutex_unlock(&r->lock);
        pthread_join(r->collector, NULL);
    }
    if (rc) {
        free(r);
        return error_set(e, -rc, "no thread for --remote-write: %s", strerror(rc));
    }
    *out = r;
    return 0;
}

void remote_write_stop(struct remote_write *r)
{
    if (!r)
        return;
    pthread_mutex_lock(&r->lock);
    r->stopping = true;
    pthread_cond_broadcast(&r->change);
    pthread_mutex_unlock(&r->lock);
    pthread_join(r->collector, NULL);
    pthread_join(r->sender, NULL);
    while (r->count) {
        struct batch b = take(r);
        buffer_deinit(&b.bytes);
    }
    pthread_cond_destroy(&r->change);
    pthread_mutex_destroy(&r->lock);
    free(r);
}
