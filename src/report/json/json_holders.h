/* Writes the holders of objects as JSON. It is a part of report_json (docs/formats/report-json.md). */
#ifndef CANDOR_REPORT_JSON_JSON_HOLDERS_H
#define CANDOR_REPORT_JSON_JSON_HOLDERS_H

#include "base/text/jsonw.h"
#include "profile/holders.h"

/* Writes the member "holders" of the open object; null if there are no data. */
void json_holders(struct jsonw *j, const struct profile *p, const struct holders *h);

#endif
