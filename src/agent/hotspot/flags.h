/* The JVM's own flags, through its exported tables. */
#ifndef CANDOR_AGENT_HOTSPOT_FLAGS_H
#define CANDOR_AGENT_HOTSPOT_FLAGS_H

#include <stdbool.h>

/* Turns a boolean flag on, which takes effect where the JVM reads it next. False when this JVM has no such flag. From
 * Agent_OnLoad on; any thread. libjvm: a dlopen handle. */
bool flags_turn_on(void *libjvm, const char *name);
/* Whether it is on because the JVM's operator said so: on its command line, in a file or an environment variable. */
bool flags_operator_turned_on(void *libjvm, const char *name);
/* What a boolean flag says; `otherwise` when this JVM has no such flag. */
bool flags_get(void *libjvm, const char *name, bool otherwise);

#endif
