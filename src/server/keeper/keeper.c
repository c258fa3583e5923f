#include "server/keeper/keeper.h"

#include "base/text/hex.h"
#include "base/time_units.h"
#include "server/keeper/lease.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

enum { ID_BYTES = 16, LEASE_MAX = 64 << 20, LEASE_VERSION = 1 };

/* The holder's clock may run slower than another's by a quarter. */
static const struct lease_times times = {.lasts = 15 * NS_PER_S,
                                         .rests = 20 * NS_PER_S,
                                         .renews = 4 * NS_PER_S,
                                         .looks = 2 * NS_PER_S,
                                         .spaces = NS_PER_S};

static const char object[] = "keeper", probe[] = "keeper-probe";

struct keeper {
    struct keeper_options options;
    struct s3 *s3;
    char id[2 * ID_BYTES + 1];
    pthread_t thread;
    bool running;
    bool probed;          /* the thread's: the service was seen to refuse what it has to refuse */
    char tag[S3_TAG_MAX]; /* the thread's: the version that was seen last */

    pthread_mutex_t lock; /* protects the following members */
    pthread_cond_t change;
    bool stopping;
    struct lease lease;
    uint64_t epoch, count;    /* of the version that was seen last */
    char holder[KEEPER_NAME]; /* its holder, for people */
    char *state;              /* for the next keeper: as read from the object last, or as this keeper saved it; NULL = none */
    uint64_t state_version;   /* how often the state of another keeper was seen */
    bool wants;               /* the state is to be written */
    bool failing;
    uint64_t failures;
};

/* A clock that goes on while the machine is suspended: a keeper that wakes up must not believe in its lease. */
static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_BOOTTIME, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static void tell(struct keeper *k, const char *what, const char *why)
{
    char text[900];
    snprintf(text, sizeof text, "--keeper: %s%s%.600s", what, *why ? ": " : "", why);
    for (char *c = text; *c; c++)
        *c = (unsigned char)*c < ' ' ? ' ' : *c;
    k->options.tell(text);
}

/* Notes how a request ended. e: NULL = well. The caller has no lock. */
static void note(struct keeper *k, const struct error *e)
{
    pthread_mutex_lock(&k->lock);
    bool before = k->failing;
    k->failing = e != NULL;
    k->failures += e != NULL;
    if (e)
        lease_failed(&k->lease, now_ns());
    pthread_mutex_unlock(&k->lock);
    if (e && !before)
        tell(k, "the lease cannot be read or written, and without it no server is the keeper; it is tried again", e->text);
    else if (!e && before)
        tell(k, "the lease can be read and written again", "");
}

/* ---- the object ---- */

struct seen {
    char holder[2 * ID_BYTES + 1], name[KEEPER_NAME];
    uint64_t epoch, count;
    char *state;
};

static void take_text(char *out, size_t size, const json_t *json, const char *key)
{
    const char *text = json_string_value(json_object_get(json, key));
    snprintf(out, size, "%s", text ? text : "");
}

