/* Writes the trees of the JSON report. It is a part of report_json. */
#ifndef CANDOR_REPORT_JSON_JSON_TREE_H
#define CANDOR_REPORT_JSON_JSON_TREE_H

#include "base/text/jsonw.h"
#include "report/report.h"

/* Writes each tree that the options ask for as a member of the open object. Returns 0 or an error code of calltree_build. */
int json_trees(struct jsonw *j, const struct profile *p, const struct report_options *o);

#endif
