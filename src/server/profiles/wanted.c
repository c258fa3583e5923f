#include "server/profiles/wanted.h"

#include "base/agreed/recorded_events.h"
#include "base/agreed/recording_options.h"
#include "base/text/number.h"
#include "base/text/units.h"
#include "base/text/word_list.h"
#include "base/time_units.h"
#include "store/selector.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

static const struct wanted defaults =
    {.events = "cpu", .seconds = 60, .within = WANTED_WITHIN, .jvms = WANTED_JVMS, .share = 1, .services = TOKENS_ANY_SERVICE};

#define EVENT_NAME(symbol, name) name,

static bool is_event(const char *word)
{
    static const char *const events[] = {RECORDING_EVENTS_TOGETHER(EVENT_NAME)};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (!strcmp(word, events[i]))
            return true;
    return false;
}

static int check_events(const char *events, struct error *e)
{
    const char *list = events;
    char word[16];
    bool good = *events;
    while (good && word_list_next(&list, word, sizeof word))
        good = is_event(word) && !word_list_has(list, word);
    return good ? 0 : error_set(e, -EINVAL, "events '%.40s': use one or several of " RECORDING_EVENT_TOGETHER ", as in cpu,wall", events);
}

static int check_select(const char *select, struct error *e)
{
    struct selector s;
    if (!*select)
        return error_set(e, -EINVAL, "select: say which JVMs, as in service=\"shop\"");
    int rc = selector_parse(&s, select, e);
    for (uint32_t i = 0; !rc && i < s.count; i++)
        if (s.list[i].of_samples) /* it would match any JVM */
            rc = error_set(e, -EINVAL, "select: '%.60s' is a label of samples, and this takes labels of recordings only", s.list[i].name);
    selector_deinit(&s);
    return rc;
}

static int read_seconds(const char *key, const char *text, int64_t most, int64_t *out, struct error *e)
{
    uint64_t ns;
    if (units_parse_duration(text, &ns) || ns % NS_PER_S || ns < NS_PER_S || ns / NS_PER_S > (uint64_t)most)
        return error_set(e, -EINVAL, "%s '%.40s': use whole seconds from 1s to %llds, such as 2m", key, text, (long long)most);
    *out = (int64_t)(ns / NS_PER_S);
    return 0;
}

/* Without cpu, the interval is that of wall, and the other events have none. */
static int check_interval(const struct wanted *w, struct error *e)
{
    struct recording_option_value v;
    bool cpu = word_list_has(w->events, "cpu");
    if (!*w->interval)
        return 0;
    if (!cpu && !word_list_has(w->events, "wall"))
        return error_set(e, -EINVAL, "interval: only the events cpu and wall have one");
    return recording_option_read(cpu ? OPTION_INTERVAL : OPTION_WALL_INTERVAL, w->interval, &v, e);
}

/* ---- JSON ---- */

/* Copies a text; without the member, the text stays. */
static int take_text(char *out, size_t size, const json_t *body, const char *key, struct error *e)
{
    const json_t *v = json_object_get(body, key);
    if (!v || json_is_null(v))
        return 0;
    const char *text = json_string_value(v);
    if (!text || strlen(text) != json_string_length(v) || (size_t)snprintf(out, size, "%s", text) >= size)
        return error_set(e, -EINVAL, "%s: it is a text of at most %zu bytes", key, size - 1);
    return 0;
}

static int take_seconds(int64_t *out, const json_t *body, const char *key, int64_t most, struct error *e)
{
    char text[40] = "";
    int rc = take_text(text, sizeof text, body, key, e);
    return rc || !*text ? rc : read_seconds(key, text, most, out, e);
}

static int take_jvms(struct wanted *w, const json_t *body, struct error *e)
{
    const json_t *v = json_object_get(body, "jvms");
    json_int_t n = json_integer_value(v);
    if (!v)
        return 0;
    if (!json_is_integer(v) || n < 1 || n > WANTED_JVMS_MAX)
        return error_set(e, -EINVAL, "jvms: it is a number from 1 to %d", WANTED_JVMS_MAX);
    w->jvms = (uint32_t)n;
    return 0;
}

static int take_share(struct wanted *w, const json_t *body, struct error *e)
{
    char text[40] = "";
    int rc = take_text(text, sizeof text, body, "share", e);
    if (!rc && *text && units_parse_percent(text, &w->share))
        rc = error_set(e, -EINVAL, "share '%.40s': use a share such as 25%%", text);
    return rc;
}

static int check_keys(const json_t *body, struct error *e)
{
    static const char known[] = "select,events,interval,duration,within,jvms,share";
    const char *key;
    const json_t *value;
    if (!json_is_object(body))
        return error_set(e, -EINVAL,
                         "the body is not like {\"select\": \"service=\\\"shop\\\"\", \"events\": \"wall\", \"duration\": \"2m\"}");
    json_object_foreach((json_t *)body, key,
                        value) if (!word_list_has(known, key)) return error_set(e, -EINVAL, "no member '%.40s'; known are %s", key, known);
    return 0;
}

int wanted_read(struct wanted *w, const char *bytes, size_t n, struct error *e)
{
    json_t *body = json_loadb(bytes, n, JSON_REJECT_DUPLICATES, NULL);
    *w = defaults;
    int rc = check_keys(body, e);
    rc = rc ? rc : take_text(w->select, sizeof w->select, body, "select", e);
    rc = rc ? rc : take_text(w->events, sizeof w->events, body, "events", e);
    rc = rc ? rc : take_text(w->interval, sizeof w->interval, body, "interval", e);
    rc = rc ? rc : take_seconds(&w->seconds, body, "duration", WANTED_SECONDS_MAX, e);
    rc = rc ? rc : take_seconds(&w->within, body, "within", 86400, e);
    rc = rc ? rc : take_jvms(w, body, e);
    rc = rc ? rc : take_share(w, body, e);
    rc = rc ? rc : check_select(w->select, e);
    rc = rc ? rc : check_events(w->events, e);
    rc = rc ? rc : check_interval(w, e);
    json_decref(body);
    return rc;
}

/* ---- one line ---- */

int wanted_read_line(struct wanted *w, const char *line, struct error *e)
{
    char events[WANTED_EVENTS], duration[40] = "", jvms[12] = "";
    uint64_t n = WANTED_JVMS;
    int end = 0;
    *w = defaults;
    int words = sscanf(line, "%63s %39s %11s %n", events, duration, jvms, &end);
    if (words < 2 || (words == 3 && (line[end] || number_parse(jvms, 1, WANTED_JVMS_MAX, &n))))
        return error_set(e, -EINVAL, "'%.60s' is not EVENTS DURATION [JVMS], as in wall,lock 2m 5", line);
    memcpy(w->events, events, sizeof events);
    w->jvms = (uint32_t)n;
    int rc = check_events(w->events, e);
    return rc ? rc : read_seconds("duration", duration, WANTED_SECONDS_MAX, &w->seconds, e);
}
