/* Applies all rules to a recording. */
#ifndef CANDOR_ANALYSIS_ANALYZE_H
#define CANDOR_ANALYSIS_ANALYZE_H

#include "analysis/evidence.h"
#include "analysis/findings.h"

/* Adds findings to f, which is empty initially. Afterwards f has the findings, sorted, and the rules that had too little data. Returns 0
 * or -ENOMEM. */
int analyze(struct findings *f, const struct evidence *e);

#endif
