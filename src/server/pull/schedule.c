/* The thread that asks for profiles when they are due, all at once and without waiting for any of them. */
#include "server/pull/pull_internal.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "server/keeper/keeper.h"

#include <stdio.h>
#include <string.h>

enum {
    FETCHING_MAX = 2 * PULL_URLS_MAX, /* requests at once: each program may take two profiles for some seconds */
    WAITING_MAX = 256 << 20,          /* while profiles with as many bytes wait to be stored, no more are asked for */
    SCAN_MS = 10,                     /* the least time between two looks at all jobs */
    WAIT_MS = 1000,
    TEXT = 160, /* bytes of an answer that are quoted */
};

static void put_url(const struct pull_job *job, char *out, size_t size)
{
    const struct pull_group *g = job->group;
    const struct pull_kind_row *kind = &pull_kinds[job->kind];
    const char *path = *g->paths[job->kind] ? g->paths[job->kind] : kind->path;
    int n = snprintf(out, size, "%s%s", g->urls[job->url], path);
    if (kind->timed)
        snprintf(out + n, size - (size_t)n, "%cseconds=%u", strchr(path, '?') ? '&' : '?', g->interval_s);
}

/* Asks for the profile. The caller has the lock. */
static void begin(struct pull *p, struct pull_job *job, uint64_t epoch)
{
    char url[PULL_URL_MAX + PULL_PATH_MAX + 32];
    const struct pull_group *g = job->group;
    struct error e;
    put_url(job, url, sizeof url);
    struct many_letter letter = {.url = url,
                                 .token = g->token,
                                 .user = g->user,
                                 .password = g->password,
                                 .ca = g->ca,
                                 .certificate = g->certificate,
                                 .key = g->key,
                                 .timeout_s = (long)g->timeout_s + (pull_kinds[job->kind].timed ? (long)g->interval_s : 0),
                                 .most = p->server->limits.max_body};
    job->state = PULL_FETCHING;
    job->epoch = epoch;
    job->asked = pull_group_get(job->group);
    job->begun_ns = job->tried_ns = (int64_t)clock_realtime_ns();
    p->fetching++;
    if (many_begin(p->many, &letter, job, &e)) {
        p->fetching--;
        pull_job_end(p, job, PULL_FAILED, e.text);
    }
}

/* Frees jobs that are no targets any more. The caller has the lock. */
static void forget_gone(struct pull *p)
{
    for (uint32_t i = p->count; i-- > 0;)
        if (p->jobs[i]->gone && p->jobs[i]->state == PULL_IDLE) {
            pull_job_free(p->jobs[i]);
            p->jobs[i] = p->jobs[--p->count];
        }
}

/* Begins what is due, if this server is the keeper, and returns when the next is. */
static uint64_t begin_due(struct pull *p, uint64_t now)
{
    uint64_t next = now + WAIT_MS * NS_PER_MS, epoch = keeper_epoch(p->server->keeper);
    pthread_mutex_lock(&p->lock);
    forget_gone(p);
    uint32_t i = 0;
    for (; epoch && i < p->count && p->fetching < FETCHING_MAX && p->waiting < WAITING_MAX; i++) {
        struct pull_job *job = p->jobs[(p->turn + i) % p->count];
        uint64_t interval_ns = job->group->interval_s * NS_PER_S;
        if (job->state != PULL_IDLE)
            continue;
        if (job->due_ns <= now) {
            p->late += now - job->due_ns > interval_ns;
            job->due_ns = job->due_ns + interval_ns > now ? job->due_ns + interval_ns : now + interval_ns;
            begin(p, job, epoch);
        } else if (job->due_ns < next) {
            next = job->due_ns;
        }
    }
    p->turn = p->count ? (p->turn + i) % p->count : 0; /* if there is no room, the others come first next time */
    pthread_mutex_unlock(&p->lock);
    return next;
}

/* Describes an answer that is no profile, with the first line of its body. */
static void describe(const struct many_end *end, char *out, size_t size)
{
    const char *text = (const char *)end->body.data;
    size_t n = 0;
    while (n < end->body.len && n < TEXT && (unsigned char)text[n] >= ' ')
        n++;
    if (end->status >= 300 && end->status < 400)
        snprintf(out, size, "it answers with status %ld, a redirect, which is not followed: give the address that it leads to",
                 end->status);
    else
        snprintf(out, size, "it answers with status %ld%s%.*s", end->status, n ? ": " : "", (int)n, n ? text : "");
}

/* Hands an answer over to be stored. */
static void finish(struct pull *p, struct many_end *end)
{
    enum { STATUS_OK = 200 };
    struct pull_job *job = end->context;
    struct error e;
    char text[sizeof e.text];
    pthread_mutex_lock(&p->lock);
    p->fetching--;
    job->bytes += end->body.len;
    if (!end->code && end->status == STATUS_OK) {
        job->body = end->body;
        p->waiting += job->body.len;
        job->state = PULL_STORING;
        job->next = NULL;
        *p->last = job;
        p->last = &job->next;
        pthread_cond_signal(&p->wake);
    } else {
        describe(end, text, sizeof text);
        error_set(&e, 0, "%s", end->code ? end->error.text : text);
        pull_job_end(p, job, PULL_FAILED, e.text);
        buffer_deinit(&end->body);
    }
    pthread_mutex_unlock(&p->lock);
}

static bool is_stopping(struct pull *p)
{
    pthread_mutex_lock(&p->lock);
    bool stopping = p->stopping;
    pthread_mutex_unlock(&p->lock);
    return stopping;
}

void *pull_fetch_run(void *pull)
{
    struct pull *p = pull;
    struct many_end end;
    uint64_t looked = 0;
    while (!is_stopping(p)) {
        uint64_t now = clock_monotonic_ns(), again = looked + SCAN_MS * NS_PER_MS;
        uint64_t next = now < again ? again : begin_due(p, looked = now);
        many_wait(p->many, (int)((next - now) / NS_PER_MS) + 1);
        while (many_take(p->many, &end))
            finish(p, &end);
    }
    return NULL;
}
