/* Reads and sets the JVM's own flags, through its exported tables. */
#ifndef CANDOR_AGENT_HOTSPOT_FLAGS_H
#define CANDOR_AGENT_HOTSPOT_FLAGS_H

#include <stdbool.h>

/* Turns a boolean flag on. This takes effect when the JVM next reads the flag. Returns false if this JVM has no such flag. Any thread may
 * call it, from Agent_OnLoad on. libjvm: a dlopen handle. */
bool flags_turn_on(void *libjvm, const char *name);
/* Whether the flag is on because the JVM's operator set it: on the command line, in a file or in an environment variable. */
bool flags_operator_turned_on(void *libjvm, const char *name);
/* Returns the value of a boolean flag, or `otherwise` if this JVM has no such flag. */
bool flags_get(void *libjvm, const char *name, bool otherwise);

#endif
