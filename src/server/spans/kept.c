#include "server/spans/kept.h"

#include "base/array.h"
#include "base/text/units.h"
#include "base/time_units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which recordings ---- */

struct listing {
    struct kept *kept;
    struct http *http;
    const struct question *query;
    struct error *error;
    uint64_t *ids;
    uint32_t count, cap;
};

static int list_recording(void *context, const struct catalogue_recording *r)
{
    struct listing *l = context;
    int rc = store_is_over(l->http->server->store, &l->query->q, l->error);
    if (rc || !selector_matches(&l->query->selector, &r->labels))
        return rc;
    if (!r->raw) {
        l->kept->gone++;
        return 0;
    }
    if (l->count == l->kept->most) {
        l->kept->unread++;
        return 0;
    }
    if (ARRAY_GROW(l->ids, l->cap, l->count))
        return -ENOMEM;
    l->ids[l->count++] = r->id;
    return 0;
}

int kept_init(struct kept *k, struct http *h)
{
    *k = (struct kept){0};
    return question_number(h, "recordings", KEPT_DEFAULT, KEPT_MAX, &k->most);
}

/* ---- their samples ---- */

/* Reads one recording. It may have been deleted since it was listed. */
static int read_one(struct listing *l, uint64_t id, kept_visit *visit, void *context)
{
    struct envelope v;
    struct store_profiles profiles = {0};
    struct error e;
    int rc = store_recording(l->http->server->store, id, &v, &e);
    if (rc) {
        l->kept->gone += rc == -ENOENT;
        l->kept->unreachable += rc == -EHOSTUNREACH;
        l->kept->unreadable += rc != -ENOENT && rc != -EHOSTUNREACH;
        return 0;
    }
    rc = store_recording_profiles(l->http->server->store, &v, &profiles, &e);
    if (rc == -ENOMEM) {
        error_set(l->error, rc, "out of memory");
    } else if (rc) {
        l->kept->unreadable++;
        rc = 0;
    } else {
        l->kept->read++;
        rc = visit(context, id, &v.note.labels, &profiles);
        if (rc)
            error_set(l->error, rc, "out of memory");
    }
    store_profiles_deinit(&profiles);
    envelope_close(&v);
    return rc;
}

int kept_read(struct kept *k, struct http *h, const struct question *query, kept_visit *visit, void *context, struct error *e)
{
    struct store *store = h->server->store;
    struct listing l = {.kept = k, .http = h, .query = query, .error = e};
    struct store_asking asking = {store, &query->q};
    struct catalogue_patience patience = store_patience(&asking);
    uint64_t end = clock_monotonic_ns() + KEPT_SECONDS * NS_PER_S;
    store_note_unread(store, &query->q, &k->missing);
    int rc = catalogue_recordings(store_catalogue(store), query->q.from, query->q.to, &patience, list_recording, &l, e);
    for (uint32_t i = 0; !rc && i < l.count; i++) {
        rc = store_is_over(store, &query->q, e);
        if (!rc && clock_monotonic_ns() > end)
            k->unread++;
        else if (!rc)
            rc = read_one(&l, l.ids[i], visit, context);
    }
    rc = rc ? rc : store_forgotten(store, &query->q, &k->missing, e);
    free(l.ids);
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc;
}

const char *kept_label(const struct profile *p, const struct profile_sample *s, const char *key)
{
    for (uint32_t set = s->labels; set; set = p->labels[set].parent)
        if (!strcmp(profile_text(p, p->labels[set].key), key))
            return profile_text(p, p->labels[set].value);
    return "";
}

struct one_sample {
    const struct profile *profile;
    const struct profile_sample *sample;
};

static const char *value_of(void *context, const char *name)
{
    const struct one_sample *one = context;
    return kept_label(one->profile, one->sample, name);
}

int64_t kept_second(int64_t ns)
{
    return ns / NS_PER_S - (ns % NS_PER_S < 0);
}

bool kept_has(const struct question *query, const struct profile *p, const struct profile_sample *s)
{
    struct one_sample one = {p, s};
    int64_t second = kept_second(s->time_ns);
    return second >= query->q.from && second < query->q.to && selector_holds_for_sample(&query->selector, value_of, &one);
}

/* ---- the answer ---- */

static size_t put_reason(char *out, size_t at, size_t size, uint64_t n, const char *why)
{
    int length = n && at < size ? snprintf(out + at, size - at, "%s%" PRIu64 " %s", at ? ", " : "", n, why) : 0;
    return at + (size_t)length;
}

/* Writes which recordings the answer lacks. If data was deleted as a whole, the member missing_text is there already. */
static void put_text(struct jsonw *j, const struct kept *k)
{
    char list[300] = "", text[400];
    size_t at = put_reason(list, 0, sizeof list, k->gone, "deleted (samples are kept longer)");
    at = put_reason(list, at, sizeof list, k->unread, "not read (ask for a shorter time)");
    at = put_reason(list, at, sizeof list, k->unreachable, "objects that cannot be fetched now");
    put_reason(list, at, sizeof list, k->unreadable, "damaged");
    snprintf(text, sizeof text, "incomplete: recordings that are missing: %s", list);
    if (*list && !missing_parts(&k->missing))
        jsonw_member_text(j, "missing_text", text);
}

void kept_put(struct jsonw *j, const struct kept *k, bool more)
{
    jsonw_key(j, "recordings");
    jsonw_object(j);
    jsonw_member_uint(j, "read", k->read);
    jsonw_member_uint(j, "gone", k->gone);
    jsonw_member_uint(j, "unread", k->unread);
    jsonw_member_uint(j, "unreachable", k->unreachable);
    jsonw_member_uint(j, "unreadable", k->unreadable);
    jsonw_object_end(j);
    struct missing all = k->missing;
    if (missing_parts(&all)) {
        missing_add(&all, MISSING_UNREAD, k->gone + k->unread + k->unreachable, 0, 0);
        missing_add(&all, MISSING_DAMAGED, k->unreadable, 0, 0);
    }
    question_put_complete(j, &all, "", more || k->gone || k->unread || k->unreachable || k->unreadable);
    put_text(j, k);
}
