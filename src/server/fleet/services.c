/* Collects what the catalog says of each service: its recordings, the types that they measure, and the values of their labels. */
#include "server/fleet/services.h"

#include "base/array.h"
#include "base/map.h"
#include "base/strtab.h"
#include "server/request/question.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_MAX = 100 };

enum { NO_FACT = UINT32_MAX };

/* The facts of a service are a list, in the order in which they were found. */
struct service {
    uint64_t recordings;
    int64_t first, last;
    uint32_t first_fact, last_fact;
};

/* A fact is a type, or a label and its value. Names are ids in `words`; that of a type is 0. */
struct fact {
    uint32_t name, value, next;
    uint64_t weight;
};

struct services {
    const struct store *store;
    const struct store_query *q;
    struct error *error;
    struct strtab words;
    struct map by_name, known; /* by_name: services; known: facts */
    struct service *list;
    uint32_t *names;
    uint32_t count, cap, name_cap;
    struct fact *facts;
    uint32_t fact_count, fact_cap;
    const struct selector *selector;
    bool more; /* a label has more values than are shown */
};

static int add_fact(struct services *s, uint32_t service, const char *name, const char *value, uint64_t weight)
{
    char key[LABEL_NAME_MAX + LABEL_VALUE_MAX + 32];
    bool added;
    snprintf(key, sizeof key, "%u/%s=%s", service, name, value);
    uint32_t id = strtab_add_text(&s->words, key), n = strtab_add_text(&s->words, name), v = strtab_add_text(&s->words, value);
    uint32_t *place = id && v && !ARRAY_GROW(s->facts, s->fact_cap, s->fact_count) ? map_add(&s->known, id, &added) : NULL;
    if (!place)
        return -ENOMEM;
    if (added) {
        struct service *of = &s->list[service];
        *(of->first_fact == NO_FACT ? &of->first_fact : &s->facts[of->last_fact].next) = s->fact_count;
        s->facts[s->fact_count] = (struct fact){.name = n, .value = v, .next = NO_FACT};
        *place = of->last_fact = s->fact_count++;
    }
    s->facts[*place].weight += weight;
    return 0;
}

static int add_recording(void *context, const struct catalogue_recording *r)
{
    struct services *s = context;
    bool added;
    int rc = store_is_over(s->store, s->q, s->error);
    if (rc || !selector_matches(s->selector, &r->labels))
        return rc;
    uint32_t name = strtab_add_text(&s->words, labels_get(&r->labels, "service"));
    if (!name || ARRAY_GROW(s->list, s->cap, s->count) || ARRAY_GROW(s->names, s->name_cap, s->count))
        return -ENOMEM;
    uint32_t *place = map_add(&s->by_name, name, &added);
    if (!place)
        return -ENOMEM;
    if (added) {
        s->names[s->count] = name;
        s->list[s->count] = (struct service){.first = r->first, .last = r->last, .first_fact = NO_FACT};
        *place = s->count++;
    }
    struct service *one = &s->list[*place];
    one->recordings++;
    one->first = r->first < one->first ? r->first : one->first;
    one->last = r->last > one->last ? r->last : one->last;
    for (uint32_t i = 0; !rc && i < r->content_count; i++)
        rc = add_fact(s, *place, "", r->contents[i].type, r->contents[i].weight);
    for (uint32_t i = 0; !rc && i < r->labels.count; i++)
        if (strcmp(r->labels.list[i].name, "service"))
            rc = add_fact(s, *place, r->labels.list[i].name, r->labels.list[i].value, 0);
    return rc;
}

static void put_types(struct jsonw *j, const struct services *s, const struct service *one)
{
    jsonw_key(j, "types");
    jsonw_object(j);
    for (uint32_t i = one->first_fact; i != NO_FACT; i = s->facts[i].next)
        if (!s->facts[i].name)
            jsonw_member_uint(j, strtab_text(&s->words, s->facts[i].value), s->facts[i].weight);
    jsonw_object_end(j);
}

/* Writes a label and its values. from: the first of them. */
static void put_values(struct jsonw *j, struct services *s, uint32_t from)
{
    uint32_t n = 0, name = s->facts[from].name;
    jsonw_key(j, strtab_text(&s->words, name));
    jsonw_array(j);
    for (uint32_t i = from; i != NO_FACT; i = s->facts[i].next) {
        if (s->facts[i].name != name)
            continue;
        if (n++ == VALUES_MAX) {
            s->more = true;
            break;
        }
        jsonw_text(j, strtab_text(&s->words, s->facts[i].value));
    }
    jsonw_array_end(j);
}

static void put_service(struct jsonw *j, struct services *s, uint32_t service)
{
    const struct service *one = &s->list[service];
    jsonw_object(j);
    jsonw_member_text(j, "name", strtab_text(&s->words, s->names[service]));
    jsonw_member_uint(j, "recordings", one->recordings);
    jsonw_key(j, "first");
    jsonw_int(j, one->first);
    jsonw_key(j, "last");
    jsonw_int(j, one->last);
    put_types(j, s, one);
    jsonw_key(j, "labels");
    jsonw_object(j);
    for (uint32_t i = one->first_fact; i != NO_FACT; i = s->facts[i].next) {
        bool first = s->facts[i].name;
        for (uint32_t k = one->first_fact; first && k != i; k = s->facts[k].next)
            first = s->facts[k].name != s->facts[i].name;
        if (first)
            put_values(j, s, i);
    }
    jsonw_object_end(j);
    jsonw_object_end(j);
}

static void put_services(struct http *h, struct services *s, const struct missing *missing)
{
    struct http_writer w;
    int rc = 0;
    if (http_write_begin(h, &w))
        return;
    jsonw_object(&w.json);
    jsonw_key(&w.json, "services");
    jsonw_array(&w.json);
    for (uint32_t i = 0; !rc && i < s->count && !w.full; i++) {
        rc = store_is_over(s->store, s->q, s->error);
        put_service(&w.json, s, i);
    }
    if (rc) {
        http_write_abandon(&w);
        question_failed(h, rc, s->error);
        return;
    }
    jsonw_array_end(&w.json);
    question_put_complete(&w.json, missing, "", s->more);
    jsonw_object_end(&w.json);
    http_write_end(h, &w, HTTP_OK, "application/json");
}

void services_answer(struct http *h)
{
    struct question query;
    struct missing missing = {0};
    struct error e;
    struct services s = {.store = h->server->store, .q = &query.q, .error = &e, .selector = &query.selector};
    struct store_asking asking = {s.store, &query.q};
    struct catalogue_patience patience = store_patience(&asking);
    int rc = question_init(&query, h);
    if (!rc) {
        store_note_unread(h->server->store, &query.q, &missing);
        rc = strtab_init(&s.words)
                 ? -ENOMEM
                 : catalogue_recordings(store_catalogue(h->server->store), query.q.from, query.q.to, &patience, add_recording, &s, &e);
        rc = rc ? rc : store_forgotten_recordings(h->server->store, &query.q, &missing, &e);
        if (rc)
            question_failed(h, rc, &e);
        else
            put_services(h, &s, &missing);
    }
    strtab_deinit(&s.words);
    map_deinit(&s.by_name);
    map_deinit(&s.known);
    free(s.list);
    free(s.names);
    free(s.facts);
    question_deinit(&query);
}
