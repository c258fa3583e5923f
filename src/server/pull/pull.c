/* The life of pulling: start, end, and the jobs, of which there is one for each profile of each program. */
#include "server/pull/pull_internal.h"

#include "base/array.h"
#include "base/map.h"
#include "base/text/units.h"
#include "base/time_units.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- jobs ---- */

void pull_job_free(struct pull_job *job)
{
    pull_group_put(job->group);
    pull_group_put(job->asked);
    pprof_since_free(job->since);
    buffer_deinit(&job->body);
    free(job->identity);
    free(job);
}

static void tell_change(const struct pull *p, const struct pull_job *job, const char *problem)
{
    char text[PULL_URL_MAX + 400];
    snprintf(text, sizeof text, "pull %s, %s of %s: %s", job->group->name, pull_kinds[job->kind].word, job->group->urls[job->url],
             *problem ? problem : "works again");
    p->tell(text);
}

void pull_job_end(struct pull *p, struct pull_job *job, enum pull_result result, const char *problem)
{
    bool was_bad = *job->problem;
    job->results[result]++;
    p->results[result]++;
    if (!*problem)
        job->good_ns = job->begun_ns;
    snprintf(job->problem, sizeof job->problem, "%s", problem);
    pull_group_put(job->asked);
    job->asked = NULL;
    p->waiting -= job->body.len;
    buffer_deinit(&job->body);
    job->body = (struct buffer){0};
    job->state = PULL_IDLE;
    if (!job->gone && was_bad != (bool)*problem)
        tell_change(p, job, problem);
}

/* Writes what makes a job the same after a reload. Returns NULL without memory. */
static char *identity_of(const struct pull_group *g, uint32_t url, enum pull_kind kind)
{
    struct buffer b;
    buffer_init(&b, 1 << 20);
    buffer_printf(&b, "%s %s %s ", pull_kinds[kind].word, g->urls[url], g->paths[kind]);
    int rc = labels_write(&g->labels, &b);
    buffer_u8(&b, 0);
    char *text = rc || b.failed ? NULL : strdup((const char *)b.data);
    buffer_deinit(&b);
    return text;
}

/* Requests of different jobs begin at different times of their interval. */
static uint64_t first_due(const struct pull_job *job)
{
    return clock_monotonic_ns() + hash_bytes(job->identity, strlen(job->identity)) % (job->group->interval_s * NS_PER_S);
}

static struct pull_job *job_new(struct pull_group *g, uint32_t url, enum pull_kind kind)
{
    struct pull_job *job = calloc(1, sizeof *job);
    if (!job)
        return NULL;
    job->group = pull_group_get(g);
    job->url = url;
    job->kind = kind;
    job->identity = identity_of(g, url, kind);
    job->since = pull_kinds[kind].sums ? pprof_since_new() : NULL;
    if (!job->identity || (pull_kinds[kind].sums && !job->since)) {
        pull_job_free(job);
        return NULL;
    }
    snprintf(job->instance, sizeof job->instance, "%s", strstr(g->urls[url], "://") + 3);
    job->due_ns = first_due(job);
    return job;
}

struct job_list {
    struct pull_job **jobs;
    uint32_t count, cap;
};

static int add_jobs(struct job_list *list, struct pull_group *g)
{
    for (uint32_t url = 0; url < g->url_count; url++)
        for (int kind = 0; kind < PULL_KIND_COUNT; kind++) {
            struct pull_job *job = g->kinds & 1u << kind ? job_new(g, url, (enum pull_kind)kind) : NULL;
            if (g->kinds & 1u << kind && (!job || ARRAY_GROW(list->jobs, list->cap, list->count)))
                return -ENOMEM;
            if (job)
                list->jobs[list->count++] = job;
        }
    return 0;
}

/* ---- a new configuration ---- */

/* Gives an earlier job the settings of a new one, whose place it takes. */
static void go_on(struct pull_job *job, struct pull_job *new)
{
    struct pull_group *old = job->group;
    job->group = new->group;
    job->url = new->url;
    new->group = old;
    if (job->due_ns > new->due_ns)
        job->due_ns = new->due_ns;
    pull_job_free(new);
}

