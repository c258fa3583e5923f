#include "server/profiles/daemons.h"

#include "base/text/pattern.h"
#include "server/access/tokens.h"
#include "server/request/json_file.h"

#include <errno.h>
#include <stdio.h>

static const char *const texts[] = {"service", "main", "user", "jdk", "reason"};
enum { TEXTS = sizeof texts / sizeof *texts, REASON_MAX = 500, JVMS_SAID_MAX = 1000000 };

int daemons_init(struct daemons *d)
{
    *d = (struct daemons){.list = json_object()};
    return d->list ? 0 : -ENOMEM;
}

void daemons_deinit(struct daemons *d)
{
    json_decref(d->list);
    d->list = NULL;
}

static json_int_t int_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

/* Returns a number of JVMs that a daemon gives; otherwise = it gives none. */
static json_int_t jvms_of(const json_t *message, const char *key, json_int_t otherwise)
{
    const json_t *number = json_object_get(message, key);
    json_int_t n = json_integer_value(number);
    return !json_is_integer(number) || n < 0 ? otherwise : n < JVMS_SAID_MAX ? n : JVMS_SAID_MAX;
}

/* ---- hearing ---- */

static void forget(struct daemons *d, const char *key)
{
    d->jvms -= json_array_size(json_object_get(json_object_get(d->list, key), "jvms"));
    json_object_del(d->list, key);
}

static void forget_silent(struct daemons *d, int64_t now)
{
    const char *key;
    json_t *one;
    void *next;
    json_object_foreach_safe(d->list, next, key, one) if (now - int_of(one, "heard") > DAEMONS_FORGET_S) forget(d, key);
}

static json_t *take_jvm(const json_t *from)
{
    json_t *made = json_object();
    for (size_t i = 0; made && i < TEXTS; i++)
        if (json_object_set_new(made, texts[i], json_text(json_member_text(from, texts[i]), REASON_MAX))) {
            json_decref(made);
            made = NULL;
        }
    return made;
}

/* Returns the daemon's JVMs that are kept, and in *more how many others there are. */
static json_t *take_jvms(const struct daemons *d, const char *services, const json_t *message, json_int_t *more)
{
    const json_t *list = json_object_get(message, "not_recorded"), *one;
    json_t *kept = json_array();
    size_t i;
    *more = jvms_of(message, "not_recorded_left_out", 0);
    json_array_foreach(list, i, one)
    {
        if (!json_is_object(one) || !pattern_matches(services, json_member_text(one, "service")))
            continue;
        size_t n = json_array_size(kept);
        if (n >= DAEMONS_JVMS || d->jvms + n >= DAEMONS_JVMS_ALL || json_array_append_new(kept, take_jvm(one)))
            ++*more;
    }
    return kept;
}

void daemons_hear(struct daemons *d, const char *services, const json_t *message, int64_t now)
{
    char key[JSON_TEXT_MAX + TOKENS_PATTERN + 2];
    const char *host = json_member_text(message, "host");
    json_int_t more;
    /* Daemons with tokens for other services may give the same host: each has its own entry. */
    json_t *name = json_text(host, JSON_TEXT_MAX);
    snprintf(key, sizeof key, "%s\n%s", name ? json_string_value(name) : "", services);
    forget(d, key);
    if (json_object_size(d->list) >= DAEMONS_MAX || d->jvms >= DAEMONS_JVMS_ALL)
        forget_silent(d, now);
    json_t *jvms = take_jvms(d, services, message, &more);
    size_t n = json_array_size(jvms);
    json_t *one = json_object_size(d->list) < DAEMONS_MAX
                      ? json_pack("{s:O,s:s,s:I,s:I,s:I,s:O}", "host", name, "services", services, "heard", (json_int_t)now, "recorded",
                                  jvms_of(message, "recorded", -1), "left_out", more, "jvms", jvms)
                      : NULL;
    json_decref(name);
    json_decref(jvms);
    if (one && !json_object_set_new(d->list, key, one))
        d->jvms += n;
    else
        d->unheard++;
}

/* ---- answering ---- */

static void put_int(struct jsonw *j, const char *key, const json_t *object)
{
    jsonw_key(j, key);
    jsonw_int(j, int_of(object, key));
}

static void put_jvm(struct jsonw *j, const json_t *jvm)
{
    jsonw_object(j);
    for (size_t i = 0; i < TEXTS; i++)
        jsonw_member_text_or_null(j, texts[i], json_member_text(jvm, texts[i]));
    jsonw_object_end(j);
}

static void put_daemon(struct jsonw *j, const json_t *one, const char *services)
{
    const json_t *jvms = json_object_get(one, "jvms"), *jvm;
    bool all = pattern_is_any(services); /* numbers are of all services */
    size_t i;
    jsonw_object(j);
    jsonw_member_text(j, "host", json_member_text(one, "host"));
    put_int(j, "heard", one);
    jsonw_key(j, "recorded");
    if (!all || int_of(one, "recorded") < 0) /* below 0: it is of an earlier version, and does not say */
        jsonw_null(j);
    else
        jsonw_int(j, int_of(one, "recorded"));
    jsonw_key(j, "left_out");
    if (all)
        jsonw_int(j, int_of(one, "left_out"));
    else
        jsonw_null(j);
    jsonw_key(j, "not_recorded");
    jsonw_array(j);
    json_array_foreach(jvms, i, jvm) if (pattern_matches(services, json_member_text(jvm, "service"))) put_jvm(j, jvm);
    jsonw_array_end(j);
    jsonw_object_end(j);
}

/* With a token for some services, hosts show only through the JVMs of these. */
static bool may_see(const json_t *one, const char *services)
{
    const json_t *jvm;
    size_t i;
    bool seen = pattern_is_any(services);
    json_array_foreach(json_object_get(one, "jvms"), i, jvm) seen = seen || pattern_matches(services, json_member_text(jvm, "service"));
    return seen;
}

void daemons_put(struct jsonw *j, const struct daemons *d, const char *services, int64_t now)
{
    const char *key;
    json_t *one;
    jsonw_key(j, "daemons");
    jsonw_array(j);
    json_object_foreach(d->list, key, one)
    {
        if (now - int_of(one, "heard") <= DAEMONS_FORGET_S && may_see(one, services))
            put_daemon(j, one, services);
    }
    jsonw_array_end(j);
    jsonw_member_uint(j, "unheard", pattern_is_any(services) ? d->unheard : 0);
}
