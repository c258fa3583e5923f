/* What becomes of a fetched profile: it is subtracted if it is of sums, and goes the way of all pushed profiles. */
#include "server/pull/pull_internal.h"

#include "base/text/units.h"
#include "compress/intake.h"
#include "format/pprof.h"
#include "server/push/parts.h"
#include "server/push/series.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char what[] = "the profile"; /* for messages */

/* What is done with one profile. */
struct storing {
    struct pull *pull;
    struct pull_job *job;
    struct intake in;
    bool opened, restart;
    struct buffer difference;
    struct error error;
    char left_out[PULL_PROBLEM_MAX];
};

/* Unpacks the profile. The limits are those of a profile that is pushed, and hold before anything is computed of it. */
static int unpack(struct storing *t)
{
    const struct server_limits *limits = &t->pull->server->limits;
    const struct buffer *body = &t->job->body;
    uint64_t most = limits->profile_bytes, samples = limits->profile_samples;
    int rc = most ? intake_open_memory_within(&t->in, body->data, body->len, most, what, &t->error)
                  : intake_open_memory(&t->in, body->data, body->len, what, &t->error);
    t->opened = !rc;
    if (!rc && *t->in.damage)
        rc = error_set(&t->error, -EINVAL, "%s: %s", what, t->in.damage);
    if (!rc && samples && pprof_samples(t->in.bytes, t->in.size) > samples)
        rc = error_set(&t->error, -EFBIG, "%s has more than %" PRIu64 " samples; raise it with --max-profile-samples", what, samples);
    return rc;
}

static int set_labels(struct labels *out, const struct pull_job *job, struct error *e)
{
    const struct labels *own = &job->asked->labels;
    int rc = labels_set(out, "instance", 8, job->instance, strlen(job->instance), e);
    for (uint32_t i = 0; !rc && i < own->count; i++)
        rc = labels_set(out, own->list[i].name, strlen(own->list[i].name), own->list[i].value, strlen(own->list[i].value), e);
    return rc;
}

/* Stores a profile as if it had been pushed, with the time of this host's clock, because the program's may be wrong. */
static int push(struct storing *t, int64_t from_ns, int64_t until_ns, const void *bytes, size_t n)
{
    static const struct token own = {.scopes = TOKEN_WRITE, .services = TOKENS_ANY_SERVICE};
    struct parts parts = {.server = t->pull->server, .token = &own, .protocol = BY_PULL, .received_ns = until_ns};
    struct envelope_note note = {.format = "pprof", .from_ns = from_ns, .until_ns = until_ns};
    int rc = series_name_values(&note, pull_kinds[t->job->kind].family, &t->error);
    rc = rc ? rc : set_labels(&note.labels, t->job, &t->error);
    if (!rc)
        parts_take(&parts, &note, bytes, n);
    if (!rc && parts.refused) {
        rc = parts.code;
        t->error = parts.error;
    }
    snprintf(t->left_out, sizeof t->left_out, "%s", parts.left_out);
    envelope_note_deinit(&note);
    return rc;
}

/* Forgets the profile to compare with if another server may have fetched and stored what came after it. */
static int begin_anew(struct pull_job *job, struct error *e)
{
    struct pprof_since *since = job->epoch != job->since_epoch ? pprof_since_new() : NULL;
    if (job->epoch == job->since_epoch)
        return 0;
    if (!since)
        return error_set(e, -ENOMEM, "out of memory");
    pprof_since_free(job->since);
    job->since = since;
    job->since_epoch = job->epoch;
    return 0;
}

/* Stores what is new in a profile of sums. If that fails, the next profile has it, too, because the one before stays the one to compare
 * with. */
static int push_new(struct storing *t, int64_t now_ns, enum pull_result *result)
{
    static const enum pull_result results[] = {[PPROF_SINCE_FIRST] = PULL_FIRST,
                                               [PPROF_SINCE_MORE] = PULL_STORED,
                                               [PPROF_SINCE_NOTHING] = PULL_NOTHING,
                                               [PPROF_SINCE_RESTART] = PULL_STORED};
    struct pull_job *job = t->job;
    enum pprof_since_result since;
    buffer_init(&t->difference, 2 * t->in.size + 4096);
    int rc = begin_anew(job, &t->error);
    rc = rc ? rc : pprof_since_take(job->since, t->in.bytes, t->in.size, &t->difference, &since, &t->error);
    if (!rc && results[since] == PULL_STORED)
        rc = push(t, job->since_ns, now_ns, t->difference.data, t->difference.len);
    if (rc)
        return rc;
    pprof_since_keep(job->since);
    job->since_ns = now_ns;
    t->restart = since == PPROF_SINCE_RESTART;
    *result = results[since];
    return 0;
}

static int take(struct storing *t, enum pull_result *result)
{
    int64_t now_ns = (int64_t)clock_realtime_ns();
    int rc = unpack(t);
    *result = PULL_STORED;
    if (!rc && t->job->since)
        rc = push_new(t, now_ns, result);
    else if (!rc)
        rc = push(t, t->job->begun_ns, now_ns, t->job->body.data, t->job->body.len);
    return rc;
}

/* Stores the profile of a job, without the lock. */
static void store(struct pull *p, struct pull_job *job)
{
    struct storing t = {.pull = p, .job = job};
    enum pull_result result;
    int rc = take(&t, &result);
    if (t.opened)
        intake_close(&t.in);
    buffer_deinit(&t.difference);
    pthread_mutex_lock(&p->lock);
    job->restarts += t.restart;
    p->restarts += t.restart;
    memcpy(job->left_out, t.left_out, sizeof job->left_out);
    pull_job_end(p, job, rc ? PULL_REFUSED : result, rc ? t.error.text : "");
    pthread_mutex_unlock(&p->lock);
    many_wake(p->many); /* the next may be due already */
}

void *pull_store_run(void *pull)
{
    struct pull *p = pull;
    pthread_mutex_lock(&p->lock);
    while (!p->stopping) {
        struct pull_job *job = p->first;
        if (!job) {
            pthread_cond_wait(&p->wake, &p->lock);
            continue;
        }
        p->first = job->next;
        if (!p->first)
            p->last = &p->first;
        pthread_mutex_unlock(&p->lock);
        store(p, job);
        pthread_mutex_lock(&p->lock);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}
