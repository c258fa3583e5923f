#include "server/arrivals/take.h"

#include "base/buffer.h"
#include "base/text/hex.h"
#include "base/text/units.h"
#include "http/backoff.h"
#include "server/keeper/keeper.h"
#include "server/request/arrival.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TAKERS = 4, /* as many are fetched and stored at once: small ones wait for the disk together */
    ROUND = 256,
    TRIES = 2,
    WAITING_S = 30,       /* how often all that waits is counted, for which the whole list is read; */
    OTHERS_WAITING_S = 5, /* on a server that takes none over */
};
#define WAIT_MOST_NS ((uint64_t)10 * NS_PER_S) /* after failures: one recording that fails again and again shall not delay others */

static const struct token own = {.scopes = TOKEN_WRITE, .services = TOKENS_ANY_SERVICE};

struct take {
    struct server *server;
    struct arrivals *arrivals;
    pthread_t threads[TAKERS];
    unsigned started;
    pthread_mutex_t lock; /* protects the following members */
    pthread_cond_t change;
    bool stopping;
    bool listing;                     /* a thread reads the list; the others wait for it */
    char names[ROUND][ARRIVALS_NAME]; /* of this round; */
    unsigned count, next;             /* those before `next` are taken, or being taken, */
    unsigned busy;                    /* by so many threads */
    unsigned ended;                   /* well, in this round */
    unsigned failed_rounds;           /* in a row */
    bool failed;                      /* in this round */
    char after[ARRIVALS_NAME];        /* the next round begins after this name: what fails again and again holds nothing up; "" = anew */
    uint64_t next_ns;                 /* when the list is read again */
    uint64_t counted_ns;              /* when all that waits was counted */
    uint64_t waiting;                 /* what was found then, without those that were taken since, or more that were found since */
    uint64_t began_ns;                /* when the list was last read from its beginning, */
    bool clean;                       /* and all that was in it was taken until now */
    uint64_t since_ns;                /* what waits came later, as far as it is known */
};

/* ---- one recording ---- */

/* Puts what no server will ever take aside, so that somebody can look at it. It may be too large to be fetched. */
static int put_aside(struct take *t, const char *name, const char *why, struct error *e)
{
    struct arrivals *a = t->arrivals;
    char to[ARRIVALS_NAME + sizeof ARRIVALS_REFUSE], text[700];
    snprintf(to, sizeof to, ARRIVALS_REFUSE "%s", name + strlen(ARRIVALS_WAIT));
    int rc = s3_copy(a->s3, name, to, TRIES, e);
    rc = rc ? rc : s3_remove(a->s3, name, TRIES, e);
    if (rc)
        return rc;
    snprintf(text, sizeof text, "--arrivals: a recording is refused, and is now %s: %.400s", to, why);
    a->tell(text);
    pthread_mutex_lock(&a->lock);
    a->counts.refused++;
    pthread_mutex_unlock(&a->lock);
    return 0;
}

static int store(struct take *t, const struct buffer *bytes, struct error *e)
{
    struct server *s = t->server;
    struct store_added added = {0};
    const struct arrival_file file = {bytes->data, bytes->len, "the arrival", .forwarded = false};
    counters_received(&s->counters, BY_ARRIVAL);
    int rc = arrival_store_file(s, &own, &file, &added, e);
    counters_ended(&s->counters, rc ? arrival_refusal(rc) : added.duplicate ? DUPLICATE : STORED, rc ? 0 : bytes->len);
    if (!rc && *added.left_out)
        counters_left_out(&s->counters);
    if (rc)
        return rc;
    pthread_mutex_lock(&t->arrivals->lock);
    t->arrivals->counts.taken++;
    pthread_mutex_unlock(&t->arrivals->lock);
    return 0;
}

