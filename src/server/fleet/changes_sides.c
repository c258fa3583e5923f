/* Chooses the two sides of /v1/changes: two selectors, two times, or the two newest values of a label. */
#include "base/array.h"
#include "base/buffer.h"
#include "base/time_units.h"
#include "base/text/units.h"
#include "server/fleet/changes_parts.h"
#include "server/request/times.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SELECT_MAX = 1 << 16 };

static const struct {
    const char *word;
    int64_t seconds;
} earlier[] = {{"yesterday", 86400}, {"last-week", 7 * 86400}};

/* ---- selectors ---- */

/* Appends the matchers of a selector, without the braces. */
static void put_matchers(struct buffer *b, const char *text, size_t len)
{
    while (len && isspace((unsigned char)text[len - 1]))
        len--;
    for (; len && isspace((unsigned char)*text); len--)
        text++;
    if (len > 1 && *text == '{' && text[len - 1] == '}') {
        text++;
        len -= 2;
    }
    if (len && b->len)
        buffer_u8(b, ',');
    buffer_put(b, text, len);
}

static void put_value(struct buffer *b, const char *value)
{
    for (; *value; value++) {
        if (*value == '"' || *value == '\\')
            buffer_u8(b, '\\');
        buffer_u8(b, (uint8_t)*value);
    }
}

/* Sets the side's selector to both: the query's, and one more. */
static int set_selector(struct fleet_changes *f, struct fleet_side *side, const char *more, size_t len)
{
    struct buffer b;
    struct error e;
    const char *select = http_parameter(f->http, "select", NULL);
    buffer_init(&b, SELECT_MAX);
    put_matchers(&b, select ? select : "", select ? strlen(select) : 0);
    put_matchers(&b, more, len);
    buffer_u8(&b, 0);
    side->select = b.failed ? NULL : strdup((const char *)b.data);
    buffer_deinit(&b);
    if (!side->select) {
        error_set(&e, -ENOMEM, "out of memory");
        question_failed(f->http, -ENOMEM, &e);
        return -ENOMEM;
    }
    int rc = question_selector(&side->selector, f->http, side->select, &e);
    if (rc)
        http_error(f->http, HTTP_BAD_REQUEST, "%s", e.text);
    return rc;
}

/* ---- sides that are given ---- */

static int read_time(struct http *h, const char *name, const char *text, size_t len, int64_t *seconds)
{
    char word[64];
    int64_t ns;
    snprintf(word, sizeof word, "%.*s", (int)len, text);
    if (len >= sizeof word || times_parse(word, (int64_t)clock_realtime_ns(), &ns)) {
        http_error(h, HTTP_BAD_REQUEST, "%s: '%.40s' is not a time; write FROM..TO, as in -2h..-1h", name, word);
        return -EINVAL;
    }
    *seconds = ns / NS_PER_S;
    return 0;
}

static bool is_selector(const char *text)
{
    return strchr(text, '=') || strchr(text, '{');
}

/* Reads "FROM..TO"; either may be missing, and is the query's then. */
static int read_range(struct http *h, const char *name, const char *text, struct fleet_side *side)
{
    const char *dots = strstr(text, "..");
    int rc = 0;
    if (!dots) {
        http_error(h, HTTP_BAD_REQUEST,
                   "%s: '%.40s' is no selector such as version=\"1\", and no time such as -2h..-1h, yesterday, last-week", name, text);
        return -EINVAL;
    }
    if (dots > text)
        rc = read_time(h, name, text, (size_t)(dots - text), &side->from);
    if (!rc && dots[2])
        rc = read_time(h, name, dots + 2, strlen(dots + 2), &side->to);
    if (!rc && side->to <= side->from) {
        http_error(h, HTTP_BAD_REQUEST, "%s: the end is not after the beginning", name);
        rc = -EINVAL;
    }
    return rc;
}

static int read_side(struct fleet_changes *f, const char *name, enum changes_side which)
{
    const char *text = http_parameter(f->http, name, NULL);
    struct fleet_side *side = &f->sides[which];
    text = text ? text : "";
    if (is_selector(text))
        return set_selector(f, side, text, strlen(text));
    for (size_t i = 0; which == CHANGES_BEFORE && i < sizeof earlier / sizeof *earlier; i++)
        if (!strcmp(text, earlier[i].word)) {
            side->from = f->sides[CHANGES_AFTER].from - earlier[i].seconds;
            side->to = f->sides[CHANGES_AFTER].to - earlier[i].seconds;
            return set_selector(f, side, "", 0);
        }
    int rc = *text ? read_range(f->http, name, text, side) : 0;
    return rc ? rc : set_selector(f, side, "", 0);
}

/* ---- the newest values of a label ---- */

struct value {
    uint32_t name; /* string id */
    int64_t first, last;
};

struct values {
    struct fleet_changes *f;
    struct error *error;
    struct strtab names;
    struct map places;
    struct value *list;
    uint32_t count, cap, service;
    bool services; /* there are several */
};