static uint64_t hash_of(const struct pull_job *job)
{
    return hash_bytes(job->identity, strlen(job->identity));
}

static int map_jobs(struct map *places, const struct job_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        bool added;
        uint32_t *place = map_add(places, hash_of(list->jobs[i]), &added);
        if (!place)
            return -ENOMEM;
        *place = i;
    }
    return 0;
}

/* Puts earlier jobs into the places of those that are the same. The others are added, too, and end when their work does. The list has room
 * for all of them. */
static void take_over(struct pull *p, struct job_list *list, const struct map *places)
{
    for (uint32_t i = 0; i < p->count; i++) {
        struct pull_job *job = p->jobs[i];
        const uint32_t *place = job->gone ? NULL : map_find(places, hash_of(job));
        if (place) {
            go_on(job, list->jobs[*place]);
            list->jobs[*place] = job;
        } else {
            job->gone = true;
            list->jobs[list->count++] = job;
        }
    }
}

/* Makes room for the earlier jobs, of which there are at most so many as now. */
static int make_room(struct job_list *list, uint32_t more)
{
    struct pull_job **grown = realloc(list->jobs, ((size_t)list->count + more + 1) * sizeof *grown);
    if (!grown)
        return -ENOMEM;
    list->jobs = grown;
    return 0;
}

static void free_list(struct job_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        pull_job_free(list->jobs[i]);
    free(list->jobs);
}

void pull_use(struct pull *p, struct pull_targets *t)
{
    struct job_list list = {0};
    struct map places = {0};
    int rc = 0;
    for (uint32_t i = 0; !rc && i < t->count; i++)
        rc = add_jobs(&list, t->groups[i]);
    rc = rc ? rc : map_jobs(&places, &list);
    targets_deinit(t);
    pthread_mutex_lock(&p->lock);
    rc = rc ? rc : make_room(&list, p->count);
    if (!rc) {
        take_over(p, &list, &places);
        free(p->jobs);
        p->jobs = list.jobs;
        p->count = list.count;
    }
    pthread_mutex_unlock(&p->lock);
    map_deinit(&places);
    if (rc) {
        free_list(&list);
        p->tell("pull: out of memory; the previous targets stay");
    }
    many_wake(p->many);
}

/* ---- start and end ---- */

static int start_threads(struct pull *p, struct error *e)
{
    int rc = 0;
    while (!rc && p->thread_count <= PULL_STORERS) {
        rc = pthread_create(&p->threads[p->thread_count], NULL, p->thread_count ? pull_store_run : pull_fetch_run, p);
        p->thread_count += !rc;
    }
    return rc ? error_set(e, -rc, "cannot start a thread: %s", strerror(rc)) : 0;
}

int pull_start(struct pull **out, struct server *server, void (*tell)(const char *text), struct error *e)
{
    struct pull_targets targets;
    *out = NULL;
    int rc = targets_read(&targets, server->options->pull, e);
    if (rc)
        return rc;
    struct pull *p = calloc(1, sizeof *p);
    if (!p) {
        targets_deinit(&targets);
        return error_set(e, -ENOMEM, "out of memory");
    }
    p->server = server;
    p->tell = tell;
    p->last = &p->first;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    p->many = many_new(e);
    if (p->many)
        pull_use(p, &targets);
    targets_deinit(&targets);
    rc = p->many ? start_threads(p, e) : -ENOTSUP;
    if (rc)
        pull_stop(p);
    else
        *out = p;
    return rc;
}

void pull_stop(struct pull *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->stopping = true;
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
    if (p->thread_count)
        many_wake(p->many);
    for (uint32_t i = 0; i < p->thread_count; i++)
        pthread_join(p->threads[i], NULL);
    many_free(p->many);
    struct job_list list = {.jobs = p->jobs, .count = p->count};
    free_list(&list);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->wake);
    free(p);
}
