/* The part of `candor fleet alerts` that is about silences: the options --silences, --silence and --end-silence. */
#ifndef CANDOR_CLI_FLEET_SILENCES_H
#define CANDOR_CLI_FLEET_SILENCES_H

#include "cli/fleet/fleet.h"

/* Whether one of these options is given. */
bool silences_wanted(const struct fleet *f);
/* Does what they say. Returns an exit status. */
int silences_run(const struct fleet *f);

#endif
