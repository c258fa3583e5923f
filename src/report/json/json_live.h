/* Writes live objects, and objects that grow in number, as JSON. It is a part of report_json (docs/formats/report-json.md). */
#ifndef CANDOR_REPORT_JSON_JSON_LIVE_H
#define CANDOR_REPORT_JSON_JSON_LIVE_H

#include "base/text/jsonw.h"
#include "report/report.h"

/* Writes the members "live" and "leaks" of the open object. */
void json_live(struct jsonw *j, const struct profile *p, const struct report_options *o);

#endif
