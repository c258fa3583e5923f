/* Judges a recording by all rules. */
#ifndef CANDOR_ANALYSIS_ANALYZE_H
#define CANDOR_ANALYSIS_ANALYZE_H

#include "analysis/evidence.h"
#include "analysis/findings.h"

/* f is empty at first; then it has the findings, in order, and the rules that had too little data. 0 or -ENOMEM. */
int analyze(struct findings *f, const struct evidence *e);

#endif
