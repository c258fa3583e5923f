/* Answers calls about labels: lists series, names of labels, and values. */
#include "server/connect/call.h"

#include "base/array.h"
#include "base/strtab.h"
#include "base/text/pattern.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "server/request/question.h"
#include "store/files/contexts.h"
#include "store/query/label_sums.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 64 };

/* ---- sets of words ---- */

static int by_text(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Returns the words in order, without the empty one. Returns NULL if there is no memory. */
static const char **sorted(const struct strtab *words, uint32_t *n)
{
    const char **list = malloc((words->count + 1) * sizeof *list);
    *n = 0;
    for (uint32_t i = 1; list && i < words->count; i++)
        list[(*n)++] = strtab_text(words, i);
    if (list)
        qsort(list, *n, sizeof *list, by_text);
    return list;
}

static int add_word(void *words, const char *text)
{
    return !*text || strtab_add_text(words, text) ? 0 : -ENOMEM;
}

/* ---- matchers ---- */

struct matchers {
    struct selector list[SELECTOR_MAX];
    uint32_t count;
};

static int read_matchers(struct call *c, struct matchers *m)
{
    const struct asked_texts *texts = &c->asked.matchers;
    m->count = 0;
    if (texts->count > SELECTOR_MAX || c->asked.label_names.count > NAMES_MAX)
        return error_set(&c->error, -EINVAL, "more than %d selectors, or %d names of labels", SELECTOR_MAX, NAMES_MAX);
    int rc = 0;
    for (uint32_t i = 0; !rc && i < texts->count; i++)
        rc = question_selector(&m->list[m->count++], c->http, texts->list[i], &c->error);
    return rc;
}

static int find(struct call *c, bool recent, series_visit *visit, void *context)
{
    struct matchers *m = calloc(1, sizeof *m);
    struct selector allowed = {0};
    struct store_query q = {.selector = &allowed};
    int rc = m ? question_selector(&allowed, c->http, "", &c->error) : error_set(&c->error, -ENOMEM, "out of memory");
    rc = rc ? rc : call_times(c, &c->asked, &q, recent);
    rc = rc ? rc : read_matchers(c, m);
    if (!rc)
        store_note_unread(c->store, &q, &c->missing);
    rc = rc ? rc : series_find(c->store, &q, m->list, m->count, visit, context, &c->error);
    rc = rc ? rc : store_forgotten(c->store, &q, &c->missing, &c->error);
    for (uint32_t i = 0; m && i < m->count; i++)
        selector_deinit(&m->list[i]);
    free(m);
    return rc;
}

/* Visits the series, and puts the words that the visitor has collected. */
static int answer_words(struct call *c, bool recent, series_visit *visit, void *context, struct strtab *words,
                        void (*put)(void *to, const char *word), void *to)
{
    uint32_t n = 0;
    const char **list = NULL;
    int rc = find(c, recent, visit, context);
    if (!rc && !(list = sorted(words, &n)))
        rc = error_set(&c->error, -ENOMEM, "out of memory");
    for (uint32_t i = 0; i < n; i++)
        put(to, list[i]);
    free(list);
    return rc;
}

/* ---- profile types ---- */

static int take_type(void *context, const struct series *s)
{
    return add_word(context, s->kind.id);
}

static void put_type(void *wire, const char *id)
{
    struct wire *w = wire;
    static const struct {
        uint32_t number;
        const char *name;
    } fields[KINDS_PARTS] = {{2, "name"}, {4, "sampleType"}, {5, "sampleUnit"}, {6, "periodType"}, {7, "periodUnit"}};
    char type[CATALOGUE_TYPE_MAX];
    struct kind kind;
    struct error e;
    if (kinds_parse(id, type, &kind, &e))
        return;
    wire_message(w, 1, NULL);
    wire_text(w, 1, "ID", id);
    for (int i = 0; i < KINDS_PARTS; i++)
        wire_text(w, fields[i].number, fields[i].name, kind.parts[i]);
    wire_message_end(w, 1);
}

int calls_profile_types(struct call *c)
{
    struct strtab ids;
    if (strtab_init(&ids))
        return error_set(&c->error, -ENOMEM, "out of memory");
    wire_list(&c->wire, "profileTypes");
    int rc = answer_words(c, true, take_type, &ids, &ids, put_type, &c->wire);
    wire_list_end(&c->wire);
    strtab_deinit(&ids);
    return rc;
}

/* ---- labels of samples ---- */

/* Visits the labels of samples in the call's time, of the services that its token may read. They are listed whatever the call's selectors
 * say, because these select recordings. */
static int find_sample_labels(struct call *c, bool recent, store_visit_label *visit, void *context)
{
    struct selector allowed = {0};
    struct store_query q = {.selector = &allowed};
    int rc = question_selector(&allowed, c->http, "", &c->error);
    rc = rc ? rc : call_times(c, &c->asked, &q, recent);
    return rc ? rc : store_sample_labels(c->store, &q, visit, context, &c->error);
}

static int take_sample_name(void *words, const char *name, const char *value)
{
    char word[LABEL_NAME_MAX + sizeof "sample."];
    (void)value;
    if (!strcmp(name, CONTEXT_ENDPOINT))
        return add_word(words, name);
    if (!labels_is_name(name, strlen(name))) /* no selector can name it */
        return 0;
    snprintf(word, sizeof word, "sample.%s", name);
    return add_word(words, word);
}

/* ---- names and values ---- */

static int take_names(void *context, const struct series *s)
{
    return series_names(s, add_word, context);
}

struct take_values {
    struct strtab words;
    const char *name;
};

static int take_value(void *context, const struct series *s)
{
    struct take_values *t = context;
    return add_word(&t->words, series_value(s, t->name));
}

static int take_sample_value(void *context, const char *name, const char *value)
{
    struct take_values *t = context;
    return strcmp(name, selector_sample_label(t->name)) != 0 ? 0 : add_word(&t->words, value);
}

int call_words(struct call *c, bool recent, const char *name, void (*put)(void *context, const char *word), void *context)
{
    struct take_values t = {.name = name};
    if (strtab_init(&t.words))
        return error_set(&c->error, -ENOMEM, "out of memory");
    int rc = 0;
    if (!name)
        rc = find_sample_labels(c, recent, take_sample_name, &t.words);
    else if (selector_sample_label(name))
        rc = find_sample_labels(c, recent, take_sample_value, &t);
    if (!rc)
        rc = name ? answer_words(c, recent, take_value, &t, &t.words, put, context)
                  : answer_words(c, recent, take_names, &t.words, &t.words, put, context);
    strtab_deinit(&t.words);
    return rc;
}

static void put_word(void *wire, const char *word)
{
    wire_text(wire, 1, "names", word);
}

static int put_words(struct call *c, const char *name)
{
    wire_list(&c->wire, "names");
    int rc = call_words(c, false, name, put_word, &c->wire);
    wire_list_end(&c->wire);
    return rc;
}

int calls_label_names(struct call *c)
{
    return put_words(c, NULL);
}

int calls_label_values(struct call *c)
{
    const char *name = asked_last(&c->asked.name);
    return *name ? put_words(c, name) : error_set(&c->error, -EINVAL, "name is missing");
}

/* ---- series ---- */

struct take_series {
    struct call *call;
    struct strtab seen; /* label sets as text */
    struct buffer key;
    const struct series *series;
};

static int add_pair(void *context, const char *name)
{
    struct take_series *t = context;
    const char *value = series_value(t->series, name);
    const struct asked_texts *wanted = &t->call->asked.label_names;
    bool is_wanted = !wanted->count;
    for (uint32_t i = 0; i < wanted->count; i++)
        is_wanted |= !strcmp(wanted->list[i], name);
    if (is_wanted && *value) {
        buffer_put(&t->key, name, strlen(name) + 1);
        buffer_put(&t->key, value, strlen(value) + 1);
    }
    return t->key.failed ? -ENOMEM : 0;
}

static void put_labels(struct wire *w, const char *pairs, size_t len)
{
    wire_message(w, 2, NULL);
    wire_list(w, "labels");
    for (size_t at = 0; at < len;) {
        const char *name = pairs + at, *value = name + strlen(name) + 1;
        wire_message(w, 1, NULL);
        wire_text(w, 1, "name", name);
        wire_text(w, 2, "value", value);
        wire_message_end(w, 1);
        at += strlen(name) + 1 + strlen(value) + 1;
    }
    wire_list_end(w);
    wire_message_end(w, 2);
}

static int take_series(void *context, const struct series *s)
{
    struct take_series *t = context;
    uint32_t before = t->seen.count;
    t->series = s;
    buffer_reset(&t->key);
    int rc = series_names(s, add_pair, t);
    if (rc || !t->key.len)
        return rc;
    if (!strtab_add(&t->seen, (const char *)t->key.data, t->key.len))
        return -ENOMEM;
    if (t->seen.count > before)
        put_labels(&t->call->wire, (const char *)t->key.data, t->key.len);
    return 0;
}

int calls_series(struct call *c)
{
    struct take_series t = {.call = c};
    buffer_init(&t.key, 1 << 20);
    if (strtab_init(&t.seen))
        return error_set(&c->error, -ENOMEM, "out of memory");
    wire_list(&c->wire, "labelsSet");
    int rc = find(c, false, take_series, &t);
    wire_list_end(&c->wire);
    strtab_deinit(&t.seen);
    buffer_deinit(&t.key);
    return rc;
}

/* ---- the whole store ---- */

struct usage {
    const char *services;
    struct catalogue_sums sums;
};

static int add_usage(void *usage, const struct catalogue_usage *u)
{
    struct usage *all = usage;
    if (!pattern_matches(all->services, u->name) || u->oldest_day == INT64_MAX)
        return 0;
    if (!all->sums.recordings || u->oldest_day < all->sums.oldest_day)
        all->sums.oldest_day = u->oldest_day;
    all->sums.recordings += u->recordings;
    return 0;
}

/* Reads the sums of the services that the token may read. If these are not all, the newest day is today, because only the newest day of all
 * services is known. */
static int read_sums(struct call *c, struct catalogue_sums *sums)
{
    struct usage all = {.services = c->http->token.services};
    if (!token_is_bound(&c->http->token))
        return catalogue_sums(store_catalogue(c->store), sums, &c->error);
    int rc = catalogue_usage(store_catalogue(c->store), add_usage, &all, &c->error);
    all.sums.newest_day = (int64_t)(clock_realtime_ns() / NS_PER_S) / 86400;
    *sums = all.sums;
    return rc;
}

int calls_stats(struct call *c)
{
    static const int64_t day_ms = 86400000;
    struct catalogue_sums sums;
    int rc = read_sums(c, &sums);
    if (rc || !sums.recordings)
        return rc;
    wire_bool(&c->wire, 1, "dataIngested", true);
    wire_int(&c->wire, 2, "oldestProfileTime", sums.oldest_day * day_ms);
    wire_int(&c->wire, 3, "newestProfileTime", (sums.newest_day + 1) * day_ms);
    return 0;
}

int calls_nothing(struct call *c)
{
    return 0;
}

int calls_version(struct call *c)
{
    wire_int(&c->wire, 1, "QuerierAPI", 1);
    return 0;
}
