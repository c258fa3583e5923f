/* What is alive, and what grows, as JSON: the inside of report_json (docs/formats/report-json.md). */
#ifndef CANDOR_REPORT_JSON_JSON_LIVE_H
#define CANDOR_REPORT_JSON_JSON_LIVE_H

#include "base/text/jsonw.h"
#include "report/report.h"

/* The members "live" and "leaks" of an object that is open. */
void json_live(struct jsonw *j, const struct profile *p, const struct report_options *o);

#endif