static int add_recording(void *context, const struct catalogue_recording *r)
{
    struct values *v = context;
    bool added;
    int rc = store_is_over(v->f->http->server->store, &v->f->query.q, v->error);
    if (rc || !selector_matches(&v->f->query.selector, &r->labels))
        return rc;
    uint32_t service = strtab_add_text(&v->names, labels_get(&r->labels, "service"));
    v->services |= v->service && service != v->service;
    v->service = service;
    const char *value = labels_get(&r->labels, v->f->by);
    if (!*value)
        return 0;
    uint32_t name = strtab_add_text(&v->names, value), *place = name ? map_add(&v->places, name, &added) : NULL;
    if (!place || ARRAY_GROW(v->list, v->cap, v->count))
        return -ENOMEM;
    if (added) {
        v->list[v->count] = (struct value){name, r->first, r->last};
        *place = v->count++;
    }
    struct value *one = &v->list[*place];
    one->first = r->first < one->first ? r->first : one->first;
    one->last = r->last > one->last ? r->last : one->last;
    return 0;
}

/* The newest value first: the one that was seen first at the latest time. */
static int by_age(const void *left, const void *right, void *context)
{
    const struct value *a = left, *b = right;
    const struct strtab *names = context;
    if (a->first != b->first)
        return a->first < b->first ? 1 : -1;
    if (a->last != b->last)
        return a->last < b->last ? 1 : -1;
    return strverscmp(strtab_text(names, b->name), strtab_text(names, a->name));
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Sets times of the same length. If the two values ran side by side for at least half of the shorter one's time, it is that time.
 * Otherwise it is the end of the older one and the beginning of the newer one. */
static void set_times(struct fleet_changes *f, const struct value *old, const struct value *new)
{
    struct fleet_side *before = &f->sides[CHANGES_BEFORE], *after = &f->sides[CHANGES_AFTER];
    int64_t old_from = later(old->first, f->query.q.from), new_from = later(new->first, f->query.q.from);
    int64_t old_to = -later(-old->last - 1, -f->query.q.to), new_to = -later(-new->last - 1, -f->query.q.to);
    int64_t from = later(old_from, new_from), to = -later(-old_to, -new_to);
    int64_t shorter = -later(-(old_to - old_from), -(new_to - new_from));
    bool beside = 2 * (to - from) >= shorter;
    before->from = beside ? from : old_to - shorter;
    before->to = beside ? to : old_to;
    after->from = beside ? from : new_from;
    after->to = beside ? to : new_from + shorter;
}

static int set_value(struct fleet_changes *f, enum changes_side which, const char *value)
{
    struct buffer b;
    struct fleet_side *side = &f->sides[which];
    buffer_init(&b, SELECT_MAX);
    buffer_printf(&b, "%s=\"", f->by);
    put_value(&b, value);
    buffer_u8(&b, '"');
    snprintf(side->value, sizeof side->value, "%s", value);
    int rc = set_selector(f, side, (const char *)b.data, b.len);
    buffer_deinit(&b);
    return rc;
}

static int choose_values(struct values *v)
{
    struct fleet_changes *f = v->f;
    if (v->services) {
        http_error(f->http, HTTP_BAD_REQUEST, "select: it selects several services; add service=\"NAME\"");
        return -EINVAL;
    }
    if (v->count < 2) {
        http_error(f->http, HTTP_NOT_FOUND,
                   "%s two values of the label '%.100s' in that time; choose a longer time, or give before and after", "there are no",
                   f->by);
        return -ENOENT;
    }
    qsort_r(v->list, v->count, sizeof *v->list, by_age, &v->names);
    set_times(f, &v->list[1], &v->list[0]);
    int rc = set_value(f, CHANGES_BEFORE, strtab_text(&v->names, v->list[1].name));
    return rc ? rc : set_value(f, CHANGES_AFTER, strtab_text(&v->names, v->list[0].name));
}

static int newest_values(struct fleet_changes *f)
{
    struct error e;
    struct values v = {.f = f, .error = &e};
    const struct store *s = f->http->server->store;
    struct store_asking asking = {s, &f->query.q};
    struct catalogue_patience patience = store_patience(&asking);
    int rc = strtab_init(&v.names) ? error_set(&e, -ENOMEM, "out of memory")
                                   : catalogue_recordings(store_catalogue(f->http->server->store), f->query.q.from, f->query.q.to,
                                                          &patience, add_recording, &v, &e);
    if (rc)
        question_failed(f->http, rc, &e);
    else
        rc = choose_values(&v);
    strtab_deinit(&v.names);
    map_deinit(&v.places);
    free(v.list);
    return rc;
}

int changes_sides(struct fleet_changes *f)
{
    const char *by = http_parameter(f->http, "by", NULL), *before = http_parameter(f->http, "before", NULL);
    const char *after = http_parameter(f->http, "after", NULL);
    f->by = by && *by ? by : "version";
    for (int i = 0; i < 2; i++) {
        f->sides[i].from = f->query.q.from;
        f->sides[i].to = f->query.q.to;
    }
    if (!(before && *before) && !(after && *after))
        return newest_values(f);
    f->by = NULL;
    int rc = read_side(f, "after", CHANGES_AFTER);
    return rc ? rc : read_side(f, "before", CHANGES_BEFORE);
}
