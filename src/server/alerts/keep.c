#include "server/alerts/keep.h"

#include "base/array.h"
#include "base/text/number.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "server/alerts/samples.h"
#include "store/catalogue/catalogue_keep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DAY_S = 86400, MOST_DAYS = 3650 };

/* ---- the key ---- */

int keep_set(struct alert_rule *rule, const char *text, struct error *e)
{
    char duration[24] = "30d", recordings[24] = "5", rest;
    uint64_t ns = 0, n = 0;
    int words = sscanf(text, "%23s %23s %c", duration, recordings, &rest);
    if (words > 2 || units_parse_duration(duration, &ns) || ns < NS_PER_S || ns / NS_PER_S > (uint64_t)MOST_DAYS * DAY_S ||
        number_parse(recordings, 1, CATALOGUE_KEPT_MAX, &n) != NUMBER_GOOD)
        return error_set(e, -EINVAL,
                         "action 'keep%.60s': use keep [DURATION [RECORDINGS]], as in keep 30d 5; at most %dd and %d recordings", text,
                         MOST_DAYS, CATALOGUE_KEPT_MAX);
    rule->keep_s = (int64_t)(ns / NS_PER_S);
    rule->keep_most = (uint32_t)n;
    return 0;
}

/* ---- doing it ---- */

struct chosen {
    uint64_t id, weight;
};

struct choice {
    const struct alert_rule *rule;
    const struct selector *selector;
    struct chosen list[CATALOGUE_KEPT_MAX]; /* the one with most weight first */
    uint32_t count;
};

static uint64_t weight_of(const struct catalogue_recording *r, const char *type)
{
    for (uint32_t i = 0; i < r->content_count; i++)
        if (!strcmp(r->contents[i].type, type))
            return r->contents[i].weight;
    return 0;
}

/* Puts the recording in front of those with less weight. The last one falls out if there are too many. */
static int choose(void *context, const struct catalogue_recording *r)
{
    struct choice *c = context;
    const struct chosen one = {r->id, weight_of(r, c->rule->type)};
    uint32_t at = c->count;
    while (at && c->list[at - 1].weight < one.weight)
        at--;
    if (!r->raw || !selector_matches(c->selector, &r->labels) || at == c->rule->keep_most)
        return 0;
    c->count += c->count < c->rule->keep_most;
    memmove(&c->list[at + 1], &c->list[at], (c->count - 1 - at) * sizeof *c->list);
    c->list[at] = one;
    return 0;
}

int keep_do(struct store *store, const struct alert_rule *rule, const char *value, int64_t to, struct error *e)
{
    struct selector selector;
    struct choice c = {.rule = rule, .selector = &selector};
    uint64_t ids[CATALOGUE_KEPT_MAX];
    const struct store_query q = {0};
    struct store_asking asking = {store, &q};
    struct catalogue_patience patience = store_patience(&asking); /* until the server ends */
    int rc = samples_selector(&selector, rule, value, e);
    rc = rc ? rc : catalogue_recordings(store_catalogue(store), to - rule->window - rule->hold, to, &patience, choose, &c, e);
    for (uint32_t i = 0; i < c.count; i++)
        ids[i] = c.list[i].id;
    int64_t until = (int64_t)(clock_realtime_ns() / NS_PER_S) + rule->keep_s;
    rc = rc ? rc : catalogue_keep(store_catalogue(store), ids, c.count, rule->name, until, e);
    selector_deinit(&selector);
    return rc;
}

/* ---- the list ---- */

static int note(void *context, const struct catalogue_kept *k)
{
    struct keep_list *l = context;
    if (ARRAY_GROW(l->list, l->cap, l->count))
        return -ENOMEM;
    struct keep_one *one = &l->list[l->count++];
    *one = (struct keep_one){.recording = k->recording, .until = k->until};
    snprintf(one->rule, sizeof one->rule, "%s", k->rule);
    return 0;
}

int keep_list_read(struct keep_list *l, struct store *store, struct error *e)
{
    *l = (struct keep_list){0};
    int rc = catalogue_kept(store_catalogue(store), note, l, e);
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc;
}

void keep_list_deinit(struct keep_list *l)
{
    free(l->list);
}

static int compare_rule(const void *name, const void *one)
{
    return strcmp(name, ((const struct keep_one *)one)->rule);
}

static void put_kept(struct jsonw *j, const struct alert_rule *rule, const struct keep_list *l)
{
    const struct keep_one *end = l->list + l->count;
    const struct keep_one *one = l->count ? bsearch(rule->name, l->list, l->count, sizeof *l->list, compare_rule) : NULL;
    while (one && one > l->list && !compare_rule(rule->name, one - 1))
        one--;
    jsonw_key(j, "kept");
    jsonw_array(j);
    for (; one && one < end && !compare_rule(rule->name, one); one++) {
        jsonw_object(j);
        jsonw_member_uint(j, "recording", one->recording);
        jsonw_key(j, "until");
        jsonw_int(j, one->until);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
}

void keep_put(struct jsonw *j, const struct alert_rule *rule, const struct keep_list *l)
{
    jsonw_key(j, "keep");
    if (rule->keep_s) {
        jsonw_object(j);
        jsonw_member_uint(j, "seconds", (uint64_t)rule->keep_s);
        jsonw_member_uint(j, "recordings", rule->keep_most);
        jsonw_object_end(j);
    } else {
        jsonw_null(j);
    }
    if (l)
        put_kept(j, rule, l);
}
