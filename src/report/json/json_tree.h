/* The trees of the JSON report; the inside of report_json. */
#ifndef CANDOR_REPORT_JSON_JSON_TREE_H
#define CANDOR_REPORT_JSON_JSON_TREE_H

#include "base/text/jsonw.h"
#include "report/report.h"

/* Writes the trees that the options ask for, each as a member of the object that is open. 0 or a code of calltree_build. */
int json_trees(struct jsonw *j, const struct profile *p, const struct report_options *o);

#endif
