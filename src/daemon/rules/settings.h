/* The settings for recording a JVM: a list of events, and options of base/agreed/recording_options.h as texts. Section [daemon] sets some,
 * and each rule may set others, which take precedence. An option that belongs to an event is left out if the event is not recorded. */
#ifndef CANDOR_DAEMON_RULES_SETTINGS_H
#define CANDOR_DAEMON_RULES_SETTINGS_H

#include "base/agreed/recording_options.h"
#include "base/error.h"

#include <stddef.h>

enum { SETTINGS_EVENTS = 64, SETTINGS_VALUE = 32 };

struct settings {
    char events[SETTINGS_EVENTS];                         /* "cpu,wall"; "" = not set */
    char values[RECORDING_OPTIONS_COUNT][SETTINGS_VALUE]; /* "" = not set */
};

/* The names of all settings, for messages. */
#define SETTINGS_NAMES                                                                                                                     \
    "event, interval, wall-interval, wall-rate, alloc-rate, alloc-interval, live-max, lock-threshold, lock-rate, heal, max-rate and "      \
    "max-overhead"

/* Sets the defaults of a daemon. */
void settings_init(struct settings *s);
/* Sets one setting. Returns 0, or a code with a message in e: -ENOENT if there is no such setting, or -EINVAL. */
int settings_set(struct settings *s, const char *key, const char *value, struct error *e);
/* Copies the settings that are set in `over` to s. */
void settings_override(struct settings *s, const struct settings *over);
/* Removes the event that the agent refused with this message, for example "event=alloc: another agent samples ...". Returns false if the
 * message is about something else. */
bool settings_drop_refused(struct settings *s, const char *message);
/* Removes the events that a JVM of this version cannot record: Java 8 cannot sample allocations. dropped: receives the list of these
 * events. */
void settings_fit_jdk(struct settings *s, const char *jdk, char dropped[SETTINGS_EVENTS]);
/* Returns the text of an option for the agent. Returns NULL if the option is not set, or if its events are not recorded. */
const char *settings_option(const struct settings *s, enum recording_option option);

#endif
