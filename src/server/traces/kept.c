#include "server/traces/kept.h"

#include "base/array.h"
#include "base/time_units.h"
#include "profile/merge.h"
#include "server/request/arrival.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- which recordings ---- */

struct search {
    struct server *server;
    const struct store_query *query;
    const struct kept_wanted *wanted;
    const char *type;
    uint64_t *ids;
    uint32_t count, cap;
    struct store_result *result;
    struct error *error;
};

static int take_recording(void *context, const struct catalogue_recording *r)
{
    struct search *s = context;
    const struct catalogue_content *content = NULL;
    for (uint32_t i = 0; i < r->content_count; i++)
        if (!strcmp(r->contents[i].type, s->type))
            content = &r->contents[i];
    int rc = store_is_over(s->server->store, s->query, s->error);
    if (rc || !content || !selector_matches(s->query->selector, &r->labels))
        return rc;
    if (!r->raw) {
        missing_add(&s->result->missing, MISSING_RAW, 1, content->samples, content->weight);
        return 0;
    }
    if (ARRAY_GROW(s->ids, s->cap, s->count))
        return error_set(s->error, -ENOMEM, "out of memory");
    int64_t from = r->first > s->query->from ? r->first : s->query->from, to = r->last < s->query->to ? r->last + 1 : s->query->to;
    s->result->from = !s->count || from < s->result->from ? from : s->result->from;
    s->result->to = !s->count || to > s->result->to ? to : s->result->to;
    s->ids[s->count++] = r->id;
    return 0;
}

/* ---- which samples ---- */

enum { OF_TRACE = 1, OF_SPAN = 2, OF_BOTH = 3 };

static bool is_in(char *const *list, uint32_t n, const char *id)
{
    bool found = !n;
    for (uint32_t i = 0; !found && i < n; i++)
        found = !strcasecmp(list[i], id);
    return found;
}

static unsigned bits_of(const struct kept_wanted *w, const char *key, const char *value)
{
    if (!strcmp(key, "trace_id"))
        return is_in(w->traces, w->trace_count, value) ? OF_TRACE : 0;
    if (!strcmp(key, "span_id") || !strcmp(key, "root_span_id") || !strcmp(key, "profile_id"))
        return is_in(w->spans, w->span_count, value) ? OF_SPAN : 0;
    return 0;
}

/* Returns for each set of labels whether it belongs to a wanted trace and span. NULL = no memory. */
static uint8_t *mark_sets(const struct profile *p, const struct kept_wanted *w)
{
    uint8_t *marks = calloc(p->label_count + 1, 1);
    for (uint32_t i = 1; marks && i < p->label_count; i++) {
        const struct profile_label *l = &p->labels[i];
        marks[i] = marks[l->parent] | (uint8_t)bits_of(w, profile_text(p, l->key), profile_text(p, l->value));
    }
    return marks;
}

static int keep_samples(struct profile *p, const struct kept_wanted *w, const struct store_query *q)
{
    unsigned needed = w->trace_count && w->span_count ? OF_BOTH : w->trace_count ? OF_TRACE : OF_SPAN;
    int64_t from = q->from * (int64_t)NS_PER_S, to = q->to * (int64_t)NS_PER_S;
    uint32_t left = 0;
    uint8_t *marks = mark_sets(p, w);
    if (!marks)
        return -ENOMEM;
    for (uint32_t i = 0; i < p->sample_count; i++) {
        const struct profile_sample *s = &p->samples[i];
        bool in_time = !s->time_ns || (s->time_ns >= from && s->time_ns < to);
        if (in_time && (marks[s->labels] & needed) == needed) {
            p->samples[left++] = *s;
            continue;
        }
        p->weight -= s->weight;
        p->sampled -= s->count;
        p->filtered_weight += s->weight;
        p->filtered += s->count;
    }
    p->sample_count = left;
    p->thinned = true;
    free(marks);
    return 0;
}

/* ---- reading ---- */

static int visit_profile(const struct search *s, struct profile *p, uint64_t id, kept_visit *visit, void *context)
{
    if (keep_samples(p, s->wanted, s->query))
        return error_set(s->error, -ENOMEM, "out of memory");
    s->result->weight += p->weight;
    return p->sample_count ? visit(context, p, id) : 0;
}

static int read_one(const struct search *s, uint64_t id, kept_visit *visit, void *context)
{
    struct envelope v;
    struct store_profiles all = {.count = 0};
    char type[CATALOGUE_TYPE_MAX];
    bool partly = false;
    int rc = store_recording(s->server->store, id, &v, s->error);
    if (rc == -ENOENT || rc == -EBADMSG) { /* it was deleted a moment ago, or is damaged */
        missing_add(&s->result->missing, rc == -ENOENT ? MISSING_RAW : MISSING_DAMAGED, 1, 0, 0);
        return 0;
    }
    if (rc)
        return rc;
    rc = store_load(s->server->store, &all, &v, &partly, s->error);
    s->result->recordings += !rc;
    if (!rc && partly)
        missing_add(&s->result->missing, MISSING_FLAWED, 1, 0, 0);
    if (rc == -EINVAL || rc == -EPROTONOSUPPORT) { /* it cannot be read any more */
        missing_add(&s->result->missing, MISSING_DAMAGED, 1, 0, 0);
        rc = 0;
    }
    for (uint32_t i = 0; !rc && i < all.count; i++)
        if (!strcmp(store_type_of(&all.list[i], type), s->type))
            rc = visit_profile(s, &all.list[i], id, visit, context);
    store_profiles_deinit(&all);
    envelope_close(&v);
    return rc;
}

int kept_each(struct server *server, const struct store_query *q, const struct kept_wanted *w, kept_visit *visit, void *context,
              struct store_result *r, struct error *e)
{
    struct search s = {.server = server, .query = q, .wanted = w, .type = q->type ? q->type : "cpu:ns", .result = r, .error = e};
    struct store_asking asking = {server->store, q};
    struct catalogue_patience patience = store_patience(&asking);
    *r = (struct store_result){.books = {.book = BOOKS}};
    buffer_init(&r->unreadable, 1 << 16);
    snprintf(r->type, sizeof r->type, "%s", s.type);
    int rc = catalogue_recordings(store_catalogue(server->store), q->from, q->to, &patience, take_recording, &s, e);
    rc = rc ? rc : store_forgotten(server->store, q, &r->missing, e);
    for (uint32_t i = 0; !rc && i < s.count; i++) {
        rc = store_is_over(server->store, q, e);
        rc = rc ? rc : arrival_turn(server, e);
        if (rc)
            break;
        rc = read_one(&s, s.ids[i], visit, context);
        arrival_turn_end(server);
    }
    free(s.ids);
    return rc;
}

/* ---- one profile ---- */

static int merge(void *profile, const struct profile *from, uint64_t recording)
{
    return profile_merge(profile, from);
}

int kept_profile(struct server *s, const struct store_query *q, const struct kept_wanted *w, struct profile *p, struct store_result *r,
                 struct error *e)
{
    int rc = kept_each(s, q, w, merge, p, r, e);
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc;
}
