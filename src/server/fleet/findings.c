/* Answers with findings: all that the query selects, or one with its evidence. */
#include "server/fleet/findings.h"

#include "analysis/findings.h"
#include "base/text/number.h"
#include "base/text/pattern.h"
#include "server/request/exposition.h"
#include "server/request/question.h"
#include "store/catalogue/catalogue_findings.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { LIMIT = 1000, LIMIT_MAX = 100000 };

/* ---- one finding ---- */

static const char *severity_of(const struct catalogue_finding *f)
{
    return f->worst.score >= SCORE_WARNING ? "warning" : "info";
}

static const char *title_of(const char *rule)
{
    enum finding_kind kind = finding_named(rule, strlen(rule));
    return kind == FINDING_KINDS ? rule : finding_infos[kind].title;
}

static void put_time(struct jsonw *j, const char *name, int64_t seconds)
{
    jsonw_key(j, name);
    jsonw_int(j, seconds);
}

static void put_extent(struct jsonw *j, const char *name, const struct catalogue_extent *x)
{
    jsonw_key(j, name);
    jsonw_object(j);
    jsonw_member_number(j, "score", x->score);
    jsonw_member_uint(j, "lost_ns", x->lost_ns);
    jsonw_member_uint(j, "duration_ns", x->duration_ns);
    jsonw_object_end(j);
}

static void put_seen(struct jsonw *j, const char *name, const struct catalogue_finding *f, const char *of)
{
    jsonw_key(j, name);
    jsonw_array(j);
    for (uint32_t i = 0; i < f->seen_count; i++)
        if (!strcmp(f->seen[i].name, of))
            jsonw_text(j, f->seen[i].value);
    jsonw_array_end(j);
}

static void put_evidence(struct jsonw *j, const struct catalogue_finding *f)
{
    jsonw_key(j, "evidence");
    jsonw_object(j);
    jsonw_member_uint(j, "recording", f->evidence);
    jsonw_key(j, "exists");
    jsonw_bool(j, f->has_evidence);
    jsonw_object_end(j);
}

/* Writes a finding, as an object that the caller ends. */
static void put_finding(struct jsonw *j, const struct catalogue_finding *f)
{
    jsonw_object(j);
    jsonw_member_uint(j, "id", f->id);
    jsonw_member_text(j, "service", f->service);
    jsonw_member_text(j, "rule", f->rule);
    jsonw_member_text(j, "title", title_of(f->rule));
    jsonw_member_text(j, "place", f->place);
    jsonw_member_text(j, "severity", severity_of(f));
    jsonw_member_text(j, "state", catalogue_state_names[f->state]);
    jsonw_member_text(j, "note", f->note);
    put_time(j, "first", f->first);
    put_time(j, "last", f->last);
    put_time(j, "changed", f->changed);
    jsonw_member_uint(j, "recordings", f->recordings);
    put_seen(j, "hosts", f, "host");
    put_seen(j, "versions", f, "version");
    put_extent(j, "latest", &f->latest);
    put_extent(j, "worst", &f->worst);
    put_evidence(j, f);
}

/* ---- which are asked for ---- */

struct listing {
    struct http_writer *writer;
    const struct store *store;
    const struct store_query *q;
    const struct selector *selector;
    bool of_time;         /* only those that were seen in the query's time */
    bool states[STATES];  /* which states */
    const char *severity; /* NULL = any, as for the next */
    const char *rule;
    uint32_t left;
    bool more;
    struct error *error;
};

static const char *value_given(void *value, const char *name)
{
    (void)name;
    return value;
}

/* Whether a matcher holds for the service, for any of the hosts, or for any of the versions. Findings have no other labels. */
static bool holds(const struct matcher *m, const struct catalogue_finding *f)
{
    struct selector one = {.list = {*m}, .count = 1};
    bool any = false;
    if (!strcmp(m->name, "service"))
        return selector_holds(&one, value_given, (void *)f->service);
    for (uint32_t i = 0; i < f->seen_count; i++) {
        if (strcmp(f->seen[i].name, m->name))
            continue;
        any = true;
        if (selector_holds(&one, value_given, (void *)f->seen[i].value))
            return true;
    }
    return !any && selector_holds(&one, value_given, "");
}

