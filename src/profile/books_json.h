/* The books as a JSON object, the same in the report and inside the flame graph (docs/formats/report-json.md); null when
 * the recording has none. */
#ifndef CANDOR_PROFILE_BOOKS_JSON_H
#define CANDOR_PROFILE_BOOKS_JSON_H

#include "base/json.h"
#include "profile/profile.h"

void books_json(struct json *j, const struct profile *p);

#endif
