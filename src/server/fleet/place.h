/* Names the place of a finding, so that the same problem in two recordings is one finding. */
#ifndef CANDOR_SERVER_FLEET_PLACE_H
#define CANDOR_SERVER_FLEET_PLACE_H

#include "analysis/findings.h"

enum { PLACE_MAX = 1024 };

/* Writes the place: the subject (a lock's class, a peer, a flag), the innermost method of the site, or "SUBJECT at METHOD". Lines are left
 * out, because they move from version to version. "" = the whole JVM: it has neither, or the site is only the largest of many causes. */
void place_of(const struct findings *f, const struct finding *one, char out[PLACE_MAX]);

#endif