static bool is_wanted(const struct listing *l, const struct catalogue_finding *f)
{
    if (!pattern_matches(l->selector->services, f->service))
        return false;
    if (!l->states[f->state] || (l->severity && strcmp(l->severity, severity_of(f))) || (l->rule && strcmp(l->rule, f->rule)))
        return false;
    if (l->of_time && (f->last < l->q->from || f->first >= l->q->to))
        return false;
    for (uint32_t i = 0; i < l->selector->count; i++)
        if (!holds(&l->selector->list[i], f))
            return false;
    return true;
}

static int list_finding(void *context, const struct catalogue_finding *f)
{
    struct listing *l = context;
    int rc = store_is_over(l->store, l->q, l->error);
    if (rc || !is_wanted(l, f))
        return rc;
    if (l->writer->full)
        return 1;
    if (!l->left--) {
        l->more = true;
        return 1;
    }
    put_finding(&l->writer->json, f);
    jsonw_object_end(&l->writer->json);
    return 0;
}

/* Reads a parameter whose values are words. Returns the value's place in `words`, `count` if it is not given, or -1 if it has answered with
 * an error. */
static int read_word(struct http *h, const char *name, const char *const *words, int count)
{
    const char *text = http_parameter(h, name, NULL);
    int i = 0;
    while (text && *text && i < count && strcmp(words[i], text))
        i++;
    if (!text || !*text)
        return count;
    if (i < count)
        return i;
    http_error(h, HTTP_BAD_REQUEST, "%s: '%.40s' is not one of its values; docs/formats/server-api.md lists them", name, text);
    return -1;
}

/* Reads the state: a word, or "all". The default is open and acknowledged ones. */
static int read_states(struct http *h, bool states[STATES])
{
    const char *words[STATES + 1];
    memcpy(words, catalogue_state_names, sizeof catalogue_state_names);
    words[STATES] = "all";
    int state = read_word(h, "state", words, STATES + 1);
    for (int i = 0; i < STATES; i++)
        states[i] = state == STATES || state == i || (state == STATES + 1 && i <= STATE_ACKNOWLEDGED);
    return state < 0 ? -EINVAL : 0;
}

static int read_filters(struct http *h, struct listing *l)
{
    static const char *const severities[] = {"info", "warning"};
    const char *from = http_parameter(h, "from", NULL), *to = http_parameter(h, "to", NULL), *rule = http_parameter(h, "rule", NULL);
    l->of_time = (from && *from) || (to && *to);
    l->rule = rule && *rule ? rule : NULL;
    int rc = read_states(h, l->states), severity = rc ? -1 : read_word(h, "severity", severities, 2);
    if (severity < 0)
        return -EINVAL;
    l->severity = severity < 2 ? severities[severity] : NULL;
    if (l->rule && finding_named(l->rule, strlen(l->rule)) == FINDING_KINDS) {
        http_error(h, HTTP_BAD_REQUEST, "rule: there is no rule '%.60s'; docs/findings.md has them", l->rule);
        return -EINVAL;
    }
    return question_number(h, "limit", LIMIT, LIMIT_MAX, &l->left);
}

/* Writes what became of the recordings. */
static void put_judging(struct jsonw *j, const struct catalogue_judging *sums)
{
    jsonw_member_uint(j, "judged", sums->judged);
    jsonw_member_uint(j, "waiting", sums->waiting);
    jsonw_key(j, "skipped");
    jsonw_object(j);
    for (int i = 0; i < SKIPS; i++)
        jsonw_member_uint(j, catalogue_skip_names[i], sums->skipped[i]);
    jsonw_object_end(j);
    jsonw_member_uint(j, "unlisted", sums->unlisted);
}

