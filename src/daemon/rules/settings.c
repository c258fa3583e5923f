#include "daemon/rules/settings.h"

#include "base/agreed/recorded_events.h"
#include "base/text/word_list.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The options that a daemon allows. It records as long as the JVM lives, so options for the end of a recording, for its file, or for a
 * single event are not among them. */
static const enum recording_option allowed[] = {
    OPTION_INTERVAL,       OPTION_WALL_INTERVAL, OPTION_WALL_RATE, OPTION_ALLOC_RATE, OPTION_ALLOC_INTERVAL, OPTION_LIVE_MAX,
    OPTION_LOCK_THRESHOLD, OPTION_LOCK_RATE,     OPTION_HEAL,      OPTION_MAX_RATE,   OPTION_MAX_OVERHEAD,
};
enum { ALLOWED = sizeof allowed / sizeof *allowed };

void settings_init(struct settings *s)
{
    *s = (struct settings){.events = "cpu,wall,alloc,lock,halt"};
    snprintf(s->values[OPTION_INTERVAL], SETTINGS_VALUE, "10ms");
    snprintf(s->values[OPTION_MAX_OVERHEAD], SETTINGS_VALUE, "1%%");
}

/* ---- setting ---- */

/* The events that may run together as long as the JVM lives. */
#define EVENT_NAME(symbol, name) name,

static bool is_event(const char *word)
{
    static const char *const events[] = {RECORDING_EVENTS_TOGETHER(EVENT_NAME)};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (!strcmp(word, events[i]))
            return true;
    return false;
}

static int set_events(struct settings *s, const char *value, struct error *e)
{
    const char *list = value;
    char word[16];
    bool good = *value && strlen(value) < sizeof s->events;
    while (good && word_list_next(&list, word, sizeof word))
        good = is_event(word) && !word_list_has(list, word);
    if (!good)
        return error_set(e, -EINVAL, "event '%.40s': use one or several of " RECORDING_EVENT_TOGETHER ", such as cpu,alloc", value);
    snprintf(s->events, sizeof s->events, "%s", value);
    return 0;
}

static int check_heal(const char *value, struct error *e)
{
    bool good = !strcmp(value, "off") || !strcmp(value, "paced") || !strcmp(value, "now");
    return good ? 0 : error_set(e, -EINVAL, "heal '%.40s': use off, paced or now", value);
}

static int set_value(struct settings *s, enum recording_option option, const char *value, struct error *e)
{
    struct recording_option_value number;
    int code = option == OPTION_HEAL ? check_heal(value, e) : recording_option_read(option, value, &number, e);
    if (code)
        return code;
    if ((option == OPTION_ALLOC_RATE && *s->values[OPTION_ALLOC_INTERVAL]) ||
        (option == OPTION_ALLOC_INTERVAL && *s->values[OPTION_ALLOC_RATE]))
        return error_set(e, -EINVAL, "alloc-rate and alloc-interval: use one of them");
    if ((size_t)snprintf(s->values[option], SETTINGS_VALUE, "%s", value) >= SETTINGS_VALUE)
        return error_set(e, -EINVAL, "%s is too long", recording_option_rows[option].key);
    return 0;
}

int settings_set(struct settings *s, const char *key, const char *value, struct error *e)
{
    if (!strcmp(key, "event"))
        return set_events(s, value, e);
    for (size_t i = 0; i < ALLOWED; i++)
        if (!strcmp(key, recording_option_rows[allowed[i]].key))
            return set_value(s, allowed[i], value, e);
    return error_set(e, -ENOENT, "no setting '%.60s'; known are " SETTINGS_NAMES, key);
}

void settings_override(struct settings *s, const struct settings *over)
{
    if (*over->events)
        memcpy(s->events, over->events, sizeof s->events);
    if (*over->values[OPTION_ALLOC_RATE])
        *s->values[OPTION_ALLOC_INTERVAL] = 0;
    if (*over->values[OPTION_ALLOC_INTERVAL])
        *s->values[OPTION_ALLOC_RATE] = 0;
    for (size_t i = 0; i < ALLOWED; i++)
        if (*over->values[allowed[i]])
            memcpy(s->values[allowed[i]], over->values[allowed[i]], SETTINGS_VALUE);
}

/* ---- what a JVM can record ---- */

static bool word_is(const char *word, const char *text, size_t len)
{
    return strlen(word) == len && !strncmp(word, text, len);
}

static bool drop_event(struct settings *s, const char *event, size_t len)
{
    char left[SETTINGS_EVENTS] = "", word[16];
    const char *list = s->events;
    size_t n = 0;
    bool found = false;
    while (word_list_next(&list, word, sizeof word)) {
        bool is_it = word_is(word, event, len);
        found |= is_it;
        if (!is_it)
            n += (size_t)snprintf(left + n, sizeof left - n, "%s%s", n ? "," : "", word);
    }
    memcpy(s->events, left, sizeof left);
    return found;
}

bool settings_drop_refused(struct settings *s, const char *message)
{
    static const char prefix[] = "event=";
    const char *event = message + sizeof prefix - 1;
    return !strncmp(message, prefix, sizeof prefix - 1) && drop_event(s, event, strcspn(event, ": "));
}

void settings_fit_jdk(struct settings *s, const char *jdk, char dropped[SETTINGS_EVENTS])
{
    static const char *const sampled[] = {"alloc", "live"};
    size_t n = 0;
    *dropped = 0;
    for (size_t i = 0; i < 2 && !strncmp(jdk, "1.8", 3); i++)
        if (drop_event(s, sampled[i], strlen(sampled[i])))
            n += (size_t)snprintf(dropped + n, SETTINGS_EVENTS - n, "%s%s", n ? "," : "", sampled[i]);
}

const char *settings_option(const struct settings *s, enum recording_option option)
{
    /* Without cpu, the interval would apply to wall, and there would be no clock to slow down. */
    bool of_clock = option == OPTION_INTERVAL || option == OPTION_MAX_RATE || option == OPTION_MAX_OVERHEAD;
    int n;
    if (!*s->values[option] || (of_clock && !word_list_has(s->events, "cpu")) || recording_option_lacks(option, s->events, &n))
        return NULL;
    return s->values[option];
}
