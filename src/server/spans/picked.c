#include "server/spans/picked.h"

#include "profile/merge.h"
#include "server/spans/kept.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct search {
    struct question question;
    const struct picked_wanted *wanted;
    const char *type;
    picked_visit *visit;
    void *context;
    struct store_result *result;
};

/* ---- which samples ---- */

enum { OF_TRACE = 1, OF_SPAN = 2, OF_BOTH = 3 };

static int by_id(const void *id, const void *one)
{
    return strcasecmp(id, *(char *const *)one);
}

static bool is_in(char *const *list, uint32_t n, bool sorted, const char *id)
{
    bool found = !n;
    if (n && sorted)
        return bsearch(id, list, n, sizeof *list, by_id);
    for (uint32_t i = 0; !found && i < n; i++)
        found = !strcasecmp(list[i], id);
    return found;
}

static unsigned bits_of(const struct picked_wanted *w, const char *key, const char *value)
{
    if (!strcmp(key, "trace_id"))
        return is_in(w->traces, w->trace_count, w->sorted, value) ? OF_TRACE : 0;
    if (!strcmp(key, "span_id") || !strcmp(key, "root_span_id") || !strcmp(key, "profile_id"))
        return is_in(w->spans, w->span_count, w->sorted, value) ? OF_SPAN : 0;
    return 0;
}

/* Returns for each set of labels whether it belongs to a wanted trace and span. NULL = no memory. */
static uint8_t *mark_sets(const struct profile *p, const struct picked_wanted *w)
{
    uint8_t *marks = calloc(p->label_count + 1, 1);
    for (uint32_t i = 1; marks && i < p->label_count; i++) {
        const struct profile_label *l = &p->labels[i];
        marks[i] = marks[l->parent] | (uint8_t)bits_of(w, profile_text(p, l->key), profile_text(p, l->value));
    }
    return marks;
}

static int keep_samples(struct profile *p, const struct search *s)
{
    const struct picked_wanted *w = s->wanted;
    unsigned needed = w->trace_count && w->span_count ? OF_BOTH : w->trace_count ? OF_TRACE : OF_SPAN;
    uint32_t left = 0;
    uint8_t *marks = mark_sets(p, w);
    if (!marks)
        return -ENOMEM;
    for (uint32_t i = 0; i < p->sample_count; i++) {
        const struct profile_sample *one = &p->samples[i];
        if ((marks[one->labels] & needed) == needed && kept_has(&s->question, p, one)) {
            p->samples[left++] = *one;
            continue;
        }
        p->weight -= one->weight;
        p->sampled -= one->count;
        p->filtered_weight += one->weight;
        p->filtered += one->count;
    }
    p->sample_count = left;
    p->thinned = true;
    free(marks);
    return 0;
}

static int take_recording(void *context, uint64_t id, const struct labels *labels, struct store_profiles *profiles)
{
    struct search *s = context;
    char type[CATALOGUE_TYPE_MAX];
    int rc = 0;
    for (uint32_t i = 0; !rc && i < profiles->count; i++) {
        struct profile *p = &profiles->list[i];
        if (strcmp(store_type_of(p, type), s->type))
            continue;
        rc = keep_samples(p, s);
        s->result->weight += rc ? 0 : p->weight;
        if (!rc && p->sample_count)
            rc = s->visit(s->context, p, id);
    }
    return rc;
}

int picked_each(struct http *h, const struct store_query *q, const struct picked_wanted *w, picked_visit *visit, void *context,
                struct store_result *r, struct error *e)
{
    struct kept kept = {.most = KEPT_MAX};
    struct search s = {.wanted = w, .type = q->type ? q->type : "cpu:ns", .visit = visit, .context = context, .result = r};
    s.question = (struct question){*q, *q->selector}; /* both belong to the caller */
    *r = (struct store_result){.books = {.book = BOOKS}};
    buffer_init(&r->unreadable, 1 << 16);
    snprintf(r->type, sizeof r->type, "%s", s.type);
    int rc = kept_read(&kept, h, &s.question, take_recording, &s, e);
    r->recordings = kept.read;
    r->missing = kept.missing;
    missing_add(&r->missing, MISSING_UNREAD, kept.gone + kept.unread + kept.unreachable, 0, 0);
    missing_add(&r->missing, MISSING_DAMAGED, kept.unreadable, 0, 0);
    return rc;
}

/* ---- one profile ---- */

static int merge(void *profile, const struct profile *from, uint64_t recording)
{
    return profile_merge(profile, from);
}

int picked_profile(struct http *h, const struct store_query *q, const struct picked_wanted *w, struct profile *p, struct store_result *r,
                   struct error *e)
{
    return picked_each(h, q, w, merge, p, r, e);
}