static int refuse_large(struct take *t, struct error *e)
{
    counters_received(&t->server->counters, BY_ARRIVAL);
    counters_ended(&t->server->counters, arrival_refusal(-EFBIG), 0);
    return error_set(e, -EFBIG, "more than --max-body, %" PRIu64 " bytes", (uint64_t)t->server->limits.max_body);
}

/* Takes one over. If it is not there, another server has taken it. Returns 0, or a code with a message in e if it has to be tried again. */
static int take_one(struct take *t, const char *name, struct error *e)
{
    struct buffer bytes;
    struct error why;
    buffer_init(&bytes, t->server->limits.max_body + ENVELOPE_MORE);
    int rc = s3_get(t->arrivals->s3, name, &bytes, TRIES, &why);
    bool gone = rc == -ENOENT;
    if (rc == -EFBIG)
        rc = refuse_large(t, &why);
    else if (!rc)
        rc = store(t, &bytes, &why);
    buffer_deinit(&bytes);
    if (!rc)
        return s3_remove(t->arrivals->s3, name, TRIES, e);
    if (!gone && !arrival_may_retry(rc))
        return put_aside(t, name, why.text, e);
    *e = why;
    return gone ? 0 : rc;
}

/* ---- a round ---- */

struct listing {
    struct take *take;
    unsigned count;
    uint64_t waiting;
    bool all;
};

static int note_name(void *context, const char *name, struct error *e)
{
    struct listing *l = context;
    uint8_t identity[ENVELOPE_IDENTITY];
    if (strlen(name) != ARRIVALS_NAME - 1 || !hex_parse(name + strlen(ARRIVALS_WAIT), identity, sizeof identity))
        return 0; /* somebody else's */
    l->waiting++;
    if (l->count < ROUND && strcmp(name, l->take->after) > 0)
        memcpy(l->take->names[l->count++], name, ARRIVALS_NAME);
    return l->count == ROUND && !l->all ? -EALREADY : 0;
}

/* Keeps what a list has shown. The caller has the lock. */
static void note_waiting(struct take *t, const struct listing *l, uint64_t now)
{
    bool whole = l->all || (!*t->after && l->count < ROUND);
    if (whole || l->waiting > t->waiting)
        t->waiting = l->waiting;
    if (whole)
        t->counted_ns = now;
    if (!*t->after)
        t->began_ns = now;
    t->clean = t->clean || !*t->after;
    store_note_waiting(t->server->store, t->waiting, t->since_ns);
    pthread_mutex_lock(&t->arrivals->lock);
    t->arrivals->counts.waiting = t->waiting;
    pthread_mutex_unlock(&t->arrivals->lock);
}

/* Reads the list of what waits, without the lock: only the thread that has set `listing` touches the names and `after` meanwhile. takes:
 * otherwise it is only counted. */
static void list(struct take *t, uint64_t now, bool takes)
{
    struct arrivals *a = t->arrivals;
    struct error e;
    struct listing l = {.take = t, .all = !takes || !t->counted_ns || now - t->counted_ns > (uint64_t)WAITING_S * NS_PER_S};
    t->listing = true;
    pthread_mutex_unlock(&t->lock);
    int rc = s3_list(a->s3, ARRIVALS_WAIT, l.all ? "" : t->after, note_name, &l, &e);
    rc = rc == -EALREADY ? 0 : rc;
    if (rc != -ECANCELED)
        arrivals_note(a, rc ? &e : NULL);
    pthread_mutex_lock(&t->lock);
    if (!rc)
        note_waiting(t, &l, now);
    t->listing = false;
    t->count = rc || !takes ? 0 : l.count;
    t->next = t->ended = 0;
    t->failed = rc != 0;
}

/* Ends a round, and decides when the next one begins: at once while there is work, after a second when there is none, and later after
 * failures. It begins with the names after those of this one, and anew after the last. */
