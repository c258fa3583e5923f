/* What a JVM is recorded with: a list of events, and options of base/agreed/recording_options.h as texts. Section [daemon] has some,
 * each rule may have others, and the rule's count more. What has no meaning without an event is left out where that event is. */
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

/* The names of all settings, as a message lists them. */
#define SETTINGS_NAMES                                                                                                                     \
    "event, interval, wall-interval, wall-rate, alloc-rate, alloc-interval, live-max, lock-threshold, lock-rate, heal, max-rate and "      \
    "max-overhead"

/* The defaults of a daemon. */
void settings_init(struct settings *s);
/* 0; or with e: -ENOENT there is no such setting, -EINVAL. */
int settings_set(struct settings *s, const char *key, const char *value, struct error *e);
/* Sets what `over` has set. */
void settings_override(struct settings *s, const struct settings *over);
/* Takes the event off the list that the agent refused with this message: "event=alloc: another agent samples ...". False if the message
 * is about something else. */
bool settings_drop_refused(struct settings *s, const char *message);
/* Takes the events off that a JVM of this version cannot record: Java 8 cannot sample allocations. `dropped`: a list of these. */
void settings_fit_jdk(struct settings *s, const char *jdk, char dropped[SETTINGS_EVENTS]);
/* The text of an option as the agent is asked for it; NULL = it is not set, or of events that are not recorded. */
const char *settings_option(const struct settings *s, enum recording_option option);

#endif
