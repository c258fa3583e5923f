/* What the server says of pulling: GET /v1/pull, and its metrics. */
#include "server/pull/pull_internal.h"

#include "base/text/pattern.h"
#include "server/request/exposition.h"

#include <inttypes.h>
#include <string.h>

const char *const pull_results[PULL_RESULT_COUNT] = {
#define PULL_WORD(name, word) word,
    PULL_RESULTS(PULL_WORD)
#undef PULL_WORD
};

uint32_t pull_count(struct pull *p)
{
    uint32_t n = 0;
    pthread_mutex_lock(&p->lock);
    for (uint32_t i = 0; i < p->count; i++)
        n += !p->jobs[i]->gone;
    pthread_mutex_unlock(&p->lock);
    return n;
}

/* ---- /v1/pull ---- */

static void put_time(struct jsonw *j, const char *name, int64_t ns)
{
    jsonw_key(j, name);
    if (ns)
        jsonw_int(j, ns);
    else
        jsonw_null(j);
}

static void put_labels(struct jsonw *j, const struct pull_job *job)
{
    const struct labels *labels = &job->group->labels;
    jsonw_key(j, "labels");
    jsonw_object(j);
    if (!*labels_get(labels, "instance"))
        jsonw_member_text(j, "instance", job->instance);
    for (uint32_t i = 0; i < labels->count; i++)
        jsonw_member_text(j, labels->list[i].name, labels->list[i].value);
    jsonw_object_end(j);
}

static void put_job(struct jsonw *j, const struct pull_job *job)
{
    bool is_known = job->good_ns || *job->problem;
    jsonw_object(j);
    jsonw_member_text(j, "name", job->group->name);
    jsonw_member_text(j, "url", job->group->urls[job->url]);
    jsonw_member_text(j, "profile", pull_kinds[job->kind].word);
    put_labels(j, job);
    jsonw_member_uint(j, "interval", job->group->interval_s);
    jsonw_member_text(j, "state", !is_known ? "new" : *job->problem ? "failing" : "good");
    jsonw_member_text_or_null(j, "problem", job->problem);
    jsonw_member_text_or_null(j, "left_out", job->left_out);
    put_time(j, "tried_ns", job->tried_ns);
    put_time(j, "good_ns", job->good_ns);
    for (int i = 0; i < PULL_RESULT_COUNT; i++)
        jsonw_member_uint(j, pull_results[i], job->results[i]);
    jsonw_member_uint(j, "restarts", job->restarts);
    jsonw_member_uint(j, "bytes", job->bytes);
    jsonw_object_end(j);
}

void pull_answer(struct http *h)
{
    struct pull *p = h->server->pull;
    struct http_writer w;
    if (http_write_begin(h, &w))
        return;
    jsonw_object(&w.json);
    jsonw_key(&w.json, "targets");
    jsonw_array(&w.json);
    if (p)
        pthread_mutex_lock(&p->lock);
    for (uint32_t i = 0; p && i < p->count && !w.full; i++)
        if (!p->jobs[i]->gone && pattern_matches(h->token.services, labels_get(&p->jobs[i]->group->labels, "service")))
            put_job(&w.json, p->jobs[i]);
    if (p)
        pthread_mutex_unlock(&p->lock);
    jsonw_array_end(&w.json);
    jsonw_object_end(&w.json);
    http_write_end(h, &w, HTTP_OK, "application/json");
}

/* ---- /metrics ---- */

static void put_up(FILE *out, const struct pull *p)
{
    exposition_head(out, "pull_up", "gauge", "1 if the latest profile of this kind was fetched and kept; 0 if not.");
    for (uint32_t i = 0; i < p->count; i++) {
        const struct pull_job *job = p->jobs[i];
        if (job->gone || (!job->good_ns && !*job->problem))
            continue;
        fprintf(out, "candor_server_pull_up{target=\"%s\",instance=\"", job->group->name);
        exposition_label(out, job->instance);
        fprintf(out, "\",profile=\"%s\"} %d\n", pull_kinds[job->kind].word, !*job->problem);
    }
}

void pull_put_metrics(FILE *out, struct server *server)
{
    struct pull *p = server->pull;
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    exposition_head(out, "pulls_total", "counter", "Profiles that were asked for, by what became of them.");
    for (int i = 0; i < PULL_RESULT_COUNT; i++)
        fprintf(out, "candor_server_pulls_total{result=\"%s\"} %" PRIu64 "\n", pull_results[i], p->results[i]);
    exposition_put(out, "pull_restarts_total", "counter", "Profiles of sums that showed that their program has started again.",
                   p->restarts);
    exposition_put(out, "pulls_late_total", "counter", "Profiles that were asked for more than an interval late.", p->late);
    put_up(out, p);
    pthread_mutex_unlock(&p->lock);
}
