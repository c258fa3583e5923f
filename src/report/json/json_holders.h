/* The holders of objects, as JSON: the inside of report_json (docs/formats/report-json.md). */
#ifndef CANDOR_REPORT_JSON_JSON_HOLDERS_H
#define CANDOR_REPORT_JSON_JSON_HOLDERS_H

#include "base/text/jsonw.h"
#include "profile/holders.h"

/* The member "holders" of the open object: null without data. */
void json_holders(struct jsonw *j, const struct profile *p, const struct holders *h);

#endif