static void end_round(struct take *t)
{
    bool more = t->count == ROUND, again = !more && *t->after;
    t->clean = t->clean && !t->failed;
    if (!more && t->clean)
        t->since_ns = t->began_ns;
    uint64_t wait = (t->ended || again) && !t->failed ? 0 : NS_PER_S;
    if (more)
        memcpy(t->after, t->names[ROUND - 1], sizeof t->after);
    else
        *t->after = 0;
    t->failed_rounds = t->failed && !t->ended ? t->failed_rounds + 1 : 0;
    if (t->failed_rounds)
        wait = backoff_wait_ns(t->failed_rounds, 0, backoff_random());
    t->next_ns = clock_monotonic_ns() + (wait < WAIT_MOST_NS ? wait : WAIT_MOST_NS);
    t->count = t->next = t->ended = 0;
    t->failed = false;
}

/* Notes the end of one that was taken over, or put aside. The caller has the lock. */
static void note_taken(struct take *t)
{
    t->ended++;
    t->waiting -= t->waiting > 0;
    store_note_waiting(t->server->store, t->waiting, t->since_ns);
}

static bool is_over(const struct take *t)
{
    return t->stopping || atomic_load_explicit(&t->server->stop.asked, memory_order_relaxed);
}

/* Waits for a change, but for a second at most. The caller has the lock. */
static void rest(struct take *t)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec++;
    pthread_cond_clockwait(&t->change, &t->lock, CLOCK_MONOTONIC, &until);
}

/* Does the next thing that is to be done. The caller has the lock. */
static void step(struct take *t)
{
    struct error e;
    bool takes = keeper_epoch(t->server->keeper) != 0;
    if (t->next < t->count && takes) {
        const char *name = t->names[t->next++];
        t->busy++;
        pthread_mutex_unlock(&t->lock);
        int rc = take_one(t, name, &e);
        if (rc != -ECANCELED)
            arrivals_note(t->arrivals, rc ? &e : NULL);
        pthread_mutex_lock(&t->lock);
        t->busy--;
        if (!rc)
            note_taken(t);
        t->failed = t->failed || rc;
        if (!t->busy && t->next == t->count)
            end_round(t);
    } else if (t->busy || t->listing || clock_monotonic_ns() < t->next_ns) {
        rest(t);
        return;
    } else {
        list(t, clock_monotonic_ns(), takes);
        if (!t->count)
            end_round(t);
        if (!takes)
            t->next_ns = clock_monotonic_ns() + OTHERS_WAITING_S * (uint64_t)NS_PER_S;
    }
    pthread_cond_broadcast(&t->change);
}

static void *run(void *take)
{
    struct take *t = take;
    pthread_mutex_lock(&t->lock);
    while (!is_over(t))
        step(t);
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

/* ---- its life ---- */

int take_start(struct take **out, struct server *s, struct arrivals *a, struct error *e)
{
    struct take *t = *out = calloc(1, sizeof *t);
    int rc = 0;
    if (!t)
        return error_set(e, -ENOMEM, "out of memory");
    t->server = s;
    t->arrivals = a;
    t->waiting = 1; /* how many is not known before the first list */
    t->since_ns = clock_monotonic_ns();
    store_note_waiting(s->store, t->waiting, t->since_ns);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->change, NULL);
    for (; !rc && t->started < TAKERS; t->started += !rc)
        rc = pthread_create(&t->threads[t->started], NULL, run, t);
    if (!rc)
        return 0;
    take_stop(t);
    *out = NULL;
    return error_set(e, -rc, "no thread for --arrivals: %s", strerror(rc));
}

void take_stop(struct take *t)
{
    if (!t)
        return;
    pthread_mutex_lock(&t->lock);
    t->stopping = true;
    pthread_cond_broadcast(&t->change);
    pthread_mutex_unlock(&t->lock);
    while (t->started)
        pthread_join(t->threads[--t->started], NULL);
    pthread_cond_destroy(&t->change);
    pthread_mutex_destroy(&t->lock);
    free(t);
}
