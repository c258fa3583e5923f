/* The `key=value,key=value` lists of the control protocol and of -agentpath (docs/formats/control.md). */
#ifndef CANDOR_AGENT_CONTROL_OPTIONS_H
#define CANDOR_AGENT_CONTROL_OPTIONS_H

#include "agent/collect/collect.h"
#include "base/error.h"

#include <stdbool.h>

/* Sets the fields that the text names; the others get their defaults. The text is changed in the process. An unknown key, a repeated
 * key, a value out of range and a broken encoding are errors, and the message names the key. */
int options_parse(struct collect_options *out, char *text, struct error *e);
/* Requests that have options, a bit each. */
enum request { REQUEST_START = 1, REQUEST_DUMP = 2, REQUEST_STOP = 4, REQUEST_STATUS = 8 };

/* The options of a request about a recording that runs: only recording, and of a dump also file, descriptor and paths, are set. */
int options_parse_about(struct collect_options *out, char *text, enum request request, struct error *e);

#endif
