/* The `key=value,key=value` lists of the control protocol and of -agentpath (docs/formats/control.md). */
#ifndef CANDOR_AGENT_CONTROL_OPTIONS_H
#define CANDOR_AGENT_CONTROL_OPTIONS_H

#include "agent/collect/collect.h"
#include "base/error.h"

#include <stdbool.h>

/* Sets the fields the text names (it is changed in the process); the others get their defaults. An unknown key, one that is given
 * twice, a value out of range or a broken encoding is an error that names it. */
int options_parse(struct collect_options *out, char *text, struct error *e);
/* The options of a dump: only file, descriptor and paths are set. */
int options_parse_dump(struct collect_options *out, char *text, struct error *e);

#endif