static int put_findings(struct http *h, struct listing *l, struct error *e)
{
    struct jsonw *j = &l->writer->json;
    struct store_asking asking = {l->store, l->q};
    struct catalogue_patience patience = store_patience(&asking);
    struct catalogue *c = store_catalogue(h->server->store);
    struct catalogue_judging sums;
    struct missing missing = {0};
    store_note_unread(h->server->store, l->q, &missing);
    jsonw_object(j);
    jsonw_key(j, "findings");
    jsonw_array(j);
    int rc = catalogue_findings(c, 0, &patience, list_finding, l, e);
    jsonw_array_end(j);
    rc = rc < 0 ? rc : catalogue_judging(c, &sums, e);
    if (rc)
        return rc;
    if (!token_is_bound(&h->token))
        put_judging(j, &sums);
    jsonw_member_number(j, "analyze_cpu", (double)h->server->limits.analyze_ppm / 1e6);
    question_put_complete(j, &missing, "", l->more);
    jsonw_object_end(j);
    return 0;
}

void findings_answer(struct http *h)
{
    struct question query;
    struct http_writer w;
    struct error e;
    struct listing l = {.writer = &w, .store = h->server->store, .q = &query.q, .selector = &query.selector, .error = &e};
    int rc = question_init(&query, h);
    rc = rc ? rc : read_filters(h, &l);
    if (!rc && !http_write_begin(h, &w)) {
        rc = put_findings(h, &l, &e);
        if (rc) {
            http_write_abandon(&w);
            question_failed(h, rc, &e);
        } else {
            http_write_end(h, &w, HTTP_OK, "application/json");
        }
    }
    question_deinit(&query);
}

/* ---- one, with its evidence ---- */

struct whole {
    struct http_writer *writer;
    const char *services; /* a pattern for the service of the finding */
};

static int put_whole(void *context, const struct catalogue_finding *f)
{
    const struct whole *one = context;
    struct http_writer *w = one->writer;
    if (!pattern_matches(one->services, f->service))
        return 0;
    put_finding(&w->json, f);
    jsonw_key(&w->json, "finding");
    jsonw_raw(&w->json, f->json);
    jsonw_object_end(&w->json);
    return 1;
}

void findings_answer_one(struct http *h, const char *id_text)
{
    struct http_writer w;
    struct whole one = {&w, h->token.services};
    struct error e;
    uint64_t id;
    if (number_parse(id_text, 1, INT64_MAX, &id)) {
        http_error(h, HTTP_NOT_FOUND, "'%.40s' is not the number of a finding", id_text);
        return;
    }
    if (http_write_begin(h, &w))
        return;
    int rc = catalogue_findings(store_catalogue(h->server->store), id, NULL, put_whole, &one, &e);
    if (rc == 1) {
        http_write_end(h, &w, HTTP_OK, "application/json");
        return;
    }
    http_write_abandon(&w);
    question_failed(h, rc ? rc : error_set(&e, -ENOENT, "there is no finding %" PRIu64, id), &e);
}

/* ---- /metrics ---- */

void findings_put_metrics(FILE *out, struct server *s)
{
    struct catalogue_judging sums;
    struct error e;
    if (catalogue_judging(store_catalogue(s->store), &sums, &e))
        return;
    exposition_put(out, "analyzed_recordings_total", "counter", "Recordings that the rules of findings judged.", sums.judged);
    exposition_head(out, "analyze_skipped_total", "counter", "Recordings that were not judged.");
    for (int i = 0; i < SKIPS; i++)
        fprintf(out, "candor_server_analyze_skipped_total{reason=\"%s\"} %" PRIu64 "\n", catalogue_skip_names[i], sums.skipped[i]);
    exposition_put(out, "analyze_waiting", "gauge", "Recordings that wait to be judged.", sums.waiting);
    exposition_head(out, "findings", "gauge", "Findings, by state.");
    for (int i = 0; i < STATES; i++)
        fprintf(out, "candor_server_findings{state=\"%s\"} %" PRIu64 "\n", catalogue_state_names[i], sums.findings[i]);
    exposition_put(out, "findings_unlisted_total", "counter", "Findings that were not stored, because their service has too many.",
                   sums.unlisted);
    exposition_put(out, "findings_evidence_deleted_total", "counter",
                   "Recordings that were deleted although they were evidence of open findings, or kept for an alert.",
                   store_deleted(s->store).evidence);
}
