/* The `key=value,key=value` lists of the control protocol and of -agentpath (docs/formats/control.md). */
#ifndef CANDOR_AGENT_CONTROL_OPTIONS_H
#define CANDOR_AGENT_CONTROL_OPTIONS_H

#include "agent/collect/collect.h"
#include "base/error.h"

#include <stdbool.h>

/* Sets the fields that the text names. The other fields get their defaults. The text is changed in the process. An unknown key, a repeated
 * key, a value out of range and a broken encoding are errors, and the message names the key. */
int options_parse(struct collect_options *out, char *text, struct error *e);
/* The requests that have options, one bit each. */
enum request { REQUEST_START = 1, REQUEST_DUMP = 2, REQUEST_STOP = 4, REQUEST_STATUS = 8 };

/* Parses the options of a request about a running recording. It sets only `recording`, and for a dump also file, descriptor and paths. */
int options_parse_about(struct collect_options *out, char *text, enum request request, struct error *e);

#endif
