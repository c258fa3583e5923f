/* The `key=value,key=value` lists of the control protocol and of -agentpath (docs/formats/control.md). */
#ifndef CANDOR_AGENT_CONTROL_OPTIONS_H
#define CANDOR_AGENT_CONTROL_OPTIONS_H

#include "agent/collect/collect.h"
#include "base/error.h"

#include <stdbool.h>

/* Sets the fields that the text names; the others get their defaults. The text is changed in the process. An unknown key, a repeated
 * key, a value out of range and a broken encoding are errors, and the message names the key. */
int options_parse(struct collect_options *out, char *text, struct error *e);
/* The options of a dump: only file, descriptor and paths are set. */
int options_parse_dump(struct collect_options *out, char *text, struct error *e);

#endif
