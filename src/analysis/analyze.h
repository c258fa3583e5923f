/* Judges a recording by all rules. */
#ifndef CANDOR_ANALYSIS_ANALYZE_H
#define CANDOR_ANALYSIS_ANALYZE_H

#include "analysis/evidence.h"
#include "analysis/findings.h"

/* f is empty; then it has what was found, in order, and which rules had too little to go by. 0 or -ENOMEM. */
int analyze(struct findings *f, const struct evidence *e);

#endif