/* Reads the object. The caller frees the state. */
static int parse(struct seen *out, const struct buffer *bytes, struct error *e)
{
    json_t *json = json_loadb((const char *)bytes->data, bytes->len, 0, NULL);
    const json_t *holder = json_object_get(json, "holder"), *epoch = json_object_get(json, "epoch"),
                 *state = json_object_get(json, "state");
    *out = (struct seen){0};
    int rc = 0;
    if (json_integer_value(json_object_get(json, "version")) != LEASE_VERSION || !json_is_string(holder) || json_integer_value(epoch) < 1) {
        rc = error_set(e, -EBADMSG, "the object '%s' is damaged; stop all servers, and remove it", object);
    } else {
        take_text(out->holder, sizeof out->holder, json, "holder");
        take_text(out->name, sizeof out->name, json, "name");
        out->epoch = (uint64_t)json_integer_value(epoch);
        out->count = (uint64_t)json_integer_value(json_object_get(json, "count"));
        out->state = json_is_object(state) ? json_dumps(state, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
        if (json_is_object(state) && !out->state)
            rc = error_set(e, -ENOMEM, "out of memory");
    }
    json_decref(json);
    return rc;
}

/* Makes the object. holder: "" = nobody. Returns a text that the caller frees, or NULL. */
static char *make(const char *holder, const char *name, uint64_t epoch, uint64_t count, const char *state)
{
    json_t *known = state ? json_loads(state, 0, NULL) : NULL;
    json_t *json = json_pack("{s:i, s:s, s:s, s:I, s:I}", "version", LEASE_VERSION, "holder", holder, "name", name, "epoch",
                             (json_int_t)epoch, "count", (json_int_t)count);
    bool whole = json && (!state || (known && !json_object_set(json, "state", known)));
    char *text = whole ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(known);
    json_decref(json);
    return text;
}

/* ---- the probe ---- */

/* A service that does not know conditions would let every server be the keeper. */
static int check_service(struct keeper *k, struct error *e)
{
    char any[S3_TAG_MAX] = "", other[S3_TAG_MAX] = "\"00000000000000000000000000000000\"";
    int rc = s3_replace(k->s3, probe, "", 0, any, e);
    if (rc && rc != -EEXIST)
        return rc;
    *any = 0;
    rc = s3_replace(k->s3, probe, "", 0, any, e);
    int changed = rc == -EEXIST ? s3_replace(k->s3, probe, "", 0, other, e) : -EEXIST;
    if (!rc || !changed)
        return error_set(e, -ENOTSUP,
                         "%s: the service ignores If-None-Match or If-Match of a PUT, so it cannot hold the lease; use another one",
                         s3_url(k->s3));
    rc = rc == -EEXIST ? changed : rc;
    return rc == -EEXIST ? 0 : rc;
}

/* ---- looking and writing, by the thread ---- */

/* Notes a version that was not seen before. The caller has no lock. */
static void saw(struct keeper *k, struct seen *s)
{
    bool is_me = !strcmp(s->holder, k->id);
    pthread_mutex_lock(&k->lock);
    bool is_new = s->epoch != k->epoch;
    k->epoch = s->epoch;
    memcpy(k->holder, s->name, sizeof k->holder);
    k->count = s->count > k->count ? s->count : k->count;
    lease_saw(&k->lease, now_ns(), is_me ? LEASE_ME : *s->holder ? LEASE_OTHER : LEASE_NOBODY);
    if (!is_me) {
        free(k->state);
        k->state = s->state;
        s->state = NULL;
        k->state_version++;
    }
    pthread_mutex_unlock(&k->lock);
    if (is_new && !is_me && *s->holder)
        tell(k, "the keeper is", s->name);
    free(s->state);
}

static void look(struct keeper *k)
{
    struct buffer bytes;
    struct seen s;
    struct error e;
    char tag[S3_TAG_MAX];
    memcpy(tag, k->tag, sizeof tag);
    buffer_init(&bytes, LEASE_MAX);
    int rc = k->probed ? 0 : check_service(k, &e);
    k->probed = k->probed || !rc;
    rc = rc ? rc : s3_read_version(k->s3, object, &bytes, tag, &e);
    bool same = rc == -EALREADY || (rc == -ENOENT && !*tag && k->lease.seen);
    if (rc == -ENOENT && !same) {
        *tag = 0;
        pthread_mutex_lock(&k->lock);
        lease_saw(&k->lease, now_ns(), LEASE_OTHER);
        pthread_mutex_unlock(&k->lock);
    } else if (same) {
        pthread_mutex_lock(&k->lock);
        lease_saw_same(&k->lease, now_ns());
        pthread_mutex_unlock(&k->lock);
    } else if (!rc && !(rc = parse(&s, &bytes, &e))) {
        saw(k, &s);
    }
    bool good = !rc || same || rc == -ENOENT;
    if (good)
        memcpy(k->tag, tag, sizeof tag);
    note(k, good ? NULL : &e);
    buffer_deinit(&bytes);
}

/* Writes the lease. leaves: this server gives it up. */
static void put(struct keeper *k, bool leaves)
{
    struct error e;
    pthread_mutex_lock(&k->lock);
    bool was_me = k->lease.holder == LEASE_ME;
    uint64_t epoch = k->epoch + !was_me, count = k->count + 1;
    char *text = make(leaves ? "" : k->id, k->options.name, epoch, count, k->state);
    bool wanted = k->wants;
    k->wants = false;
    pthread_mutex_unlock(&k->lock);
    uint64_t sent = now_ns();
    int rc = text ? s3_replace(k->s3, object, text, strlen(text), k->tag, &e) : error_set(&e, -ENOMEM, "out of memory");
    free(text);
    pthread_mutex_lock(&k->lock);
    if (!rc) {
        lease_wrote(&k->lease, sent);
        k->epoch = epoch;
        k->count = count;
    } else {
        k->wants = k->wants || wanted;
        if (rc == -EEXIST)
            lease_refused(&k->lease, now_ns());
    }
    pthread_mutex_unlock(&k->lock);
    if (!rc && !was_me && !leaves)
        tell(k, "this server is the keeper", "");
    note(k, rc && rc != -EEXIST ? &e : NULL);
}

static void wait_until(struct keeper *k, uint64_t now, uint64_t until)
{
    uint64_t most = now + NS_PER_S; /* the condition's clock stands still while the machine is suspended */
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    uint64_t ns = (uint64_t)at.tv_nsec + (until < most ? until : most) - now;
    at.tv_sec += (time_t)(ns / NS_PER_S);
    at.tv_nsec = (long)(ns % NS_PER_S);
    pthread_cond_clockwait(&k->change, &k->lock, CLOCK_MONOTONIC, &at);
}

static void *run(void *keeper)
{
    struct keeper *k = keeper;
    pthread_mutex_lock(&k->lock);
    while (!k->stopping) {
        uint64_t now = now_ns(), until;
        enum lease_act act = lease_next(&k->lease, now, k->wants, &until);
        if (act == LEASE_WAIT) {
            wait_until(k, now, until);
            continue;
        }
        pthread_mutex_unlock(&k->lock);
        if (act == LEASE_LOOK)
            look(k);
        else
            put(k, false);
        pthread_mutex_lock(&k->lock);
    }
    bool leaves = lease_is_held(&k->lease, now_ns());
    pthread_mutex_unlock(&k->lock);
    if (leaves)
        put(k, true);
    return NULL;
}

/* ---- its life ---- */

static int make_id(struct keeper *k, struct error *e)
{
    uint8_t bytes[ID_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return error_set(e, -EIO, "there are no random numbers");
    hex_put(k->id, bytes, sizeof bytes);
    return 0;
}

int keeper_open(struct keeper **out, const struct keeper_options *o, struct error *e)
{
    struct keeper *k = *out = calloc(1, sizeof *k);
    if (!k)
        return error_set(e, -ENOMEM, "out of memory");
    k->options = *o;
    pthread_mutex_init(&k->lock, NULL);
    pthread_cond_init(&k->change, NULL);
    lease_init(&k->lease, &times);
    int rc = make_id(k, e);
    rc = rc ? rc : s3_open(&k->s3, o->url, &o->s3, NULL, e);
    if (rc) {
        keeper_close(k);
        *out = NULL;
    }
    return rc;
}

int keeper_start(struct keeper *k, struct error *e)
{
    int rc = k ? pthread_create(&k->thread, NULL, run, k) : 0;
    if (k)
        k->running = !rc;
    return rc ? error_set(e, -rc, "no thread for --keeper: %s", strerror(rc)) : 0;
}

void keeper_close(struct keeper *k)
{
    if (!k)
        return;
    pthread_mutex_lock(&k->lock);
    k->stopping = true;
    pthread_cond_broadcast(&k->change);
    pthread_mutex_unlock(&k->lock);
    if (k->running)
        pthread_join(k->thread, NULL);
    s3_close(k->s3);
    free(k->state);
    pthread_cond_destroy(&k->change);
    pthread_mutex_destroy(&k->lock);
    free(k);
}

uint64_t keeper_epoch(struct keeper *k)
{
    if (!k)
        return 1;
    pthread_mutex_lock(&k->lock);
    uint64_t epoch = !k->stopping && lease_is_held(&k->lease, now_ns()) ? k->epoch : 0;
    pthread_mutex_unlock(&k->lock);
    return epoch;
}

char *keeper_take(struct keeper *k, uint64_t *version)
{
    char *state = NULL;
    pthread_mutex_lock(&k->lock);
    if (*version != k->state_version && k->state && (state = strdup(k->state)))
        *version = k->state_version;
    pthread_mutex_unlock(&k->lock);
    return state;
}

void keeper_save(struct keeper *k, uint64_t epoch, const char *state)
{
    char *copy = k ? strdup(state) : NULL;
    if (!copy)
        return;
    pthread_mutex_lock(&k->lock);
    if (lease_is_held(&k->lease, now_ns()) && epoch == k->epoch) {
        char *old = k->state;
        k->state = copy;
        copy = old;
        k->wants = true;
        pthread_cond_broadcast(&k->change);
    }
    pthread_mutex_unlock(&k->lock);
    free(copy);
}

struct keeper_view keeper_look(struct keeper *k)
{
    struct keeper_view view = {0};
    pthread_mutex_lock(&k->lock);
    view.is_me = lease_is_held(&k->lease, now_ns());
    view.epoch = k->epoch;
    view.failures = k->failures;
    snprintf(view.name, sizeof view.name, "%s", view.is_me ? k->options.name : k->holder);
    pthread_mutex_unlock(&k->lock);
    return view;
}
